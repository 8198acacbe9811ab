"""The parts that engines with remote data share: few questions for a big schema, and waits that can end.

Their clients speak HTTP, one request after another, and can't be cut while they wait; so they work in threads
of their own, and who waits for one can be let go.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar

from fathom.databases.engine import Read, Reflection, Session, tidy_keys
from fathom.databases.kinds import kind_of
from fathom.databases.remote import Remote
from fathom.errors import FathomError
from fathom.records import Column, ForeignKey, Table

Key = tuple[str, str]
"""A schema and the name of a table in it."""
T = TypeVar("T")


class QueryHalted(FathomError):
    """A query that was stopped, or whose answer nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class ColumnFound:
    """One column as INFORMATION_SCHEMA tells it, with what it tells of the table beside it."""

    schema: str
    table: str
    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    is_view: bool = False
    table_comment: str | None = None


@dataclass(frozen=True, slots=True)
class KeyFound:
    """One column of a key, in the key's order; `target` is the table and column that a foreign key means.

    `kind` is "primary", "unique" or "foreign"; `name` keeps keys of a table apart.
    """

    name: str
    kind: str
    schema: str
    table: str
    column: str
    target: tuple[str, str, str] | None = None


class WarehouseSession(Session):
    """A session whose client works in another thread, so that whoever waits for it can be let go."""

    def __init__(self, ignored: tuple[type[Exception], ...]) -> None:
        self.ignored = ignored
        self._waiting: Future[Any] | None = None
        self.abandoned = False

    def wait_for(self, work: Callable[[], T]) -> T:
        """Wait for the work's result, or raise its error; raises `QueryHalted` once the session is
        abandoned."""
        if self.abandoned:
            raise QueryHalted("The server was left alone, for it didn't answer.")
        waiting: Future[T] = Future()
        self._waiting = waiting
        # In the context of who waits, so that what is told on the way reaches who watches.
        Thread(target=copy_context().run, args=(_fulfil, waiting, work), daemon=True).start()
        return waiting.result()

    @abstractmethod
    def cancel(self) -> None:
        """Ask the server to end the query; this may hang, or raise one of the engine's errors."""

    def interrupt(self) -> None:
        # In a thread of its own as well: a server that is silent doesn't answer this either.
        asking = Thread(target=self._cancel, daemon=True)
        asking.start()
        asking.join(self.grace)

    def _cancel(self) -> None:
        with suppress(*self.ignored):  # it has ended, or isn't there yet; or the server is silent
            self.cancel()

    def abandon(self) -> None:
        self.abandoned = True
        if (waiting := self._waiting) is not None:
            with suppress(InvalidStateError):
                waiting.set_exception(QueryHalted("The server didn't answer in time."))


def _fulfil(waiting: "Future[T]", work: Callable[[], T]) -> None:
    """Do the work, and give what comes of it to whoever still waits."""
    try:
        found = work()
    except BaseException as error:
        with suppress(InvalidStateError):
            waiting.set_exception(error)
    else:
        with suppress(InvalidStateError):
            waiting.set_result(found)


class Warehouse(Remote):
    """An engine whose schema is asked for in one query for columns and one for keys, however many tables."""

    # Even the smallest query takes a second there; what was found out is kept.
    probing_seconds = (30.0, 5.0)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, QueryHalted)

    @property
    def default_schema(self) -> str:
        """The schema whose tables go by their bare names; "" for none."""
        return ""

    @abstractmethod
    def columns(self, read: Read) -> Iterable[ColumnFound]:
        """Every column of every table and view, a table's columns in their order."""

    def keys(self, read: Read) -> Iterable[KeyFound]:
        """The columns of declared keys; none where the engine keeps none."""
        return ()

    def counts(self, read: Read, tables: Iterable[Key]) -> Mapping[Key, int]:
        """Row counts of the tables (no views) that the engine's statistics tell, without a scan."""
        return {}

    def path(self, key: Key) -> tuple[str, ...]:
        """The parts of a table's name in SQL, of which each is quoted."""
        return key[1:] if key[0] == self.default_schema else key

    def reflect(self, read: Read) -> Reflection:
        found: dict[Key, list[ColumnFound]] = defaultdict(list)
        for column in self.columns(read):
            found[column.schema, column.table].append(column)
        keys = _Keys(self.keys(read))
        counts = self.counts(read, [key for key, columns in found.items() if not columns[0].is_view])
        tables, identifiers = [], {}
        for key in sorted(found):
            table = self._table(key, found[key], keys, counts.get(key))
            tables.append(table)
            identifiers[table.name] = ".".join(map(self.quote, self.path(key)))
        foreign = keys.foreign(self._name)
        return Reflection(tuple(tables), tidy_keys(tables, foreign), identifiers)

    def _name(self, key: Key) -> str:
        schema, table = key
        return table if schema == self.default_schema else f"{schema}.{table}"

    def _table(self, key: Key, columns: list[ColumnFound], keys: "_Keys", rows: int | None) -> Table:
        first = columns[0]
        return Table(
            self._name(key),
            tuple(Column(c.name, c.type, kind_of(c.type), c.nullable, c.comment or None) for c in columns),
            primary_key=next(iter(keys.of("primary", key)), ()),
            unique=tuple(keys.of("unique", key)),
            comment=first.table_comment or None,
            row_count=rows,
            rows_estimated=rows is not None,
            is_view=first.is_view,
        )


class _Keys:
    """The columns of keys, put together."""

    def __init__(self, found: Iterable[KeyFound]) -> None:
        # By kind and table, then by the key's name: a big schema has thousands of each.
        self._parts: dict[tuple[str, Key], dict[str, list[KeyFound]]] = {}
        for part in found:
            named = self._parts.setdefault((part.kind, (part.schema, part.table)), {})
            named.setdefault(part.name, []).append(part)

    def of(self, kind: str, table: Key) -> Iterator[tuple[str, ...]]:
        """The columns of each key of this kind that the table has."""
        for parts in self._parts.get((kind, table), {}).values():
            yield tuple(p.column for p in parts)

    def foreign(self, named: Callable[[Key], str]) -> Iterator[ForeignKey]:
        """The foreign keys, by tables' names as Fathom gives them."""
        foreign = ((where, keys) for (kind, where), keys in self._parts.items() if kind == "foreign")
        for where, parts in ((where, parts) for where, keys in foreign for parts in keys.values()):
            targets = [p.target for p in parts if p.target is not None]
            if len(targets) == len(parts):
                target = named((targets[0][0], targets[0][1]))
                columns = tuple(p.column for p in parts)
                yield ForeignKey(named(where), columns, target, tuple(t[2] for t in targets))
