"""JSON and Parquet: records with fields of their own types; records inside of records become columns."""

from pathlib import Path

import duckdb

from fathom.databases.engine import double_quoted, single_quoted

_DEEPEST = 3
_LARGEST_RECORD = 1 << 26
_LINES = frozenset((".jsonl", ".ndjson"))


def load_parquet(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> list[str]:
    """Read a file into a new table; gives the remarks on it. Raises `duckdb.Error`."""
    connection.execute(f"CREATE TABLE {table} AS SELECT * FROM read_parquet({single_quoted(str(path))})")
    _flatten(connection, table)
    return []


def load_json(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> list[str]:
    """Read records, one a line or in a list, into a new table; gives the remarks on it.

    Of an object that holds one list of records, these are the rows. Raises `duckdb.Error`.
    """
    remarks: list[str] = []
    try:
        connection.execute(f"CREATE TABLE {table} AS {_read(path)}")
    except duckdb.InvalidInputException:
        if path.suffix.casefold() not in _LINES:
            raise
        connection.execute(f"CREATE TABLE {table} AS {_read(path, ', ignore_errors = true')}")
        remarks = _without_lost_lines(connection, table)
    _unwrap(connection, table)
    _flatten(connection, table)
    return remarks


def _read(path: Path, more: str = "") -> str:
    lines = "newline_delimited" if path.suffix.casefold() in _LINES else "auto"
    # Days and moments are taken in the one order that can't be mistaken.
    return (
        f"SELECT * FROM read_json({single_quoted(str(path))}, format = '{lines}',"
        f" maximum_object_size = {_LARGEST_RECORD},"
        f" dateformat = '%Y-%m-%d', timestampformat = '%Y-%m-%dT%H:%M:%S'{more})"
    )


def _without_lost_lines(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Take out the rows that lines without a record left, which are empty, and say how many they were.

    Raises `ValueError` where no line has a record.
    """
    columns = [double_quoted(name) for name, _ in _columns(connection, table)]
    (before,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
    connection.execute(
        f"DELETE FROM {table} WHERE coalesce({', '.join(f'{c}::VARCHAR' for c in columns)}) IS NULL"
    )
    (after,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
    if not after:
        raise ValueError("no line of it is a record")
    lost = before - after
    return [f"{lost} line{'s' * (lost > 1)} without a record left out"] if lost else []


def _unwrap(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    lists = [
        name
        for name, kind in _columns(connection, table)
        if kind.startswith("STRUCT") and kind.endswith("[]")
    ]
    counted = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    if len(lists) == 1 and counted == (1,):
        unnested = f"SELECT unnest({double_quoted(lists[0])}) AS record FROM {table}"
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT unnest(record) FROM ({unnested})")


def _flatten(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Make columns of the fields of records inside of records, called after both."""
    for _ in range(_DEEPEST):
        columns = _columns(connection, table)
        if not any(_is_record(kind) for _, kind in columns):
            break
        taken = {name.casefold() for name, kind in columns if not _is_record(kind)}
        chosen = []
        for name, kind in columns:
            if not _is_record(kind):
                chosen.append(double_quoted(name))
                continue
            for field in _fields(connection, table, name):
                new = f"{name}_{field}"
                while new.casefold() in taken:
                    new += "_"
                taken.add(new.casefold())
                part = f"struct_extract({double_quoted(name)}, {single_quoted(field)})"
                chosen.append(f"{part} AS {double_quoted(new)}")
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {', '.join(chosen)} FROM {table}")
    for name, kind in _columns(connection, table):
        if kind == "JSON":  # of several kinds
            connection.execute(f"ALTER TABLE {table} ALTER {double_quoted(name)} TYPE VARCHAR")


def _is_record(kind: str) -> bool:
    return kind.startswith("STRUCT") and not kind.endswith("]")


def _fields(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> list[str]:
    described = connection.execute(f"DESCRIBE SELECT unnest({double_quoted(column)}) FROM {table}")
    return [str(row[0]) for row in described.fetchall()]


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[1])) for row in connection.execute(f"DESCRIBE {table}").fetchall()]
