"""The order and ties of the gold query's result, read from its parse."""

from dataclasses import dataclass

from sqlglot import exp

from fathom.databases.parsing import parsed

_KEY = "fathom_key_"


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """How a query orders and cuts its result.

    `keys` is the number of sorting keys (0: any order); `uncut` is the same query without its limit, with
    the keys as last columns; `offset` and `limit` are what it cuts, None where it doesn't.
    """

    keys: int
    uncut: str
    offset: int
    limit: int | None


def orders_result(sql: str, dialect: str) -> bool:
    """True if the outermost query has an ORDER BY; False where it can't be parsed."""
    tree = _parse(sql, dialect)
    return tree is not None and bool(tree.args.get("order"))


def read_ordering(sql: str, dialect: str) -> ResultOrder | None:
    """The outermost query's order and cut; None where it has neither, or can't be parsed."""
    tree = _parse(sql, dialect)
    if tree is None or not (tree.args.get("order") or tree.args.get("limit") or tree.args.get("fetch")):
        return None
    limit, offset = _count(tree.args.get("limit") or tree.args.get("fetch")), _count(tree.args.get("offset"))
    if "unknown" in (limit, offset):
        return None
    order = tree.args.get("order")
    keys = list(order.expressions) if order else []
    for part in ("limit", "offset", "fetch"):
        tree.set(part, None)
    uncut = _with_keys(tree, keys)
    if uncut is None:
        return None
    return ResultOrder(
        len(keys), uncut.sql(dialect=dialect), int(offset or 0), None if limit is None else int(limit)
    )


def _parse(sql: str, dialect: str) -> exp.Query | None:
    tree = parsed(sql, dialect)
    while isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
        tree = tree.this
    return tree if isinstance(tree, exp.Query) else None


def _count(cut: exp.Expr | None) -> str | None:
    """The number in a LIMIT or OFFSET; `unknown` where it is not a plain number."""
    if cut is None:
        return None
    number = cut.args.get("expression") or cut.args.get("count")
    if isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit():
        return number.name
    return "unknown"


def _with_keys(tree: exp.Query, order: list[exp.Ordered]) -> exp.Query | None:
    """The query with its sorting keys as further columns."""
    if not order:
        return tree
    if isinstance(tree, exp.Select) and not tree.args.get("distinct"):
        selected = list(tree.expressions)
        for number, item in enumerate(order):
            key = _spelled_out(item.this.copy(), selected)
            tree.append("expressions", exp.alias_(key, f"{_KEY}{number}"))
        return tree
    return _around(tree, order)


def _spelled_out(key: exp.Expr, selected: list[exp.Expr]) -> exp.Expr:
    """A key given by position or alias, as the expression that it stands for."""
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        place = int(key.name) - 1
        return selected[place].unalias().copy() if place < len(selected) else key
    if isinstance(key, exp.Column) and not key.table:
        for item in selected:
            if isinstance(item, exp.Alias) and item.alias.casefold() == key.name.casefold():
                alias: exp.Expr = item.this.copy()
                return alias
    return key


def _around(tree: exp.Query, order: list[exp.Ordered]) -> exp.Query | None:
    """For DISTINCT and set operations, whose keys are among the columns: a query around it names them."""
    names = [str(name).casefold() for name in tree.named_selects]
    outer = exp.select("*").from_(tree.subquery("gold"))
    for number, item in enumerate(order):
        key = item.this
        if isinstance(key, exp.Literal) and key.name.isdigit():
            place = int(key.name) - 1
        else:
            name = key.name.casefold() if isinstance(key, exp.Column) else ""
            place = names.index(name) if name and name in names else len(names)
        if place >= len(names) or not names[place]:
            return None
        column = exp.column(exp.to_identifier(tree.named_selects[place], quoted=True))
        sorting = item.copy()
        sorting.set("this", column.copy())
        outer = outer.select(exp.alias_(column, f"{_KEY}{number}")).order_by(sorting)
    return outer
