"""Queries and sketches as JSON values, for the weights file."""

from dataclasses import fields, is_dataclass
from typing import Any

from fathom.offline.queries import query as q

_CLASSES: dict[str, Any] = {
    "Aggregate": q.Aggregate,
    "Arithmetic": q.Arithmetic,
    "Call": q.FunctionCall,
    "Case": q.CaseWhen,
    "Column": q.ColumnRef,
    "Comparison": q.ComparisonPredicate,
    "Compound": q.Compound,
    "Connective": q.Connective,
    "Items": q.Items,
    "Join": q.Join,
    "Literal": q.Literal,
    "Ordering": q.OrderKey,
    "Query": q.Query,
    "SourceColumn": q.SourceColumn,
    "Star": q.Star,
    "Subquery": q.Subquery,
    "TableRef": q.TableRef,
}
"""By the names that the weights file has."""
_NAMES = {kind: name for name, kind in _CLASSES.items()}


def name_of(part: object) -> str:
    """The name of a part's kind, as weights were learned with it."""
    return _NAMES.get(type(part)) or type(part).__name__


def encode(value: object) -> Any:
    """A JSON value for a part of a query; fields that hold their default are left out."""
    if isinstance(value, tuple):
        return [encode(v) for v in value]
    if is_dataclass(value):
        kept = {f.name: getattr(value, f.name) for f in fields(value)}
        defaults = {f.name: f.default for f in fields(value)}
        return {"": _NAMES[type(value)]} | {
            k: encode(v) for k, v in kept.items() if v is not defaults[k] and v != defaults[k]
        }
    return value


def decode(value: Any) -> Any:
    """The part of a query that `encode` made the value from."""
    if isinstance(value, list):
        return tuple(decode(v) for v in value)
    if isinstance(value, dict):
        return _CLASSES[value[""]](**{k: decode(v) for k, v in value.items() if k})
    return value
