"""The tables of a Spark database by few questions: Spark has no INFORMATION_SCHEMA that lists columns.

The catalogue lists the tables with their comments, one statement tells what statistics say, and one analysis
describes fifty tables: of a query that joins them all, which is never run.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from pyspark.errors import PySparkException

from fathom.databases.engine import Read, Reflection
from fathom.databases.kinds import kind_of
from fathom.errors import QueryError
from fathom.records import Column, Table

_AT_ONCE = 50
_COUNTED_ROWS = 1_000_000
_SECONDS_TO_COUNT = 20.0
_CHARACTER_TYPE = "__CHAR_VARCHAR_TYPE_STRING"  # where Spark keeps CHAR(n) and VARCHAR(n), to it both text
Quote = Callable[[str], str]


def reflect(spark: Any, read: Read, quote: Quote) -> Reflection:
    """Tables and views of the session's database, with their columns and row counts."""
    listed = [t for t in spark.catalog.listTables() if not t.isTemporary]
    views = {t.name for t in listed if t.tableType == "VIEW"}
    names = [t.name for t in listed]
    described: dict[str, tuple[Column, ...]] = {}
    for some in _pieces(names, _AT_ONCE):
        described |= _described(spark, some, quote)
    counts = _counts(read, [n for n in names if n in described and n not in views], quote)
    tables = [
        Table(
            t.name,
            described[t.name],
            comment=t.description or None,
            row_count=counts.get(t.name, (None, False))[0],
            rows_estimated=counts.get(t.name, (None, False))[1],
            is_view=t.name in views,
        )
        for t in sorted(listed, key=lambda t: t.name)
        if t.name in described
    ]
    return Reflection(tuple(tables), (), {t.name: quote(t.name) for t in tables})


def _pieces(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _described(spark: Any, names: Sequence[str], quote: Quote) -> dict[str, tuple[Column, ...]]:
    """The columns of tables. A view of a table that has gone spoils the rest, so halves are tried then."""
    chosen = ", ".join(f"struct(t{i}.*) AS c{i}" for i in range(len(names)))
    joined = ", ".join(f"{quote(name)} AS t{i}" for i, name in enumerate(names))
    try:
        schema = spark.sql(f"SELECT {chosen} FROM {joined}").schema
    except PySparkException:
        if len(names) == 1:
            return {}
        middle = len(names) // 2
        return _described(spark, names[:middle], quote) | _described(spark, names[middle:], quote)
    return {
        name: tuple(_column(f) for f in table.dataType.fields)
        for name, table in zip(names, schema.fields, strict=True)
    }


def _column(field: Any) -> Column:
    declared = str(field.metadata.get(_CHARACTER_TYPE) or field.dataType.simpleString())
    return Column(
        field.name, declared, kind_of(declared), field.nullable, field.metadata.get("comment") or None
    )


def _counts(read: Read, names: Sequence[str], quote: Quote) -> dict[str, tuple[int | None, bool]]:
    """Row counts: what ANALYZE TABLE kept, else counted up to a million, within the time for that."""
    found: dict[str, tuple[int | None, bool]] = {}
    with suppress(QueryError):
        for _, name, _, told in read("SHOW TABLE EXTENDED LIKE '*'"):
            if (rows := _rows_told(told)) is not None:
                found[name] = (rows, True)
    until = time.monotonic() + _SECONDS_TO_COUNT
    for some in _pieces([n for n in names if n not in found], _AT_ONCE):
        found |= _counted(read, some, quote, until)
    return found


def _counted(
    read: Read, names: Sequence[str], quote: Quote, until: float
) -> dict[str, tuple[int | None, bool]]:
    left = until - time.monotonic()
    if left <= 0:
        return {}
    sql = " UNION ALL ".join(
        f"SELECT {i} AS t, count(*) AS n FROM (SELECT 1 FROM {quote(name)} LIMIT {_COUNTED_ROWS}) AS c"
        for i, name in enumerate(names)
    )
    try:
        return {names[i]: (rows, rows == _COUNTED_ROWS) for i, rows in read(sql, left)}
    except QueryError:  # the time was up, or one of them can't be read
        if len(names) == 1:
            return {}
        middle = len(names) // 2
        return _counted(read, names[:middle], quote, until) | _counted(read, names[middle:], quote, until)


def _rows_told(told: str) -> int | None:
    """The rows in a line like `Statistics: 1234 bytes, 5 rows`."""
    lines = [line for line in told.splitlines() if line.startswith("Statistics: ") and line.endswith(" rows")]
    number = lines[-1].removesuffix(" rows").rpartition(", ")[2] if lines else ""
    return int(number) if number.isdecimal() else None
