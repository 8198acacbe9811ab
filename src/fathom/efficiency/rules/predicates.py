"""Rules that free an indexed column from what stands around it in a condition."""

from sqlglot import exp

from fathom.efficiency.rules.rule import Rule
from fathom.efficiency.tree import only_truth_matters, sources
from fathom.records import Column, Schema
from fathom.records.schema import DATED, NUMERIC

_YEARS = range(1, 9999)


def _described(column: exp.Expr | None, schema: Schema) -> Column | None:
    """Find the schema's record of a column of a base table."""
    if not isinstance(column, exp.Column) or column.parent_select is None:
        return None
    for source in sources(column.parent_select, schema):
        if source.alias == column.table.casefold() and source.table is not None:
            return source.table.column(column.name)
    return None


def _bare_cast(node: exp.Cast, schema: Schema) -> bool:
    column = _described(node.this, schema)
    if column is None or not isinstance(node.parent, exp.Binary | exp.In | exp.Between):
        return False
    kinds = {
        "integer": exp.DataType.INTEGER_TYPES,
        "text": exp.DataType.TEXT_TYPES,
        "number": exp.DataType.REAL_TYPES,
    }
    if node.to.this not in kinds.get(column.kind, ()) or node.to.expressions:
        return False
    node.replace(node.this.copy())
    return True


def _bare_sum(node: exp.Add, schema: Schema) -> bool:
    column = _described(node.left, schema)
    if column is None or column.kind not in NUMERIC or node.right.sql() != "0":
        return False
    if not isinstance(node.parent, exp.Predicate):
        return False
    node.replace(node.left.copy())
    return True


def _bare_coalesce(node: exp.Coalesce, schema: Schema) -> bool:
    """COALESCE(c, d) = x is c = x where d is a constant other than x."""
    condition, default = node.parent, node.expressions[0]
    if not isinstance(condition, exp.EQ) or condition.left is not node or len(node.expressions) != 1:
        return False
    literals = isinstance(default, exp.Literal) and isinstance(condition.right, exp.Literal)
    if not literals or default.is_string != condition.right.is_string or default.this == condition.right.this:
        return False
    if _described(node.this, schema) is None or not only_truth_matters(condition):
        return False
    node.replace(node.this.copy())
    return True


def _year_to_range(node: exp.EQ, schema: Schema) -> bool:
    """The year of an ISO date in text, taken by strftime or substr, as a range of text."""
    column, year = _year_of(node.left), _number(node.right)
    described = _described(column, schema)
    if column is None or described is None or described.kind not in {"text", *DATED}:
        return False
    if year is None or year not in _YEARS or schema.dialect != "sqlite" or not only_truth_matters(node):
        return False
    # The hyphen keeps SQLite from taking the text for a number where the column's type is not TEXT.
    mark = "" if described.kind == "text" and isinstance(node.left, exp.Substring) else "-"
    low = exp.GTE(this=column.copy(), expression=exp.Literal.string(f"{year:04}{mark}"))
    high = exp.LT(this=column.copy(), expression=exp.Literal.string(f"{year + 1:04}{mark}"))
    node.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    return True


def _number(node: exp.Expr) -> int | None:
    return int(node.name) if isinstance(node, exp.Literal) and node.name.isdigit() else None


def _year_of(node: exp.Expr) -> exp.Column | None:
    """The column whose year is computed."""
    if isinstance(node, exp.Cast):
        node = node.this
    if isinstance(node, exp.Substring):
        first, count = (_number(node.args.get(a) or exp.Null()) for a in ("start", "length"))
        inner = node.this if (first, count) == (1, 4) else None
    elif isinstance(node, exp.TimeToStr):
        inner = node.this if node.args["format"].name == "%Y" else None
    else:
        return None
    while isinstance(inner, exp.TsOrDsToTimestamp | exp.TsOrDsToDate | exp.Cast):
        inner = inner.this
    return inner if isinstance(inner, exp.Column) else None


def _date_part_to_range(node: exp.EQ, schema: Schema) -> bool:
    """The year of a DATE or TIMESTAMP column as a range of dates."""
    part, year = node.left, _number(node.right)
    if isinstance(part, exp.Extract):
        column = part.expression if part.name.casefold() == "year" else None
    else:
        column = part.this if isinstance(part, exp.Year) else None
    while isinstance(column, exp.TsOrDsToDate):
        column = column.this
    described = _described(column, schema)
    if column is None or described is None or described.kind not in DATED or year not in _YEARS:
        return False
    if year is None or schema.dialect == "sqlite":
        return False
    ends = [exp.cast(exp.Literal.string(f"{y:04}-01-01"), "date") for y in (year, year + 1)]
    low = exp.GTE(this=column.copy(), expression=ends[0])
    high = exp.LT(this=column.copy(), expression=ends[1])
    node.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    return True


def _prefix_to_range(node: exp.Like, schema: Schema) -> bool:
    """LIKE 'prefix%' as a range, where the prefix has no letters, whose case LIKE may not heed."""
    pattern, column = node.expression, _described(node.this, schema)
    if (
        column is None
        or column.kind != "text"
        or not isinstance(pattern, exp.Literal)
        or isinstance(node.parent, exp.Escape)
        or node.args.get("negate")  # NOT LIKE
    ):
        return False
    if schema.dialect not in ("sqlite", "duckdb"):  # elsewhere text may sort by a language's rules
        return False
    prefix = pattern.name.removesuffix("%")
    plain = prefix and pattern.name == f"{prefix}%" and not set(prefix) & set("%_")
    if not plain or not all(c.isascii() and not c.isalpha() and c.isprintable() for c in prefix):
        return False
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    low = exp.GTE(this=node.this.copy(), expression=exp.Literal.string(prefix))
    high = exp.LT(this=node.this.copy(), expression=exp.Literal.string(after))
    node.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    return True


RULES = (
    Rule("bare-cast", "a CAST left out that changes nothing", (exp.Cast,), _bare_cast),
    Rule("bare-sum", "`+ 0` left out, which hides the column from its index", (exp.Add,), _bare_sum),
    Rule("bare-coalesce", "COALESCE left out where its default can't match", (exp.Coalesce,), _bare_coalesce),
    Rule(
        "year-to-range", "the year of a date as a range, which an index can find", (exp.EQ,), _year_to_range
    ),
    Rule("date-to-range", "the year of a date as a range of dates", (exp.EQ,), _date_part_to_range),
    Rule("prefix-to-range", "LIKE with a fixed beginning as a range", (exp.Like,), _prefix_to_range),
)
