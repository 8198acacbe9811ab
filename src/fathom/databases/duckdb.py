"""DuckDB: embedded, opened read-only with no way to files, the network, extensions or its own settings."""

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

import duckdb

from fathom.databases.contained import contained
from fathom.databases.engine import (
    Engine,
    Mark,
    Read,
    Reflection,
    Row,
    Session,
    double_quoted,
    percent_of,
    tidy_keys,
)
from fathom.databases.freshness import file_state
from fathom.databases.kinds import kind_of
from fathom.errors import ConnectionFailed, ErrorClass, QueryError, QueryFailed
from fathom.records import Column, ForeignKey, Interval, Limits, Table

_BIG = 10_000_000
"""Rows from which whole blocks are taken for a sample: to choose each row by itself reads them all."""
_MEMORY = "2 GB"
_OPEN: "dict[Path, WeakSet[DuckDB]]" = {}
"""The engines of this process that hold a file open, by its path."""
_INTERVAL = "INTERVAL"
_TEMPORARY_SPACE = "10GB"
# With several threads, version 2.0 may wait for ever for a recursive query that was interrupted.
_THREADS = {"threads": "1"} if int(duckdb.__version__.partition(".")[0]) >= 2 else {}


class DuckDBSession(Session):
    """A cursor of the shared connection, which is a connection of its own to the same database."""

    grace = 0.9  # as of a child process that it may work in

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._intervals: frozenset[int] = frozenset()

    def begin(self, limits: Limits) -> None:
        """Nothing: a cursor is always ready."""

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._connection.execute(sql)
        description = self._connection.description
        if not description:
            return None
        self._intervals = frozenset(i for i, d in enumerate(description) if str(d[1]) == _INTERVAL)
        if self._intervals:
            self._execute_as_spelled(sql, len(description))
        return tuple(d[0] for d in description)

    def _execute_as_spelled(self, sql: str, columns: int) -> None:
        """Execute a query with its intervals as text: the driver takes a month for thirty days."""
        names = [f"c{i}" for i in range(columns)]
        told = [f"CAST({n} AS VARCHAR)" if i in self._intervals else n for i, n in enumerate(names)]
        inner = sql.strip().rstrip(";")
        try:
            self._connection.execute(f"SELECT {', '.join(told)} FROM (\n{inner}\n) AS q({', '.join(names)})")
        except duckdb.ParserException:  # a statement that reads and isn't a query within another
            self._intervals = frozenset()
            self._connection.execute(sql)

    def fetch(self, count: int) -> list[Row]:
        rows = self._connection.fetchmany(count)
        if not self._intervals:
            return rows
        return [
            tuple(Interval(c) if i in self._intervals and c is not None else c for i, c in enumerate(row))
            for row in rows
        ]

    def finish(self, *, complete: bool) -> bool:
        if not complete:
            self.interrupt()
        return complete

    def close(self) -> None:
        self._connection.close()

    def interrupt(self) -> None:
        with suppress(duckdb.ConnectionException):  # the database was closed, and its cursors with it
            self._connection.interrupt()


class DuckDB(Engine):
    """A DuckDB file."""

    dialect = "duckdb"
    rows_at_once = 256
    errors = (duckdb.Error, MemoryError)
    fatal = (MemoryError, duckdb.FatalException, duckdb.InternalException)

    def __init__(self, path: Path) -> None:
        self._path = self.file = path
        self._shared: duckdb.DuckDBPyConnection | None = None
        self._macros: frozenset[str] | None = None
        self._state = file_state(path)
        # Where a file is open, the driver gives that one by its path also after another took its place.
        known = _OPEN.setdefault(path, WeakSet())
        replaced = any(engine._state != self._state for engine in known)
        self.contained_only = replaced and contained(self, path) is not self
        if self.contained_only:
            return
        # Within one process every connection to a file must ask for the same settings.
        spill = Path(tempfile.gettempdir()) / f"fathom-duckdb-{os.getpid()}"
        try:
            self._shared = duckdb.connect(
                str(path),
                read_only=True,
                config={
                    "enable_external_access": "false",
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                    "allow_community_extensions": "false",
                    "python_enable_replacements": "false",
                    "memory_limit": _MEMORY,
                    "temp_directory": str(spill),
                    "max_temp_directory_size": _TEMPORARY_SPACE,
                    "lock_configuration": "true",
                    **_THREADS,
                },
            )
        except duckdb.Error as error:
            raise ConnectionFailed(f"DuckDB can't open {path}: {error}") from error
        known.add(self)

    def open(self) -> Session:
        if self._shared is None:
            raise ConnectionFailed(f"{self._path} was replaced; only a process of its own can open it.")
        return DuckDBSession(self._shared.cursor())

    def contained(self) -> Engine:
        return contained(self, self._path)

    def close(self) -> None:
        if self._shared is not None:
            self._shared.close()
            _OPEN[self._path].discard(self)

    def catalogue(self, read: Read) -> "_DuckDBCatalogue":
        return _DuckDBCatalogue(read, self.macros)

    def macros(self, read: Read) -> frozenset[str]:
        """Give the names of the macros in the file: asked once, since that takes 40 ms."""
        if self._macros is None:
            self._macros = frozenset(name.casefold() for (name,) in read(_MACROS))
        return self._macros

    def mark(self, read: Read) -> Mark:
        return Mark(file_state(self._path))

    def renewed(self) -> Engine:
        return DuckDB(self._path)

    def state(self) -> str:
        stat = self._path.stat()
        return f"{stat.st_size}.{stat.st_mtime_ns}"

    def classify(self, error: Exception) -> ErrorClass | None:
        text = str(error)
        if isinstance(error, duckdb.PermissionException) or "read-only mode" in text:
            return None
        return next(
            (kind for of, parts, kind in _ERRORS if isinstance(error, of) and any(p in text for p in parts)),
            ErrorClass.OTHER,
        )

    def translate(self, error: Exception, sql: str, limits: Limits) -> QueryError:
        if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
            return QueryFailed(f"It needs more than the {_MEMORY} of memory that DuckDB may take.", sql=sql)
        return super().translate(error, sql, limits)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        if (table.row_count or 0) > _BIG:
            return f"(SELECT * FROM {identifier} USING SAMPLE {share:.6f} PERCENT (system, 1))"
        return f"(SELECT * FROM {identifier} USING SAMPLE reservoir({count} ROWS) REPEATABLE (1))"

    def reflect(self, read: Read) -> Reflection:
        columns: dict[tuple[str, str], list[Column]] = defaultdict(list)
        for schema, table, name, declared, nullable, comment in read(_COLUMNS):
            columns[schema, table].append(Column(name, declared, kind_of(declared), nullable, comment))
        keys, primary, unique = _constraints(read)
        tables, identifiers = [], {}
        for schema, name, is_view, comment in read(_TABLES):
            full = _name(schema, name)
            identifiers[full] = double_quoted(name) if full == name else _qualified(schema, name)
            tables.append(
                Table(
                    full,
                    tuple(columns[schema, name]),
                    primary_key=primary.get(full, ()),
                    unique=tuple(unique[full]),
                    comment=comment,
                    row_count=None if is_view else read(f"SELECT count(*) FROM {identifiers[full]}")[0][0],
                    is_view=is_view,
                )
            )
        return Reflection(tuple(tables), tidy_keys(tables, keys), identifiers)


class _DuckDBCatalogue:
    """A `fathom.databases.guard.Catalogue`: which tables and macros there are."""

    def __init__(self, read: Read, macros: Callable[[Read], frozenset[str]]) -> None:
        self._read, self._macros = read, macros

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """A table's columns; None where there is none of the name in a user's own schemas."""
        names = [name for _, found, name, *_ in self._read(_COLUMNS) if found.casefold() == table.casefold()]
        return tuple(names) or None

    def is_callable(self, name: str) -> bool:
        """Not asked: a name after a dot is no call on DuckDB."""
        return True

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        """Give those of the names that are also a macro's: DuckDB takes it before its own, `+` as well."""
        return self._macros(self._read) & {*functions, *operators}


_MACROS = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal"
_TABLES = """SELECT schema_name, table_name, false, comment FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL SELECT schema_name, view_name, true, comment FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal AND NOT temporary ORDER BY 1, 2"""
_COLUMNS = """SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal ORDER BY schema_name, table_name, column_index"""
_CONSTRAINTS = """SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
referenced_column_names FROM duckdb_constraints() WHERE database_name = current_database()
AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') ORDER BY table_oid, constraint_index"""

# The driver gives no codes: the exception's class, then what its message has to hold, decide.
_ERRORS: tuple[tuple[type[duckdb.Error], tuple[str, ...], ErrorClass], ...] = (
    (duckdb.InterruptException, ("",), ErrorClass.TIMEOUT),
    (duckdb.ParserException, ("",), ErrorClass.SYNTAX),
    (duckdb.CatalogException, ("Function with name",), ErrorClass.NO_SUCH_FUNCTION),
    (duckdb.CatalogException, ("does not exist",), ErrorClass.NO_SUCH_NAME),
    (
        duckdb.BinderException,
        ("not found", "does not have a column", "does not exist"),
        ErrorClass.NO_SUCH_NAME,
    ),
)


def _constraints(
    read: Read,
) -> tuple[list[ForeignKey], dict[str, tuple[str, ...]], dict[str, list[tuple[str, ...]]]]:
    """Foreign keys, primary keys by table, and unique keys by table."""
    keys: list[ForeignKey] = []
    primary: dict[str, tuple[str, ...]] = {}
    unique: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for schema, table, kind, columns, target, target_columns in read(_CONSTRAINTS):
        name = _name(schema, table)
        if kind == "PRIMARY KEY":
            primary[name] = tuple(columns)
        elif kind == "UNIQUE":
            unique[name].append(tuple(columns))
        else:
            keys.append(ForeignKey(name, tuple(columns), _name(schema, target), tuple(target_columns)))
    return keys, primary, unique


def _name(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _qualified(schema: str, table: str) -> str:
    return f"{double_quoted(schema)}.{double_quoted(table)}"
