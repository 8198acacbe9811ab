"""Rules that leave out what declared keys make needless: DISTINCT, joins, the duplicates that UNION seeks."""

from collections.abc import Mapping

from sqlglot import exp

from fathom.efficiency.keys import decides_rows, joined_on_key, never_null
from fathom.efficiency.rules.rule import Rule
from fathom.efficiency.tree import (
    distinct_on,
    filters,
    grouping_keys,
    has_aggregates,
    has_star,
    set_filters,
    sources,
)
from fathom.records import Schema


def _has_unique_rows(select: exp.Select, schema: Schema) -> bool:
    """True if no row can come twice, DISTINCT or not."""
    columns = [e.unalias() for e in select.expressions]
    if select.args.get("group"):
        keys = grouping_keys(select)
        return bool(keys) and all(key in columns for key in keys)
    if has_aggregates(select):
        return False
    if any(isinstance(item, exp.Star) for item in columns):
        return decides_rows(select, _all_columns(select, schema), schema)
    return decides_rows(select, [c for c in columns if isinstance(c, exp.Column)], schema)


def _all_columns(select: exp.Select, schema: Schema) -> list[exp.Column]:
    return [exp.column(name, table=s.alias) for s in sources(select, schema) for name in s.columns]


def _needless_distinct(node: exp.Select, schema: Schema) -> bool:
    distinct = node.args.get("distinct")
    if distinct is None or distinct_on(node) or not _has_unique_rows(node, schema):
        return False
    node.set("distinct", None)
    return True


def _needless_count_distinct(node: exp.Count, schema: Schema) -> bool:
    select = node.parent_select
    if select is None or not isinstance(node.this, exp.Distinct) or len(node.this.expressions) != 1:
        return False
    counted = node.this.expressions[0]
    if not isinstance(counted, exp.Column) or not decides_rows(select, [counted], schema):
        return False
    node.set("this", counted.copy())
    return True


def _needless_join(node: exp.Join, schema: Schema) -> bool:
    select = node.parent
    if (
        not isinstance(select, exp.Select)
        or has_star(select)
        or node.side not in ("", "LEFT")
        or node.kind not in ("", "INNER", "OUTER")
    ):
        return False
    source = next(s for s in sources(select, schema) if s.alias == node.alias_or_name.casefold())
    on = {id(c) for c in node.find_all(exp.Column)}
    if any(id(c) not in on and c.table.casefold() == source.alias for c in select.find_all(exp.Column)):
        return False
    equal = joined_on_key(node, source)
    if equal is None or source.table is None or any(s.table is None for s in sources(select, schema)):
        return False
    if not node.side:
        wanted = _never_missing(equal, source.table.name, select, schema)
        if wanted is None:
            return False
        set_filters(select, [*filters(select), *wanted])
    node.pop()
    return True


def _never_missing(
    equal: Mapping[str, exp.Expr], target: str, select: exp.Select, schema: Schema
) -> list[exp.Expr] | None:
    """The conditions that an inner join over a declared key puts on its rows: a value there. None for other
    joins."""
    tables = {s.alias: s.table for s in sources(select, schema)}
    wanted: list[exp.Expr] = []
    ends = []
    for name, other in equal.items():
        table = tables.get(other.table.casefold()) if isinstance(other, exp.Column) else None
        if table is None:
            return None
        ends.append((table.name, other.name.casefold(), name))
        if not never_null(table, other.name, schema.dialect):
            wanted.append(exp.Not(this=exp.Is(this=other.copy(), expression=exp.Null())))
    for key in schema.foreign_keys:
        pairs = {
            (key.table, own.casefold(), there.casefold())
            for own, there in zip(key.columns, key.target_columns, strict=False)
        }
        if not key.inferred and key.target_table == target and pairs == set(ends):
            return wanted
    return None


def _union_to_all(node: exp.Union, schema: Schema) -> bool:
    sides = [node.left, node.right]
    if not node.args.get("distinct") or not all(isinstance(s, exp.Select) for s in sides):
        return False
    left, right = (s for s in sides if isinstance(s, exp.Select))
    unique = all(s.args.get("distinct") or _has_unique_rows(s, schema) for s in (left, right))
    if not unique or not _are_disjoint(left, right):
        return False
    node.set("distinct", False)
    return True


def _are_disjoint(left: exp.Select, right: exp.Select) -> bool:
    """True if some column holds one constant on the left and another one on the right."""
    return any(
        isinstance(a, exp.Literal)
        and isinstance(b, exp.Literal)
        and a.is_string == b.is_string
        and a.this != b.this
        for a, b in zip(_constants(left), _constants(right), strict=False)
    )


def _constants(select: exp.Select) -> list[exp.Expr | None]:
    """For each column the constant that it always holds, by being one or by a filter."""
    fixed = {
        f.left.sql(): f.right
        for f in filters(select)
        if isinstance(f, exp.EQ) and isinstance(f.right, exp.Literal)
    }
    items = [e.unalias() for e in select.expressions]
    return [e if isinstance(e, exp.Literal) else fixed.get(e.sql()) for e in items]


RULES = (
    Rule(
        "needless-distinct", "DISTINCT left out where keys keep rows apart", (exp.Select,), _needless_distinct
    ),
    Rule(
        "needless-count-distinct",
        "COUNT(DISTINCT key) without DISTINCT",
        (exp.Count,),
        _needless_count_distinct,
    ),
    Rule(
        "needless-join",
        "a join left out that neither adds columns nor removes rows",
        (exp.Join,),
        _needless_join,
    ),
    Rule("union-to-all", "UNION ALL where no row can come twice", (exp.Union,), _union_to_all),
)
