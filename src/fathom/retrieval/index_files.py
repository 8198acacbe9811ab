"""Keeping a database's value index: reading its text, noticing what changed, writing only that."""

import hashlib
import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from sqlite3 import Connection

from fathom.databases import NO_LIMITS, Database
from fathom.errors import ConfigError, QueryError, QueryFailed
from fathom.files import private_folder
from fathom.records import Column, Limits, Table
from fathom.retrieval import store
from fathom.watch import tell

Progress = Callable[[str, int, int], None]
"""Called with a table's name, how many tables were indexed before it, and how many there are to index."""

_WORTH_TELLING = 1.0
"""Seconds of reading from which the rest can be told: before, hardly anything was read."""
_BETWEEN_TELLING = 20_000
"""Values between two times that it is told: a fraction of a second."""
_Value = tuple[str, str, str, int]
"""Table, column, value, and in how many rows it stands."""
DEAR_ROWS, DEAR_ROWS_AWAY = 20_000_000, 2_000_000
"""A table with more rows is indexed by a sample: to read it takes a minute and more, warehouses are paid for
what is read, and files of rows are asked as soon as somebody has them."""
SAMPLED_ROWS, SAMPLED_SECONDS = 50_000, 3.0
"""Of such a table so many rows are read, or as many as can be read in so many seconds."""
_AWAY = 1.0  # seconds that the smallest query takes at least on a warehouse
_ADVICE = "Set FATHOM_CACHE to a folder that can be written to."
_LOG = logging.getLogger(__name__)
_STATE = ""  # the name that the state of the whole database is kept under


def open_or_build(
    database: Database,
    cache: Path | None,
    progress: Progress | None,
    *,
    rebuild: bool,
    refresh: bool,
    must_be_kept: bool = False,
) -> tuple[Connection, Path | None]:
    """An index of the database as it is now, and its file; in memory, without a file, where none can be kept.

    Raises `ConfigError` for that where it `must_be_kept`. Where the database's values may not be read for it,
    that is the index that was kept, else one without a value.
    """
    if not database.indexes_values and not rebuild:
        found = _usable(_file(database, cache), "", refresh=False) if cache else None
        return found or store.create(), None
    if cache is None:
        return _in_memory(database, progress), None
    file = _file(database, cache)
    state = database.state()
    if not rebuild and (found := _usable(file, state, refresh=refresh)):
        return found, file
    try:
        private_folder(file.parent)
        with store.only_one(file):
            # Another process may have built it while this one waited.
            if not rebuild and (found := _usable(file, state, refresh=refresh)):
                return found, file
            _build(database, file, state, progress, rebuild=rebuild)
        return store.read(file), file
    except (OSError, store.Unusable) as error:
        problem = f"The value index can't be kept in {file.parent}: {error}."
        if must_be_kept:
            raise ConfigError(f"{problem} {_ADVICE}") from error
        _LOG.warning("%s It is made in memory, for this time only. %s", problem, _ADVICE)
    return _in_memory(database, progress), None


def _in_memory(database: Database, progress: Progress | None) -> Connection:
    connection = store.create()
    with store.Writer(connection) as writer:
        _write(writer, database, dict.fromkeys(_tables(database), ""), progress)
    return connection


def kept(database: Database, cache: Path) -> tuple[Path, Connection | None]:
    """An index's file, and the index in it whatever the database holds by now; None where there is none."""
    file = _file(database, cache)
    return file, _usable(file, "", refresh=False)


def _file(database: Database, cache: Path) -> Path:
    name = re.sub(r"[^A-Za-z0-9]+", "-", database.name)[:40].strip("-") or "database"
    seen = f" {database.granted.digest}" if database.granted is not None else ""
    digest = hashlib.sha256(f"{database.dialect} {database.url}{seen}".encode()).hexdigest()[:16]
    return cache / "values" / f"{name}-{digest}.sqlite"


def _usable(file: Path, state: str, *, refresh: bool) -> Connection | None:
    """The index, where it is there, whole, and known to be up to date without asking the database."""
    if not file.exists():
        return None
    try:
        connection = store.read(file)
    except store.Unusable:
        return None
    if not refresh or (state and store.marks(connection).get(_STATE) == state):
        return connection
    connection.close()
    return None


def _build(database: Database, file: Path, state: str, progress: Progress | None, *, rebuild: bool) -> None:
    marks = {name: _mark(database, table) for name, table in _tables(database).items()}
    changed, gone, fresh = marks, frozenset[str](), True
    if not rebuild and file.exists():
        try:
            with closing(store.read(file)) as connection:
                before, held = store.marks(connection), store.values_of_tables(connection)
            before.pop(_STATE, None)
            changed = {t: m for t, m in marks.items() if before.get(t) != m}
            gone = frozenset(t for t in before if t not in marks or t in changed)
            # To forget most of an index takes longer than to write a new one.
            fresh = 2 * sum(held.get(t, 0) for t in gone) > sum(held.values())
        except store.Unusable:
            pass
    try:
        with store.replacement(file, fresh=fresh) as connection, store.Writer(connection) as writer:
            for table in () if fresh else gone:
                writer.remove(table)
            _write(writer, database, marks if fresh else changed, progress)
            writer.mark(_STATE, state)
    except store.Unusable:
        if fresh:
            raise
        _build(database, file, state, progress, rebuild=True)


def _write(
    writer: store.Writer, database: Database, marks: dict[str, str], progress: Progress | None
) -> None:
    tables = _tables(database)
    read = [n for n in marks if not is_dear(database, tables[n])]
    cells = {n: (tables[n].row_count or 1) * len(_columns(database, tables[n])) for n in read}
    pace = _Pace(sum(cells.values()))
    for number, (name, mark) in enumerate(marks.items()):
        if progress:
            progress(name, number, len(marks))
        if is_dear(database, tables[name]):
            tell(
                f"indexing a sample of the {tables[name].row_count:,} rows of {name}{pace}",
                number,
                len(marks),
            )
            writer.add(_sampled(database, tables[name]))
            writer.mark(name, mark)
            continue
        for column in _columns(database, tables[name]):
            before = pace.done
            told = f"indexing the values of {name}"
            tell(f"{told}{pace}", number, len(marks))
            writer.add(pace.counted(_values(database, name, column), told, number, len(marks)))
            pace.done = before + (tables[name].row_count or 1)
        writer.mark(name, mark)


@dataclass
class _Pace:
    """How far reading `cells` has come, and how long the rest will take if it goes on like that."""

    cells: int
    done: int = 0
    started: float = field(default_factory=time.monotonic)

    def counted(self, values: Iterable[_Value], told: str, table: int, tables: int) -> Iterator[_Value]:
        """The values; now and then how far they are is told."""
        for place, value in enumerate(values, 1):
            yield value
            self.done += value[3]
            if not place % _BETWEEN_TELLING:
                tell(f"{told}{self}", table, tables)

    def __str__(self) -> str:
        spent = time.monotonic() - self.started
        if spent < _WORTH_TELLING or not 0 < self.done < self.cells:
            return ""
        left = spent * (self.cells - self.done) / self.done
        return f", {self.done / self.cells:.0%} of all, about {max(1, round(left))} s left"


_TEXT_TYPES = {"mysql": "CHAR", "bigquery": "STRING", "spark": "STRING", "databricks": "STRING"}
"""The names of unbounded text in dialects where that isn't VARCHAR."""


def _tables(database: Database) -> dict[str, Table]:
    """The tables to index; a view shows again what its tables hold."""
    return {t.name: t for t in database.schema.tables if not t.is_view}


def _columns(database: Database, table: Table) -> list[Column]:
    """The columns that may hold text: in SQLite any column may, elsewhere also enumerations and lists."""
    if database.dialect == "sqlite":
        return [c for c in table.columns if c.kind != "blob"]
    return [c for c in table.columns if c.kind in {"text", "other"}]


def _text(database: Database, table: str, column: str) -> str:
    name = database.identifier(table, column)
    if database.dialect == "sqlite":
        return f"CASE typeof({name}) WHEN 'text' THEN {name} END"
    return f"CAST({name} AS {_TEXT_TYPES.get(database.dialect, 'VARCHAR')})"


def dear_tables(database: Database) -> frozenset[str]:
    """The tables that are too big to read whole for an index."""
    return frozenset(name for name, table in _tables(database).items() if is_dear(database, table))


def is_dear(database: Database, table: Table) -> bool:
    """True if a table is too big to read whole for an index."""
    waits = database.latency < _AWAY and not database.is_new
    return (table.row_count or 0) > (DEAR_ROWS if waits else DEAR_ROWS_AWAY)


def _sampled(database: Database, table: Table) -> Iterator[_Value]:
    """Each text of a sample and of the engine's statistics once, with its likely rows in the whole table.

    A table that the engine won't read counts as empty.
    """
    columns = _columns(database, table)
    if not columns:
        return
    counts: list[Counter[str]] = [Counter() for _ in columns]
    seen, limits = 0, Limits(seconds=SAMPLED_SECONDS, rows=SAMPLED_ROWS, bytes=None)
    rows = table.row_count or 1
    # Rows read until the time was up still count.
    with (
        suppress(QueryError),
        database.sample(replace(table, columns=tuple(columns)), SAMPLED_ROWS, limits) as found,
    ):
        for batch in found:
            seen += len(batch)
            for counted, cells in zip(counts, zip(*batch, strict=True), strict=True):
                counted.update(cell for cell in cells if isinstance(cell, str) and cell)
    common: Mapping[str, Mapping[str, float]] = {}
    with suppress(QueryError):
        common = database.common_texts(table)
    for column, counted in zip(columns, counts, strict=True):
        shares = {text: count / seen for text, count in counted.items()} | dict(common.get(column.name, {}))
        for text, share in shares.items():
            if text:
                yield table.name, column.name, text, max(1, round(share * rows))


def _values(database: Database, table: str, column: Column) -> Iterator[_Value]:
    """Each text of a column once, with its rows; one too long to index is cut just above that length.

    A column that the engine won't read, such as one without permission, counts as empty.
    """
    text = f"SUBSTR({_text(database, table, column.name)}, 1, {store.LONGEST + 1})"
    sql = f"SELECT {text}, COUNT(*) FROM {database.identifier(table)} GROUP BY 1"
    try:
        with database.stream(sql, NO_LIMITS, trusted=True) as batches:
            for batch in batches:
                for value, count in batch:
                    if isinstance(value, str) and value:
                        yield table, column.name, value, count
    except QueryFailed:
        return


def _mark(database: Database, table: Table) -> str:
    """Give a mark that changes with a table's text: its columns, rows, and each column's length and extremes.

    Cheap, and blind to changes that keep all of these, such as two letters swapped inside a value. Of a table
    too big to read, its columns and the number of its rows alone.
    """
    columns = _columns(database, table)
    names = [f"{c.name} {c.type}" for c in columns]
    if is_dear(database, table):
        content = json.dumps([names, table.row_count, SAMPLED_ROWS])
        return hashlib.sha256(content.encode()).hexdigest()[:32]
    texts = [_text(database, table.name, c.name) for c in columns]
    wanted = [f"COUNT({t}), SUM(LENGTH({t})), MIN({t}), MAX({t})" for t in texts]
    chosen = ", ".join(["COUNT(*)", *wanted])
    try:
        sql = f"SELECT {chosen} FROM {database.identifier(table.name)}"
        rows = database.run(sql, NO_LIMITS, trusted=True).rows
    except QueryFailed:
        rows = ()
    return hashlib.sha256(json.dumps([names, rows], default=str).encode()).hexdigest()[:32]
