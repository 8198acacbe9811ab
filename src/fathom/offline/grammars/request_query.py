"""The query for one way to understand a request of many rows: joined, counted once, kept and ordered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.grammars.calendars import period_of
from fathom.offline.grammars.conditions import either_of, restrictions, year_ranges
from fathom.offline.grammars.groups import By, GroupingWords
from fathom.offline.grammars.limits import Limit
from fathom.offline.grammars.listing_tables import lists_kinds
from fathom.offline.grammars.measures import MeasureSource, MeasureWords
from fathom.offline.grammars.periods import Dates, in_one_year
from fathom.offline.grammars.requests import RowsRequest
from fathom.offline.grammars.row_order import Ranking
from fathom.offline.grammars.sales_tables import of_buyers
from fathom.offline.grammars.unsold import from_things, with_none
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Expression,
    Items,
    Join,
    Literal,
    OrderKey,
    Query,
    Star,
    TableRef,
    columns,
    comparisons,
    conjunction,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames, asks_for_key, fixed_columns, names_key
from fathom.offline.queries.to_sql import with_plan
from fathom.records import TableProfile

_NEAR = 2.5
"""The cost of joins within which rows have what a column of another table holds."""
_RIVAL = 0.5
"""How much dearer a join may be than the cheapest and still be another reading."""


@dataclass(frozen=True, slots=True)
class Known:
    """A database as a question's words see it: their meanings, and the joins between its tables."""

    linking: Linking
    planner: JoinPlanner
    names: RowNames
    dates: Dates
    profiles: Mapping[str, TableProfile]


@dataclass(frozen=True, slots=True)
class Made:
    """A query for a request, and how well the request's words name what it is made of.

    `total` says that money comes from totals; `clear` that its tables are joined in one way alone, and that
    nothing else speaks for another reading of it; `through` are all tables that are joined; `said` are the
    places of the years by which it is restricted.
    """

    query: Query
    fit: float
    total: bool
    clear: bool
    through: tuple[TableRef, ...] = ()
    said: frozenset[int] = frozenset()


class Building:
    """One way to understand a request, built into a query."""

    def __init__(
        self,
        known: Known,
        request: RowsRequest,
        sources: Mapping[MeasureWords, MeasureSource],
        named: Sequence[By | None],
    ) -> None:
        self._linking, self._planner, self._names = known.linking, known.planner, known.names
        self._dates, self._profiles = known.dates, known.profiles
        self._request, self._sources, self._named = request, sources, named

    def made(self) -> Made | None:
        """The query, if its tables can be joined so that nothing is counted or added up twice."""
        tables = dict.fromkeys(s.table for s in self._sources.values())
        return next((m for t in tables if (m := self._over(t)) is not None), None)

    def _over(self, fact: TableRef) -> Made | None:
        """The query over the rows of a table, which all else that is asked of has at most once for each."""
        where, periods = list[Condition](), dict[GroupingWords, Expression]()
        ranges = {r.span for r in year_ranges(self._linking)}
        ranged = False
        for one in restrictions(self._linking, self._dates, fact):
            if one.span.first > self._last_of_its_own():
                return None  # "who took the most, and how many did they take in 2020"
            if any(m.sold for m in self._sources) and either_of(self._linking, one.span):
                return None
            if not any(one.span.overlaps(n) for n in self._request.named):
                where.append(one.condition)
                ranged = ranged or one.span in ranges
        for group, by in zip(self._request.groups, self._named, strict=True):
            if by is None:
                date = self._date(fact)
                if group.unit is None or date is None:
                    return None
                one_year = in_one_year(Query((), where=conjunction(*where)), date)
                periods[group] = period_of(group.unit, date, in_one_year=one_year)
                if may_be_missing(date, self._profiles):  # what has no such date belongs to no period
                    where.append(ComparisonPredicate(date, "is not null"))
        made = self._grouped(fact, conjunction(*where), periods)
        years = (i for r in year_ranges(self._linking) for i in range(*r.span))  # else none is restricted
        return made and replace(made, said=frozenset(years) if ranged else frozenset())

    def _last_of_its_own(self) -> int:
        """The place of a number told of things beside that by which they are kept or ranked, if any.

        What restricts behind it may be said of that number alone.
        """
        request = self._request
        by = request.ranking.by if request.ranking and not request.ranking.whole else None
        others = [
            m.span.first for m in (*(k.measure for k in request.limits), by) if isinstance(m, MeasureWords)
        ]
        shown = [m.span.first for m in request.shown if m.sources and m.span.first > min(others, default=0)]
        own = [first for first in shown if first not in others]
        return min(own) if others and own else len(self._linking.tokens)

    def _date(self, fact: TableRef) -> ColumnRef | None:
        """The one date of a table's rows that may be meant."""
        key = self._dates.meant(self._dates.near((fact,)))
        return key and key.in_query()

    def _grouped(
        self, fact: TableRef, where: Condition | None, periods: Mapping[GroupingWords, Expression]
    ) -> Made | None:
        shown: dict[GroupingWords, tuple[Expression, ...]] = {}
        keys: list[Expression] = []
        fixed = fixed_columns(Query((), where=where))
        for group, by in zip(self._request.groups, self._named, strict=True):
            own = (periods[group],) if by is None else self._shown(by)
            if not own:
                return None
            if not fixed.isdisjoint(own):
                if self._request.limits or self._request.ranking:
                    return None
                continue  # "taken by the clerk Nina Fox" speaks of one: there is nothing to group by
            shown[group] = own
            keys += own if by is None else (*by.key, *own)
        items = tuple(e for own in shown.values() for e in own)
        plain = Query(
            items,
            where=where,
            group=tuple(dict.fromkeys(keys)),
            tables=tuple({s.table for s in self._sources.values()}),
        )
        tables = mentioned_tables(plain)
        plans = self._planner.plans_once(fact, tables) if len(tables) > 1 else ()
        once = len(tables) == 1 or bool(plans)
        within = once or self._once_within(fact, tables) or self._by_kind(fact, tables)
        values = {m: self._value(m, s, fact, once=within) for m, s in self._sources.items()}
        if any(v is None for v in values.values()):
            return None
        everything = plans or self._planner.plans(tables)
        known = {m: v for m, v in values.items() if v is not None}
        outer = self._with_unsold(everything, fact, where) if self._ranks_last() else ()
        if not everything or outer is None or self._lie_apart(fact):
            return None
        query = self._finished(plain, {m: with_none(v, outer) for m, v in known.items()}, shown, fact)
        if query is None:
            return None
        one_way = self._planner.clear(everything, tables, _RIVAL)
        if self._by_whom(where) or self._is_far(fact):
            one_way = False
        named = {c.table for c in columns(query)}
        query = replace(query, tables=tuple(t for t in query.tables if t not in named))
        if outer:
            query = replace(query, joins=outer)
        elif len(tables) > 1 and everything[0] != self._planner.plans(tables)[0]:
            query = with_plan(query, everything[0])
        total = all(s.total for s in self._sources.values())
        return Made(query, self._fit(fact) - (not once), total, one_way, everything[0].tables)

    def _by_kind(self, fact: TableRef, tables: tuple[TableRef, ...]) -> bool:
        """True if all but one table have each row once, and the groups are what that one lists."""
        kinds = {c.table for b in self._named if b is not None for c in b.shown} - {fact}
        if len(kinds) != 1 or not lists_kinds(next(iter(kinds)), fact, self._planner, self._names):
            return False
        others = tuple(t for t in tables if t not in kinds)
        return self._planner.one_each(fact, others)

    def _once_within(self, fact: TableRef, tables: tuple[TableRef, ...]) -> bool:
        """True if each row of a table comes once for each thing: those of a playlist, by a table of pairs."""
        things = {b.table for b in self._named if b is not None and b.table is not None}
        plan = next(iter(self._planner.plans(tables)), None)
        between = [t for t in plan.tables if t not in tables] if plan is not None else []
        if plan is None or len(tables) != 2 or len(between) != 1:
            return False
        (pairs,) = between
        on = {c.name for j in plan.joins for c in (j.left, j.right) if c.table == pairs}
        key = self._planner.schema.table(pairs.name).primary_key
        return things == set(tables) - {fact} and len(key) == len(on) == 2 and set(key) == on

    def _ranks_last(self) -> bool:
        """True if the least sold come first, so that what was never sold is among them."""
        ranking = self._request.ranking
        by = ranking.by if ranking is not None else None
        ranks = ranking is not None and not ranking.whole and not ranking.descending
        return ranks and isinstance(by, MeasureWords) and by.sold

    def _with_unsold(
        self, plans: Sequence[JoinPlan], fact: TableRef, where: Condition | None
    ) -> tuple[Join, ...] | None:
        """The joins from the things that are ranked to their lines; None where some may be left out."""
        things = [b.table for b in self._named if b is not None and b.table is not None]
        if len(things) != 1 or len(self._named) != 1 or where is not None or things[0] == fact:
            return None
        return from_things(plans[0], things[0], fact) if plans else None

    def _lie_apart(self, fact: TableRef) -> bool:
        """True if the things lie beyond tables of which the number isn't told: who bought isn't what sold."""
        apart = {t for s in self._sources.values() for t in s.apart}
        shown = {c.table for b in self._named if b is not None for c in b.shown} if apart else set()
        ways = (self._planner.plans_once(fact, tuple({fact, t})) for t in shown - {fact})
        return any(not plans or apart & {t.name for t in plans[0].tables} for plans in ways)

    def _is_far(self, fact: TableRef) -> bool:
        """True if a group is a column of far other things: no swimmer is from the country of a stadium."""
        columns = (c for b in self._named if b is not None and b.table is None for c in b.shown)
        return any(self._planner.distance(fact.name, c.table.name) > _NEAR for c in columns)

    def _by_whom(self, where: Condition | None) -> bool:
        """True if "by" may tell who did it, and not of each of what: "orders by customers from Spain"."""
        held = {c.left.table for c in comparisons(where) if isinstance(c.left, ColumnRef)}
        return any(b is not None and b.many and b.table in held for b in self._named) and not (
            self._request.limits or self._request.ranking
        )

    def _shown(self, by: By) -> tuple[ColumnRef, ...]:
        """Give the columns that name things, and their key as well or alone, where that is asked for."""
        keys = tuple(k for k in by.key if by.table is not None and names_key(self._linking, k))
        return keys if keys and asks_for_key(self._linking) else tuple(dict.fromkeys((*keys, *by.shown)))

    def _value(
        self, measure: MeasureWords, source: MeasureSource, fact: TableRef, *, once: bool
    ) -> Expression | None:
        """Calculate a measure over a join that holds rows of a table `once`; None where that is
        impossible."""
        rows = any(b is not None and b.table == source.table for b in self._named)
        if rows and (measure.function != "sum" or len(self._named) > 1):
            return None  # of each single row there is nothing to tell
        if not self._named and source.table != fact:
            return None  # nothing says that the numbers of two tables are those of rows that belong together
        if measure.function in {"min", "max"}:
            return Aggregate(measure.function, source.argument)
        if measure.function == "spread":
            return Arithmetic("-", Aggregate("max", source.argument), Aggregate("min", source.argument))
        if source.table == fact and once:
            return Aggregate(measure.function, source.argument)
        key = self._names.key_of(source.table)
        return Aggregate("count", key[0], distinct=True) if measure.function == "count" and key else None

    def _finished(
        self,
        plain: Query,
        values: Mapping[MeasureWords, Expression],
        shown: Mapping[GroupingWords, tuple[Expression, ...]],
        fact: TableRef,
    ) -> Query | None:
        """The query with what it shows, keeps and orders by."""
        request = self._request

        def value(measure: MeasureWords) -> Expression:
            return values.get(measure) or Aggregate("count", Star())  # "with their counts"

        having = conjunction(*(_compared(value(k.measure), k) for k in request.limits))
        ranking = request.ranking
        items = [*plain.select, *(value(m) for m in request.shown)]
        order: tuple[OrderKey, ...] = ()
        limit = offset = None
        if ranking is not None and isinstance(ranking.by, GroupingWords):
            order = tuple(OrderKey(e, ranking.descending) for e in shown.get(ranking.by, ()))
        elif ranking is not None and isinstance(ranking.by, MeasureWords):
            key = value(ranking.by)
            if request.shown or not items:  # where numbers are shown, that too
                items.append(key)
            order, offset = (OrderKey(key, ranking.descending),), ranking.offset or None
            limit = ranking.limit if ranking.limit or self._lists(ranking) else 1
        if not items or (ranking is not None and not order):
            return None
        select = tuple(dict.fromkeys(items))
        return replace(plain, select=select, having=having, order=order, limit=limit, offset=offset)

    def _lists(self, ranking: Ranking) -> bool:
        """True if what is ranked is in the plural, or sorted as a whole."""
        return ranking.whole or any(b is not None and b.many for b in self._named)

    def _fit(self, fact: TableRef) -> float:
        """How well the words name what is measured and grouped by.

        Of equals, columns of the very rows, else those of buyers: "sales by country".
        """
        measured = sum(s.fit for s in self._sources.values())
        named = [b for b in self._named if b is not None]
        buyers = sum(0.01 * any(of_buyers(c.table.name) for c in b.shown) for b in named)
        own = sum(0.05 for b in named for c in b.shown[:1] if c.table == fact)
        return measured + sum(b.fit for b in named) + buyers + own


def _compared(value: Expression, limit: Limit) -> ComparisonPredicate:
    """A measure compared with its number, or two."""
    number = limit.number
    if number.comparison == "between":
        return ComparisonPredicate(value, "between", Items((Literal(number.value), Literal(number.upper))))
    return ComparisonPredicate(value, number.comparison, Literal(number.value))
