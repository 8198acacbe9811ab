"""Facts about a parsed query for rules: its conditions, its sources, and the source of each column."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.errors import FathomError
from fathom.records import Schema, Table

_TRUTH = (exp.And, exp.Or, exp.Paren)
_PARTS = ("group", "having", "distinct", "limit", "offset", "fetch", "with_", "windows", "qualify", "order")


class Unclear(FathomError):
    """A name in the query can't be traced to one table, so no rule may touch it."""


@dataclass(frozen=True, slots=True)
class FromItem:
    """One item of a FROM clause: a base table, or a query of its own (`table` is None). Names are folded."""

    alias: str
    columns: frozenset[str]
    table: Table | None = None


def read_query(sql: str, schema: Schema) -> exp.Query:
    """The query parsed, with every column named after its source. Raises `Unclear`."""
    try:
        tree = parse_one(sql, dialect=schema.dialect)
    except (SqlglotError, RecursionError) as error:
        raise Unclear(str(error)) from error
    if not isinstance(tree, exp.Query):
        raise Unclear("it is no query")
    common = {cte.alias.casefold(): cte for cte in tree.find_all(exp.CTE)}
    for column in list(tree.find_all(exp.Column)):
        if not column.table and not isinstance(column.this, exp.Star):
            _name_source(column, schema, common)
    return tree


def _name_source(column: exp.Column, schema: Schema, common: Mapping[str, exp.CTE]) -> None:
    name = column.name.casefold()
    sorting = column.find_ancestor(exp.Order, exp.Select, exp.SetOperation)
    if isinstance(sorting, exp.Order) and name in _names(sorting.parent):
        return
    select = column.parent_select
    here = select
    while select is not None:
        found = [s for s in sources(select, schema, common) if name in s.columns]
        if len(found) == 1:
            column.set("table", exp.to_identifier(_spelled(select, found[0].alias)))
            return
        if found:
            raise Unclear(f"{column.name} may be of several tables")
        select = select.parent_select
    if here is not None and name in _names(here):
        return
    if schema.dialect != "sqlite" or not column.this.quoted:
        raise Unclear(f"there is no column {column.name}")
    column.replace(exp.Literal.string(column.name))  # as SQLite reads a name in quotes that it doesn't know


def _names(query: exp.Expr | None) -> set[str]:
    return {n.casefold() for n in query.named_selects} if isinstance(query, exp.Query) else set()


def _spelled(select: exp.Select, alias: str) -> exp.Identifier:
    """A source's name as the query writes it."""
    for item in items(select):
        if item.alias_or_name.casefold() == alias:
            given = item.args.get("alias")
            name = given.this if given else item.this
            if isinstance(name, exp.Identifier):
                return name.copy()
    raise Unclear(f"there is no {alias}")


def items(select: exp.Select) -> Iterator[exp.Expr]:
    """Give the items of the FROM clause: tables and queries."""
    if start := select.args.get("from_"):
        yield start.this
    for join in select.args.get("joins") or ():
        yield join.this


def sources(
    select: exp.Select, schema: Schema, common: Mapping[str, exp.CTE] | None = None
) -> list[FromItem]:
    """The items of a FROM clause with their columns. Raises `Unclear` where those aren't known."""
    if common is None:
        common = {cte.alias.casefold(): cte for cte in select.root().find_all(exp.CTE)}
    return [_source(item, schema, common) for item in items(select)]


def _source(item: exp.Expr, schema: Schema, common: Mapping[str, exp.CTE]) -> FromItem:
    alias = item.alias_or_name.casefold()
    if isinstance(item, exp.Table) and item.name.casefold() not in common:
        name = f"{item.db}.{item.name}" if item.db and f"{item.db}.{item.name}" in schema else item.name
        if name not in schema:
            raise Unclear(f"there is no table {name}")
        table = schema.table(name)
        return FromItem(alias, frozenset(c.name.casefold() for c in table.columns), table)
    query = common[item.name.casefold()].this if isinstance(item, exp.Table) else item.this
    if not isinstance(query, exp.Query) or "*" in query.named_selects or not alias:
        raise Unclear("the columns of an inner query aren't named")
    return FromItem(alias, frozenset(n.casefold() for n in query.named_selects))


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that AND joins."""
    if condition is None:
        return []
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def filters(select: exp.Select, clause: str = "where") -> list[exp.Expr]:
    """The conditions of WHERE, or of HAVING."""
    found = select.args.get(clause)
    return conjuncts(found.this) if found else []


def set_filters(select: exp.Select, conditions: Iterable[exp.Expr], clause: str = "where") -> None:
    """Exchange the conditions of WHERE, or of HAVING; none at all takes the clause away."""
    kept = [c.copy() for c in conditions]
    kind = exp.Where if clause == "where" else exp.Having
    select.set(clause, kind(this=exp.and_(*kept, copy=False)) if kept else None)


def only_truth_matters(node: exp.Expr) -> bool:
    """True if the condition decides about rows, so that NULL is as good as false."""
    above = node.parent
    while isinstance(above, _TRUTH):
        above = above.parent
    return isinstance(above, exp.Where | exp.Having) or (
        isinstance(above, exp.Join) and above.args.get("on") is not None
    )


def is_plain(select: exp.Expr | None, *, may_have: tuple[str, ...] = ()) -> bool:
    """True if it is a SELECT of rows as they are: nothing grouped, cut, sorted or made distinct."""
    if not isinstance(select, exp.Select):
        return False
    clauses = not any(select.args.get(part) for part in _PARTS if part not in may_have)
    return clauses and not has_aggregates(select) and select.args.get("from_") is not None


def has_aggregates(select: exp.Select) -> bool:
    """True if the SELECT list computes over several rows."""
    return any(
        node.parent_select is select
        for item in select.expressions
        for node in item.find_all(exp.AggFunc, exp.Window)
    )


def distinct_on(select: exp.Select) -> bool:
    """True if the first row of each group is taken (`DISTINCT ON`), which one a filter may change."""
    distinct = select.args.get("distinct")
    return distinct is not None and bool(distinct.args.get("on"))


def grouping_keys(select: exp.Select) -> list[exp.Expr]:
    """The grouping keys; none where there are several groupings."""
    group = select.args.get("group")
    if group is None or any(group.args.get(kind) for kind in ("rollup", "cube", "grouping_sets", "all")):
        return []
    return list(group.expressions)


def has_star(select: exp.Select) -> bool:
    """True if `*` or `t.*` is selected, so that a change to the tables would change the columns."""
    return any(item.is_star for item in select.expressions)


def aliases_within(node: exp.Expr) -> set[str]:
    """The names, folded, of everything that is read from inside."""
    return {n.alias_or_name.casefold() for n in node.find_all(exp.Table, exp.Subquery) if n.alias_or_name}


def outer_columns(query: exp.Expr) -> list[exp.Column]:
    """The columns in a subquery that belong to a query around it."""
    own = aliases_within(query)
    return [c for c in query.find_all(exp.Column) if c.table and c.table.casefold() not in own]


def inner_query(node: exp.Expr | None) -> exp.Expr | None:
    """The query inside IN (...), EXISTS (...) or brackets."""
    while isinstance(node, exp.Subquery) and not node.alias:
        node = node.this
    return node


def fresh_alias(node: exp.Expr, stem: str) -> str:
    """A name that nothing in the query has."""
    taken = {i.name.casefold() for i in node.root().find_all(exp.Identifier)}
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def written(tree: exp.Query, dialect: str) -> str:
    """The query as text, without the sources' names where there is only one source."""
    for select in tree.find_all(exp.Select):
        alone = not select.args.get("joins") and select.parent_select is None
        if alone and not any(query is not select for query in select.find_all(exp.Query)):
            for column in select.find_all(exp.Column):
                column.set("table", None)
    return tree.sql(dialect=dialect)
