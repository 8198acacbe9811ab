"""Queries and sketches as JSON values, for the weights file."""

from dataclasses import fields, is_dataclass
from typing import Any

from fathom.offline.queries import query as q

_CLASSES = {
    c.__name__: c
    for c in (
        q.Aggregate, q.Arithmetic, q.Call, q.Case, q.Column, q.Comparison, q.Compound, q.Connective, q.Items,
        q.Join, q.Literal, q.Ordering, q.Query, q.SourceColumn, q.Star, q.Subquery, q.TableRef,
    )
}  # fmt: skip


def encode(value: object) -> Any:
    """A JSON value for a part of a query; fields that hold their default are left out."""
    if isinstance(value, tuple):
        return [encode(v) for v in value]
    if is_dataclass(value):
        kept = {f.name: getattr(value, f.name) for f in fields(value)}
        defaults = {f.name: f.default for f in fields(value)}
        return {"": type(value).__name__} | {
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
