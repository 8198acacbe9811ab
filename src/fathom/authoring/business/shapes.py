"""The queries of business questions: a shape each, over a subject, a quantity and what it is grouped by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp, parse_one

from fathom.authoring.business.roles import BusinessMeasure, Calendar, Grouping, Place, Subject
from fathom.databases.database import Database
from fathom.records import ForeignKey

_PERIODS = {
    "sqlite": {"year": "STRFTIME('%Y', {})", "month": "STRFTIME('%Y-%m', {})"},
    "duckdb": {"year": "STRFTIME({}, '%Y')", "month": "STRFTIME({}, '%Y-%m')"},
    "postgres": {"year": "TO_CHAR({}, 'YYYY')", "month": "TO_CHAR({}, 'YYYY-MM')"},
    "mysql": {"year": "DATE_FORMAT({}, '%Y')", "month": "DATE_FORMAT({}, '%Y-%m')"},
}


@dataclass(frozen=True, slots=True)
class Binding:
    """The values of a pattern's slots."""

    subject: Subject
    quantity: BusinessMeasure
    second: BusinessMeasure | None = None
    group: Grouping | None = None
    other: Grouping | None = None
    entity: Grouping | None = None


class QueryParts:
    """The pieces that queries about one binding are put together from, quoted as the engine does."""

    def __init__(self, database: Database, bound: Binding) -> None:
        self._database, self._bound = database, bound
        self._aliases: dict[tuple[ForeignKey, ...], str] = {}
        self._joins: list[str] = []

    def column(self, place: Place) -> str:
        """A column, with the joins that lead to it."""
        return f"{self._table(place.hops)}.{self._name(place.table, place.column)}"

    def own(self, column: str) -> str:
        """A column of the subject's table."""
        return f"t.{self._name(self._bound.subject.table, column)}"

    def value(self, quantity: BusinessMeasure) -> str:
        """Write the aggregate of a measure."""
        return f"{quantity.function}({self.amount(quantity)})" if quantity.column else "COUNT(*)"

    def amount(self, quantity: BusinessMeasure) -> str:
        """The amount of one row: a column, or two multiplied."""
        times = f" * {self.own(quantity.times)}" if quantity.times else ""
        return f"{self.own(quantity.column)}{times}"

    def period(self, calendar: Calendar) -> str:
        """The period that a row's date falls into."""
        column = self.own(calendar.column)
        return (
            column if calendar.is_number else _PERIODS[self._database.dialect][calendar.period].format(column)
        )

    def source(self) -> str:
        """FROM and the joins; call it when all columns are known."""
        return f"FROM {self._database.identifier(self._bound.subject.table)} AS t{''.join(self._joins)}"

    def known(self, *columns: str) -> str:
        """WHERE these columns hold something."""
        return "WHERE " + " AND ".join(f"{c} IS NOT NULL" for c in columns)

    def _name(self, table: str, column: str) -> str:
        return self._database.identifier(table, column).removeprefix(f"{self._database.identifier(table)}.")

    def _table(self, hops: tuple[ForeignKey, ...]) -> str:
        if not hops:
            return "t"
        if hops not in self._aliases:
            before, key = self._table(hops[:-1]), hops[-1]
            alias = self._aliases[hops] = f"j{len(self._aliases) + 1}"
            own = f"{before}.{self._name(key.table, key.columns[0])}"
            other = f"{alias}.{self._name(key.target_table, key.target_columns[0])}"
            target = self._database.identifier(key.target_table)
            self._joins.append(f" JOIN {target} AS {alias} ON {own} = {other}")
        return self._aliases[hops]


def query(shape: str, database: Database, bound: Binding) -> str:
    """The query of a shape. Raises `KeyError` for a shape that there isn't."""
    needed = SHAPES[shape]
    parts = QueryParts(database, bound)
    keys = [_key(kind, parts, bound) for kind in needed.by]
    return needed.build(parts, bound, keys)


def _key(kind: str, parts: QueryParts, bound: Binding) -> str:
    found: Grouping | None = {"group": bound.group, "other": bound.other, "entity": bound.entity}.get(kind)
    if kind == "period":
        assert bound.subject.calendar is not None
        return parts.period(bound.subject.calendar)
    assert found is not None
    return parts.column(found.place)


def _grouped(parts: QueryParts, bound: Binding, keys: Sequence[str], *more: str) -> str:
    """Keys as k1, k2, the value as v, and more, grouped by the keys."""
    shown = [*(f"{k} AS k{i}" for i, k in enumerate(keys, 1)), f"{parts.value(bound.quantity)} AS v", *more]
    held = [parts.own(bound.quantity.column)] if bound.quantity.column else []
    places = ", ".join(keys)
    return f"SELECT {', '.join(shown)} {parts.source()} {parts.known(*keys, *held)} GROUP BY {places}"


def _simply(order: str) -> Callable[[QueryParts, Binding, Sequence[str]], str]:
    return lambda parts, bound, keys: f"{_grouped(parts, bound, keys)} ORDER BY {order}"


def _spread(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    column = parts.amount(bound.quantity)
    shown = f"MIN({column}) AS lowest, AVG({column}) AS average, MAX({column}) AS highest"
    if not keys:
        return f"SELECT {shown} {parts.source()}"
    wide = f"MAX({column}) - MIN({column})"
    shown = f"{keys[0]} AS k1, {shown}, {wide} AS width"
    held = f"{parts.source()} {parts.known(keys[0], column)}"
    return f"SELECT {shown} {held} GROUP BY {keys[0]} ORDER BY width DESC, k1"


def _shares(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    return f"SELECT k1, v, 100.0 * v / SUM(v) OVER () AS share FROM ({inner}) AS g ORDER BY v DESC, k1"


def _above(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    return f"WITH g AS ({inner}) SELECT k1, v FROM g WHERE v > (SELECT AVG(v) FROM g) ORDER BY v DESC, k1"


def _against(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    column = parts.amount(bound.quantity)
    table = parts.source()
    where = parts.known(*keys, column)
    overall = f"(SELECT AVG({column}) {table} {where})"
    value = f"AVG({column})"
    return (
        f"SELECT {keys[0]} AS k1, {value} AS v, {value} - {overall} AS difference {table} {where} "
        f"GROUP BY {keys[0]} ORDER BY difference DESC, k1"
    )


def _first_in(
    most: int, within: str, of: str, order: str = "DESC"
) -> Callable[[QueryParts, Binding, Sequence[str]], str]:
    def build(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
        ranked = f"RANK() OVER (PARTITION BY {within} ORDER BY v {order})"
        inner = f"SELECT k1, k2, v, {ranked} AS place FROM ({_grouped(parts, bound, keys)}) AS g"
        first = f"FROM ({inner}) AS r WHERE place <= {most}"
        return f"SELECT {within}, {of}, v {first} ORDER BY {within}, v {order}, {of}"

    return build


def _growth(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    return f"SELECT k1, v, v - LAG(v) OVER (ORDER BY k1) AS change_since FROM ({inner}) AS g ORDER BY k1"


def _running(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    return f"SELECT k1, v, SUM(v) OVER (ORDER BY k1) AS so_far FROM ({inner}) AS g ORDER BY k1"


def _ends(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    return (
        f"WITH g AS ({inner}) SELECT k1, v FROM g WHERE v = (SELECT MAX(v) FROM g) "
        "OR v = (SELECT MIN(v) FROM g) ORDER BY v DESC, k1"
    )


def _top_share(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    inner = _grouped(parts, bound, keys)
    top = "SELECT v FROM g ORDER BY v DESC, k1 LIMIT 10"
    return f"WITH g AS ({inner}) SELECT 100.0 * SUM(v) / (SELECT SUM(v) FROM g) AS share FROM ({top}) AS f"


def _with_count(order: str) -> Callable[[QueryParts, Binding, Sequence[str]], str]:
    return lambda parts, bound, keys: f"{_grouped(parts, bound, keys, 'COUNT(*) AS n')} ORDER BY {order}"


def _pair(parts: QueryParts, bound: Binding, keys: Sequence[str]) -> str:
    assert bound.second is not None
    one, two = parts.amount(bound.quantity), parts.amount(bound.second)
    shown = [*(f"{k} AS k1" for k in keys), f"{one} AS one", f"{two} AS two"]
    order = "k1, one, two" if keys else "one, two"
    return f"SELECT {', '.join(shown)} {parts.source()} {parts.known(*keys, one, two)} ORDER BY {order}"


def accepted(sql: str, shape: str, dialect: str) -> list[str]:
    """The queries whose rows answer a descriptive question of a shape, the fullest first.

    A question that asks "which" is answered without the measure, one that asks for shares without the counts;
    and in any order, unless the order decides which rows there are.
    """
    tree = parse_one(sql, dialect=dialect)
    if isinstance(tree, exp.Select) and not tree.args.get("limit"):
        tree.set("order", None)
    whole = tree.sql(dialect=dialect)
    return [whole, *(f"SELECT {', '.join(shown)} FROM ({whole}) AS answer" for shown in SHAPES[shape].enough)]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """A shape: what it groups by, in order, and how its query is built.

    Each of `enough` are columns that answer its descriptive questions as well as all columns do.
    """

    by: tuple[str, ...]
    build: Callable[[QueryParts, Binding, Sequence[str]], str]
    pairs: bool = False
    enough: tuple[tuple[str, ...], ...] = ()


SHAPES: Mapping[str, QueryShape] = {
    "by_group": QueryShape(("group",), _simply("v DESC, k1")),
    "best_group": QueryShape(("group",), _simply("v DESC, k1 LIMIT 1"), enough=(("k1",),)),
    "worst_groups": QueryShape(("group",), _simply("v, k1 LIMIT 3"), enough=(("k1",),)),
    "highest_groups": QueryShape(("group",), _simply("v DESC, k1 LIMIT 3"), enough=(("k1",),)),
    "trend": QueryShape(("period",), _simply("k1")),
    "spread": QueryShape((), _spread),
    "shares": QueryShape(("group",), _shares, enough=(("k1", "share"),)),
    "top_entities": QueryShape(("entity",), _simply("v DESC, k1 LIMIT 5"), enough=(("k1",),)),
    "by_two": QueryShape(("group", "other"), _simply("k1, k2")),
    "group_trend": QueryShape(("group", "period"), _simply("k1, k2")),
    "entity_trend": QueryShape(("entity", "period"), _simply("k1, k2")),
    "two_trend": QueryShape(("group", "other", "period"), _simply("k1, k2, k3")),
    "above_average": QueryShape(("entity",), _above, enough=(("k1",),)),
    "best_in_each": QueryShape(("group", "other"), _first_in(1, "k1", "k2"), enough=(("k1", "k2"),)),
    "least_in_each": QueryShape(("group", "other"), _first_in(1, "k1", "k2", "ASC"), enough=(("k1", "k2"),)),
    "rank_in_group": QueryShape(("group", "other"), _first_in(2, "k1", "k2"), enough=(("k1", "k2"),)),
    "best_each_period": QueryShape(("period", "group"), _first_in(1, "k1", "k2"), enough=(("k1", "k2"),)),
    "value_and_count": QueryShape(("group",), _with_count("k1")),
    "entity_counts": QueryShape(("entity",), _with_count("n DESC, k1")),
    "share_by_group": QueryShape(("group",), _shares, enough=(("k1", "share"),)),
    "best_period": QueryShape(("period",), _ends, enough=(("k1",),)),
    "growth": QueryShape(("period",), _growth, enough=(("k1", "change_since"),)),
    "running": QueryShape(("period",), _running, enough=(("k1", "so_far"),)),
    "top_share": QueryShape(("entity",), _top_share),
    "spread_by_group": QueryShape(("group",), _spread, enough=(("k1", "lowest", "highest"),)),
    "against_average": QueryShape(("group",), _against, enough=(("k1", "difference"),)),
    "pair": QueryShape((), _pair, pairs=True),
    "pair_by_group": QueryShape(("group",), _pair, pairs=True),
}
