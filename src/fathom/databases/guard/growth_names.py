"""The items, conditions and outputs of a query, as far as growth is concerned."""

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from fathom.databases.guard.growth_rows import compared
from fathom.databases.guard.sizes import name_of
from fathom.databases.guard.value_sizes import MOST
from fathom.databases.guard.values import GROWERS, is_collector

_BINDING = (exp.EQ, exp.Between, exp.Like, exp.ILike, exp.In, exp.ArrayContainsAll, exp.ArrayOverlaps)
"""Conditions that leave few pairs of two tables' rows; `<` alone leaves half of them."""
_ROW_FUNCTIONS = frozenset(
    """
    explode exploding_generate_series generate_series generate_subscripts json_array_elements
    json_array_elements_text json_each json_each_text json_object_keys json_populate_recordset
    jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys
    jsonb_path_query jsonb_populate_recordset regexp_matches regexp_split_to_table string_to_table
    """.split()
)
_STEPS = (exp.Subquery, exp.CTE, exp.SetOperation, exp.Lateral)
_COPIED = (exp.Between, exp.Dot)
_FEW = 2  # of what is written down several times: within each other they multiply
_INNER = (exp.Select, exp.SetOperation, exp.Subquery, exp.Window)


def is_flat(nodes: Sequence[exp.Expr]) -> bool:
    """True for a statement in which nothing can multiply: one query without steps, as most are."""
    copied = 0
    for node in nodes:
        if isinstance(node, _STEPS) or (isinstance(node, exp.In) and _compared_singly(node)):
            return False
        copied += isinstance(node, _COPIED)
    return copied < _FEW


def _compared_singly(node: exp.In) -> bool:
    """True for a list that is one comparison each: of rows, or of what isn't a constant."""
    is_row = isinstance(node.this, exp.Tuple)
    return any(is_row or not isinstance(item, exp.Literal) for item in node.expressions)


def is_prone(nodes: Sequence[exp.Expr]) -> bool:
    """True if a query without steps has a call by which values may grow beyond what stands there."""
    collects = spreads = False
    for node in nodes:
        if isinstance(node, exp.Func):
            name = name_of(node)
            if name in GROWERS:
                return True
            collects = collects or is_collector(node) or _gathers(node)
            spreads = spreads or name in _ROW_FUNCTIONS
        elif isinstance(node, (exp.Join, exp.Lateral)):
            spreads = True
    return collects and spreads


def _gathers(call: exp.Func) -> bool:
    """True for ARRAY(SELECT ...)."""
    return isinstance(call, exp.Array) and isinstance(next(iter(call.expressions), None), exp.Query)


def pairs_bound(join: exp.Join) -> bool:
    """True if a join has a condition that binds its rows to others."""
    if join.args.get("using") or join.args.get("method"):
        return True
    on = join.args.get("on")
    return on is not None and any(_binds(found) for found in on.find_all(*_BINDING))


def bounds_pairs(select: exp.Select) -> int:
    """How many conditions of WHERE bind the rows of two items of FROM."""
    where = select.args.get("where")
    if where is None or not select.args.get("joins"):
        return 0
    return sum(_binds(found) and found.parent_select is select for found in where.find_all(*_BINDING))


def _binds(condition: exp.Expr) -> bool:
    columns = list(condition.find_all(exp.Column))
    tables = {compared(column.args.get("table")) for column in columns}
    return len(tables) > 1 or (len(columns) > 1 and "" in tables)


def correlates(query: exp.Expr) -> bool:
    """True if a condition of a query binds its rows to those of a query around."""
    if isinstance(query, exp.Subquery):
        return correlates(query.this)
    if not isinstance(query, exp.Select):
        return False
    clause = query.args.get("from_")
    joins = query.args.get("joins") or ()
    items = [*([clause.this] if clause is not None else ()), *(join.this for join in joins)]
    own = {item.alias_or_name.casefold() for item in items}
    conditions = [query.args.get("where"), *(join.args.get("on") for join in joins)]
    for found in (f for c in conditions if c is not None for f in c.find_all(*_BINDING)):
        tables = {column.table.casefold() for column in found.find_all(exp.Column)} - {""}
        if tables - own:
            return True
    return False


def gives_one_row(select: exp.Select) -> bool:
    """True if aggregates make one row of all, where nothing is grouped."""
    if select.args.get("group"):
        return False
    left = list(select.expressions)
    while left:
        node = left.pop()
        if isinstance(node, exp.AggFunc) or is_collector(node):
            return True
        if not isinstance(node, _INNER):
            left += node.iter_expressions()
    return False


def row_functions(outputs: Iterable[exp.Expr]) -> Iterator[exp.Func]:
    """The calls in a list of outputs that give several rows."""
    left = list(outputs)
    while left:
        node = left.pop()
        if isinstance(node, exp.Func) and name_of(node) in _ROW_FUNCTIONS:
            yield node
        if not isinstance(node, _INNER):
            left += node.iter_expressions()


def limit_of(query: exp.Expr) -> float:
    """The most rows that LIMIT or FETCH lets a query give."""
    for key in ("limit", "fetch"):
        clause = query.args.get(key)
        most = clause.args.get("count" if isinstance(clause, exp.Fetch) else "expression") if clause else None
        if isinstance(most, exp.Literal) and most.name.isdecimal():
            return float(most.name[:300])
    return MOST


def names_itself(table: exp.CTE) -> bool:
    """True for a table of WITH RECURSIVE that its own query names."""
    with_ = table.parent
    if not (isinstance(with_, exp.With) and with_.args.get("recursive")):
        return False
    name = compared(table.args["alias"].this)
    return any(compared(found.this) == name for found in table.this.find_all(exp.Table))


def is_joined(item: exp.Expr) -> bool:
    """True for tables and joins in parentheses, False for a query in them."""
    inner = item.this if isinstance(item, exp.Subquery) else None
    if isinstance(inner, exp.Subquery):
        return any(inner.args.get(key) for key in ("alias", "joins")) or is_joined(inner)
    return isinstance(inner, exp.Table)


def alias_of(item: exp.Expr) -> tuple[str, list[str]]:
    """Name an item of FROM and its columns, as `AS t(a, b)` does."""
    alias = item.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return "", []
    columns = (c.this if isinstance(c, exp.ColumnDef) else c for c in alias.columns)
    return compared(alias.this), [compared(column) for column in columns]


def name_of_output(output: exp.Expr) -> str:
    """The name of a column of a result, "" where the engine makes one up."""
    while isinstance(output, (exp.Cast, exp.Paren, exp.Collate)):
        output = output.this
    if isinstance(output, exp.Alias):
        return compared(output.args.get("alias"))
    return compared(output.this) if isinstance(output, exp.Column) else ""
