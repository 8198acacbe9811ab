"""Values of Spark's types as Python's: decimals, dates and times as such, maps as dicts, variants as JSON."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StructType,
    TimestampType,
    VariantType,
    VariantVal,
    YearMonthIntervalType,
)

Change = Callable[[Any], Any]


def column_reader(kind: DataType) -> Callable[[Any], list[Any]]:
    """Give a function that makes Python values of an Arrow column of Spark's type."""
    if isinstance(kind, YearMonthIntervalType):
        raise pa.ArrowNotImplementedError("an interval of months has no form in Python; cast it to text")
    change = _change_for(kind)
    if change is None:
        return lambda column: list(column.to_pylist())
    return lambda column: [None if v is None else change(v) for v in column.to_pylist()]


def _change_for(kind: DataType) -> Change | None:
    """Give the change that an Arrow value needs; None where it is right already."""
    if isinstance(kind, TimestampType):
        # As Spark shows it: in the session's time zone, in which its functions take dates apart.
        return lambda value: value.replace(tzinfo=None)
    if isinstance(kind, VariantType):
        return lambda value: VariantVal(value["value"], value["metadata"]).toJson()
    if isinstance(kind, MapType):
        inner_key, inner = _inner(kind.keyType), _inner(kind.valueType)
        return lambda value: {inner_key(k): inner(v) for k, v in value}
    if isinstance(kind, ArrayType) and _change_for(kind.elementType):
        element = _inner(kind.elementType)
        return lambda value: [element(v) for v in value]
    if isinstance(kind, StructType) and any(_change_for(f.dataType) for f in kind.fields):
        fields = {f.name: _inner(f.dataType) for f in kind.fields}
        return lambda value: {name: fields[name](v) for name, v in value.items()}
    return None


def _inner(kind: DataType) -> Change:
    change = _change_for(kind)
    if change is None:
        return lambda value: value
    return lambda value: None if value is None else change(value)
