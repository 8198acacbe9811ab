"""Rules that put conditions elsewhere, or several conditions into one."""

from itertools import pairwise

from sqlglot import exp

from fathom.efficiency.rules.rule import Rule
from fathom.efficiency.tree import distinct_on, filters, grouping_keys, has_aggregates, set_filters
from fathom.records import Schema


def _union_to_or(node: exp.Union, schema: Schema) -> bool:
    left, right = node.left, node.right
    if not node.args.get("distinct") or not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
        return False
    if any(has_aggregates(s) or s.args.get("limit") or not s.args.get("where") for s in (left, right)):
        return False
    if any(map(distinct_on, (left, right))):
        return False
    one, other = (_without_filters(s) for s in (left, right))
    if (
        one != other
        or left.args.get("group")
        or any(node.args.get(c) for c in ("order", "limit", "offset", "with_"))
    ):
        return False
    either = exp.Or(
        this=exp.paren(left.args["where"].this.copy()), expression=exp.paren(right.args["where"].this.copy())
    )
    one.set("where", exp.Where(this=either))
    one.set("distinct", exp.Distinct())
    node.replace(one)
    return True


def _without_filters(select: exp.Select) -> exp.Select:
    bare = select.copy()
    bare.set("where", None)
    bare.set("distinct", None)
    return bare


def _having_to_where(node: exp.Select, schema: Schema) -> bool:
    keys = grouping_keys(node)
    if not keys or not node.args.get("having"):
        return False

    def is_of_keys(condition: exp.Expr) -> bool:
        columns = list(condition.find_all(exp.Column))
        return (
            bool(columns)
            and all(c in keys and c.table for c in columns)
            and condition.find(exp.AggFunc, exp.Query) is None
        )

    moved = [f for f in filters(node, "having") if is_of_keys(f)]
    if not moved:
        return False
    kept = [f for f in filters(node, "having") if f not in moved]
    set_filters(node, [*filters(node), *moved])
    set_filters(node, kept, "having")
    return True


def _push_down(node: exp.Subquery, schema: Schema) -> bool:
    """Filters on a derived table, moved into it: on plain columns, or on what it groups by."""
    outer, inner = node.parent_select, node.this
    if (
        not node.alias
        or not isinstance(inner, exp.Select)
        or not isinstance(node.parent, exp.From)
        or outer is None
    ):
        return False
    if any(inner.args.get(c) for c in ("limit", "offset", "windows", "with_")) or distinct_on(inner):
        return False
    if inner.find(exp.Window) is not None:
        return False
    group = inner.args.get("group")
    named = {e.alias_or_name.casefold(): e.unalias() for e in inner.expressions}
    if not group and has_aggregates(inner):
        return False
    keys = grouping_keys(inner) if group else [c for c in named.values() if isinstance(c, exp.Column)]
    moved = []
    for condition in filters(outer):
        columns = list(condition.find_all(exp.Column))
        inside = [
            named.get(c.name.casefold()) for c in columns if c.table.casefold() == node.alias.casefold()
        ]
        whole = columns and len(inside) == len(columns) and condition.find(exp.Query, exp.AggFunc) is None
        if whole and all(i is not None and i in keys for i in inside):
            moved.append(condition)
    if not moved or any(j.side in ("RIGHT", "FULL") for j in outer.args.get("joins") or ()):
        return False
    kept = [f for f in filters(outer) if f not in moved]
    pushed = [
        m.copy().transform(lambda n: named[n.name.casefold()].copy() if isinstance(n, exp.Column) else n)
        for m in moved
    ]
    set_filters(inner, [*filters(inner), *pushed])
    set_filters(outer, kept)
    return True


def _or_to_in(node: exp.Or, schema: Schema) -> bool:
    if isinstance(node.parent, exp.Or):
        return False
    parts = [p for p in (part.unnest() for part in node.flatten()) if isinstance(p, exp.EQ)]
    if len(parts) < sum(1 for _ in node.flatten()) or not all(
        isinstance(p.right, exp.Literal) for p in parts
    ):
        return False
    if any(a.left != b.left for a, b in pairwise(parts)) or not isinstance(parts[0].left, exp.Column):
        return False
    found = exp.In(this=parts[0].left.copy(), expressions=[p.right.copy() for p in parts])
    (node.parent if isinstance(node.parent, exp.Paren) else node).replace(found)
    return True


RULES = (
    Rule("union-to-or", "two queries of the same rows as one, with OR", (exp.Union,), _union_to_or),
    Rule(
        "having-to-where",
        "conditions on the grouping columns before grouping",
        (exp.Select,),
        _having_to_where,
    ),
    Rule("push-down", "conditions moved into the inner query that they filter", (exp.Subquery,), _push_down),
    Rule("or-to-in", "equalities of one column joined by OR as IN (...)", (exp.Or,), _or_to_in),
)
