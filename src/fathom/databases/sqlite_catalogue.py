"""The tables, columns and keys of a SQLite file, read from its catalogue."""

import sqlite3
import time
from collections import defaultdict
from contextlib import suppress

from fathom.databases.engine import Read, Reflection, Row, double_quoted, tidy_keys
from fathom.databases.kinds import kind_of
from fathom.errors import QueryError
from fathom.records import Column, ForeignKey, Table
from fathom.records.schema import ColumnKind

_SECONDS_FOR_COUNTS = 1.0
_ROWS_FOR_KINDS = 100
_OWN = "name NOT LIKE 'sqlite~_%' ESCAPE '~'"
_TABLES = (
    f"SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND {_OWN}"
    if sqlite3.sqlite_version_info >= (3, 37)
    else f"SELECT name, type, 0 FROM sqlite_master WHERE type IN ('table', 'view') AND {_OWN}"
)
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo({0}) WHERE hidden <> 1 ORDER BY cid'
_UNIQUE = """SELECT l.seq, i.name FROM pragma_index_list({0}) l JOIN pragma_index_info(l.name) i
WHERE l."unique" AND l.origin <> 'pk' AND NOT l.partial ORDER BY l.seq, i.seqno"""
_KEYS = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list({0}) ORDER BY id, seq'
_KINDS: dict[str, ColumnKind] = {"integer": "integer", "real": "number", "text": "text", "blob": "blob"}


class SQLiteCatalogue:
    """The declarations of one SQLite file. Tables that SQLite itself can't open are left out."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._count_until = time.monotonic() + _SECONDS_FOR_COUNTS
        self._listed = sorted(r for r in read(_TABLES) if r[1] != "shadow")
        self.by_rowid = frozenset(name for name, kind, wr in self._listed if kind == "table" and not wr)

    def reflection(self) -> Reflection:
        """Every table and view with its columns, keys and row count."""
        tables, keys = [], []
        for name, kind, _ in self._listed:
            with suppress(QueryError):  # a view of a missing table, a module that isn't there
                tables.append(self._table(name, kind))
                keys += self._foreign_keys(name)
        return Reflection(
            tuple(tables), tidy_keys(tables, keys), {t.name: double_quoted(t.name) for t in tables}
        )

    def _table(self, name: str, kind: str) -> Table:
        columns = self._read(_COLUMNS.format(_literal(name)))
        kinds = self._kinds(name, columns)
        unique: dict[int, list[str | None]] = defaultdict(list)
        for index, column in self._read(_UNIQUE.format(_literal(name))):
            unique[index].append(column)
        count, estimated = self._count(name) if kind != "view" else (None, False)
        return Table(
            name,
            tuple(
                Column(c, declared, kind, nullable=not required)
                for (c, declared, required, _), kind in zip(columns, kinds, strict=True)
            ),
            primary_key=tuple(c for c, *_, place in sorted(columns, key=lambda r: r[3]) if place),
            unique=tuple(tuple(c for c in u if c) for u in unique.values() if all(u)),
            row_count=count,
            rows_estimated=estimated,
            is_view=kind == "view",
        )

    def _kinds(self, table: str, columns: list[Row]) -> list[ColumnKind]:
        """By the declared type; where there is none, by what the first rows hold."""
        kinds = [kind_of(declared) for _, declared, *_ in columns]
        untyped = [double_quoted(c) for c, declared, *_ in columns if not declared]
        if not untyped:
            return kinds
        storage = ", ".join(f"typeof({c})" for c in untyped)
        rows = self._read(f"SELECT {storage} FROM {double_quoted(table)} LIMIT {_ROWS_FOR_KINDS}")
        found = [{s for s in column if s != "null"} for column in zip(*rows, strict=True)] or [set()] * len(
            untyped
        )
        kinds_found = iter(found)
        return [k if c[1] else _common_kind(next(kinds_found)) for k, c in zip(kinds, columns, strict=True)]

    def _count(self, table: str) -> tuple[int | None, bool]:
        name = double_quoted(table)
        with suppress(QueryError):
            left = self._count_until - time.monotonic()
            if left > 0:
                return self._read(f"SELECT count(*) FROM {name}", left)[0][0], False
        if table in self.by_rowid:
            return self._read(f"SELECT coalesce(max(rowid), 0) FROM {name}")[0][0], True
        return None, False

    def _foreign_keys(self, table: str) -> list[ForeignKey]:
        keys: dict[int, list[Row]] = defaultdict(list)
        for row in self._read(_KEYS.format(_literal(table))):
            keys[row[0]].append(row)
        return [
            ForeignKey(
                table, tuple(r[2] for r in rows), rows[0][1], tuple(r[3] for r in rows if r[3] is not None)
            )
            for rows in keys.values()
        ]


def _common_kind(storage: set[str]) -> ColumnKind:
    if storage == {"integer", "real"}:
        return "number"
    return (
        _KINDS.get(storage.pop(), "other") if len(storage) == 1 else "text" if "text" in storage else "other"
    )


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
