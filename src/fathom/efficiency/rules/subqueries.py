"""Rules about queries inside conditions: IN, EXISTS, aggregates per outer row."""

from sqlglot import exp

from fathom.efficiency.keys import column_never_null, unique_keys
from fathom.efficiency.rules.rule import Rule
from fathom.efficiency.tree import (
    FromItem,
    aliases_within,
    filters,
    fresh_alias,
    has_aggregates,
    has_star,
    inner_query,
    is_plain,
    only_truth_matters,
    outer_columns,
    set_filters,
    sources,
)
from fathom.records import Schema


def _in_to_exists(node: exp.In, schema: Schema) -> bool:
    query = inner_query(node.args.get("query"))
    if not (
        only_truth_matters(node) and isinstance(query, exp.Select) and is_plain(query, may_have=("distinct",))
    ):
        return False
    value, selected = node.this, query.expressions[0].unalias()
    if has_star(query) or len(query.expressions) != 1 or _captured(value, query):
        return False
    query.set("distinct", None)
    set_filters(query, [*filters(query), exp.EQ(this=selected.copy(), expression=value.copy())])
    query.set("expressions", [exp.Literal.number(1)])
    node.replace(exp.Exists(this=query))
    return True


def _captured(value: exp.Expr, query: exp.Select) -> bool:
    """True if a name in the value would mean another table inside the query."""
    names = {c.table.casefold() for c in value.find_all(exp.Column)}
    return "" in names or bool(names & aliases_within(query)) or value.find(exp.Query) is not None


def _exists_to_in(node: exp.Exists, schema: Schema) -> bool:
    query = node.this
    if not isinstance(query, exp.Select) or not is_plain(query, may_have=("distinct", "limit")):
        return False
    found = _correlation(query)
    if found is None or (query.args.get("limit") and query.args["limit"].expression.name == "0"):
        return False
    inner, outer, others = found
    condition = node.parent if isinstance(node.parent, exp.Not) else node
    if not only_truth_matters(condition):
        return False
    query.set("limit", None)
    query.set("distinct", None)
    query.set("expressions", [inner.copy()])
    member = exp.In(this=outer.copy(), query=exp.Subquery(this=query))
    if condition is node:
        set_filters(query, others)
        node.replace(member)
        return True
    # NOT IN knows nothing of a NULL on either side, where NOT EXISTS finds no partner.
    set_filters(query, [*others, _is_given(inner)])
    absent: exp.Expr = exp.Not(this=member)
    select = node.parent_select
    if select is None or not column_never_null(outer, select, schema):
        unknown = exp.Is(this=outer.copy(), expression=exp.Null())
        absent = exp.Paren(this=exp.Or(this=unknown, expression=absent))
    condition.replace(absent)
    return True


def _is_given(column: exp.Column) -> exp.Expr:
    return exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))


def _correlation(query: exp.Select) -> tuple[exp.Column, exp.Column, list[exp.Expr]] | None:
    """The inner and outer column of the only equality that ties a subquery to its row; its other filters."""
    outer = {id(c) for c in outer_columns(query)}
    ties = [
        f
        for f in filters(query)
        if isinstance(f, exp.EQ) and any(id(c) in outer for c in f.find_all(exp.Column))
    ]
    if len(outer) != 1 or len(ties) != 1:
        return None
    left, right = ties[0].left, ties[0].right
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return None
    inner, outside = (right, left) if id(left) in outer else (left, right)
    return inner, outside, [f for f in filters(query) if f is not ties[0]]


def _in_to_join(node: exp.In, schema: Schema) -> bool:
    query, outer = inner_query(node.args.get("query")), node.parent_select
    if not (isinstance(query, exp.Select) and is_plain(query, may_have=("distinct",)) and outer is not None):
        return False
    if not isinstance(node.parent, exp.Where | exp.And) or node not in filters(outer) or has_star(outer):
        return False
    inside = sources(query, schema)
    selected = query.expressions[0].unalias()
    if len(inside) != 1 or inside[0].table is None or len(query.expressions) != 1 or outer_columns(query):
        return False
    is_key = isinstance(selected, exp.Column) and {selected.name.casefold()} in unique_keys(inside[0].table)
    if (
        not is_key
        or inside[0].alias in aliases_within(outer) - aliases_within(query)
        or query.find(exp.Subquery)
    ):
        return False
    if sum(s.alias_or_name.casefold() == inside[0].alias for s in outer.find_all(exp.Table)) > 1:
        return False
    tie = exp.EQ(this=selected.copy(), expression=node.this.copy())
    kept = [*(f for f in filters(outer) if f is not node), *filters(query)]
    item = query.args["from_"].this.copy()
    set_filters(outer, kept)
    outer.append("joins", exp.Join(this=item, on=tie))
    return True


def _aggregate_to_join(node: exp.Subquery, schema: Schema) -> bool:
    query, outer = node.this, node.parent_select
    if node.alias or not isinstance(query, exp.Select) or outer is None or has_star(outer):
        return False
    if isinstance(node.parent, exp.From | exp.Join | exp.In | exp.Exists) or outer.args.get("from_") is None:
        return False
    grouped = outer.args.get("group") or has_aggregates(outer)
    place = node.find_ancestor(exp.Where, exp.Join, exp.Select)
    if isinstance(place, exp.Join) or (grouped and not isinstance(place, exp.Where)):
        return False
    clauses = ("group", "having", "distinct", "limit", "offset", "order", "with_", "windows")
    found = None if any(query.args.get(c) for c in clauses) else _correlation(query)
    value = query.expressions[0].unalias()
    if (
        found is None
        or len(query.expressions) != 1
        or not isinstance(value, exp.Max | exp.Min | exp.Sum | exp.Avg | exp.Count)
    ):
        return False
    inner, outside, others = found
    if outside.table.casefold() not in {s.alias for s in sources(outer, schema)}:
        return False
    name, key, result = fresh_alias(node, "grouped"), fresh_alias(node, "key"), fresh_alias(node, "value")
    set_filters(query, others)
    query.set("expressions", [exp.alias_(inner.copy(), key), exp.alias_(value.copy(), result)])
    query.set("group", exp.Group(expressions=[inner.copy()]))
    tie = exp.EQ(this=exp.column(key, table=name), expression=outside.copy())
    item = exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier(name)))
    found_value: exp.Expr = exp.column(result, table=name)
    if isinstance(value, exp.Count):
        found_value = exp.Coalesce(this=found_value, expressions=[exp.Literal.number(0)])
    node.replace(found_value)
    outer.append("joins", exp.Join(this=item, side="LEFT", on=tie))
    return True


def _count_to_exists(node: exp.GT, schema: Schema) -> bool:
    query = inner_query(node.left)
    if (
        not isinstance(query, exp.Select)
        or node.right.sql() != "0"
        or not isinstance(node.left, exp.Subquery)
    ):
        return False
    counted = query.expressions[0].unalias()
    if (
        len(query.expressions) != 1
        or not isinstance(counted, exp.Count)
        or not isinstance(counted.this, exp.Star)
    ):
        return False
    plain = query.copy()
    plain.set("expressions", [exp.Literal.number(1)])
    if not is_plain(plain):
        return False
    node.replace(exp.Exists(this=plain))
    return True


def _without_order(node: exp.Select, schema: Schema) -> bool:
    above = node.parent.parent if isinstance(node.parent, exp.Subquery) else node.parent
    if not isinstance(above, exp.In | exp.Exists) or node.args.get("limit") or node.args.get("offset"):
        return False
    if isinstance(above, exp.In) and above.this is node:
        return False
    needless = [c for c in ("order", "distinct") if node.args.get(c)]
    for clause in needless:
        node.set(clause, None)
    return bool(needless)


def _first_to_extreme(node: exp.Subquery, schema: Schema) -> bool:
    query = node.this
    if node.alias or isinstance(node.parent, exp.From | exp.Join | exp.In | exp.Exists):
        return False
    if not is_plain(query, may_have=("order", "limit")) or not query.args.get("order"):
        return False
    limit, order = query.args.get("limit"), query.args["order"].expressions
    value = query.expressions[0].unalias()
    if limit is None or limit.expression.name != "1" or len(order) != 1 or len(query.expressions) != 1:
        return False
    falling = bool(order[0].args.get("desc"))
    if not isinstance(value, exp.Column) or order[0].this.name != value.name:
        return False
    nulls_last = not order[0].args.get("nulls_first")
    if not nulls_last and not column_never_null(value, query, schema):
        return False
    extreme = exp.Max(this=value.copy()) if falling else exp.Min(this=value.copy())
    query.set("order", None)
    query.set("limit", None)
    query.set("expressions", [extreme])
    return True


def _extreme_to_first(node: exp.EQ, schema: Schema) -> bool:
    select, column = node.parent_select, node.left
    if select is None or not is_plain(select) or filters(select) != [node] or select.args.get("joins"):
        return False
    here = sources(select, schema)[0]
    extreme = _extreme_of(inner_query(node.right), here, schema)
    if extreme is None or not isinstance(column, exp.Column) or here.table is None:
        return False
    name = column.name.casefold()
    if extreme.this.name.casefold() != name or {name} not in unique_keys(here.table):
        return False
    if not column_never_null(column, select, schema):
        return False
    falling = isinstance(extreme, exp.Max)
    nulls_first = not falling and schema.dialect in ("sqlite", "mysql")  # as there by default: nothing to say
    select.set("where", None)
    select.set(
        "order", exp.Order(expressions=[exp.Ordered(this=column, desc=falling, nulls_first=nulls_first)])
    )
    select.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return True


def _extreme_of(query: exp.Expr | None, wanted: FromItem, schema: Schema) -> exp.Max | exp.Min | None:
    """The MAX or MIN of a column over the whole of one table, if that is what the query gives."""
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or filters(query):
        return None
    value = query.expressions[0].unalias()
    bare = query.copy()
    bare.set("expressions", [exp.Literal.number(1)])
    if (
        not isinstance(value, exp.Max | exp.Min)
        or not isinstance(value.this, exp.Column)
        or not is_plain(bare)
    ):
        return None
    inside = sources(query, schema)
    return value if len(inside) == 1 and inside[0].table is wanted.table else None


RULES = (
    Rule("in-to-exists", "IN (SELECT ...) asked as EXISTS, row by row", (exp.In,), _in_to_exists),
    Rule("exists-to-in", "EXISTS asked once for all rows, as IN (SELECT ...)", (exp.Exists,), _exists_to_in),
    Rule("in-to-join", "IN (SELECT key ...) as a join on that key", (exp.In,), _in_to_join),
    Rule(
        "aggregate-to-join",
        "a subquery for every row grouped once and joined",
        (exp.Subquery,),
        _aggregate_to_join,
    ),
    Rule(
        "count-to-exists", "COUNT(*) > 0 as EXISTS, which stops at the first row", (exp.GT,), _count_to_exists
    ),
    Rule(
        "needless-order", "ORDER BY and DISTINCT inside IN or EXISTS left out", (exp.Select,), _without_order
    ),
    Rule(
        "first-to-extreme",
        "ORDER BY ... LIMIT 1 of one value as MAX or MIN",
        (exp.Subquery,),
        _first_to_extreme,
    ),
    Rule(
        "extreme-to-first",
        "a key equal to its MAX or MIN as ORDER BY ... LIMIT 1",
        (exp.EQ,),
        _extreme_to_first,
    ),
)
