"""Cells whose text holds no value, read as NULL where a query tests, counts, sorts or compares them."""

from sqlglot import exp

from fathom.forms.columns import ColumnForm
from fathom.forms.expressions import held_value, holds_none, is_within

_COMPARING = (
    *(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Ordered, exp.Min, exp.Max, exp.Sum, exp.Avg),
    *(exp.Length, exp.Coalesce, exp.AggFunc),
)


def without_placeholders(node: exp.Expr, column: exp.Column, form: ColumnForm, dialect: str) -> bool:
    """Read one column with NULL for its placeholders, in its place; tells whether that changed the query."""
    parent = node.parent
    if isinstance(parent, exp.Is) and isinstance(parent.expression, exp.Null):
        tested = holds_none(form, column)
        if is_within(column, tested, dialect):
            return False
        parent.replace(tested)
        return True
    counted = isinstance(parent, exp.Count) or (
        isinstance(parent, exp.Distinct) and isinstance(parent.parent, exp.Count)
    )
    compared = form.kind == "placeholder" and isinstance(parent, _COMPARING)
    read = held_value(form, column)
    if not (counted or compared) or is_within(column, read, dialect):
        return False
    if isinstance(parent, exp.Ordered):
        parent.set("nulls_first", False)
    column.replace(read)
    return True


def taken_as_none(column: exp.Column, form: ColumnForm, dialect: str) -> str:
    """Say which texts of a column a query takes as no value; "" where it doesn't."""
    if not form.placeholders or not any(
        is_within(column, read(form, column), dialect) for read in (holds_none, held_value)
    ):
        return ""
    texts = [f"\u201c{text}\u201d" if text.strip() else "empty text" for text in form.placeholders]
    return f"In {form.column}, {' and '.join(texts)} counts as no value."
