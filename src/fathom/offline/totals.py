"""Sums of money, and counts, for each of something: "sales by country", "top 5 customers by revenue".

Training data name the column that they add up. People name the matter: what customers "spent", the "sales" of
a product. `Amounts` knows where a database keeps that; the words around say of each of what, and under which
conditions. "How many orders did each employee take" is made alike, of a count.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from fathom.offline.accounting import Accounts, denies_alike, named_values, sure_values
from fathom.offline.amounts import Amount, Amounts, asked_money, of_buyers, said_of_money
from fathom.offline.grouping import By, named_after
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking, SuperlativeMention
from fathom.offline.linking.naming import EACH
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import OPENINGS
from fathom.offline.periods import PERIOD_WORDS, Dates, asked_period
from fathom.offline.proposals import Proposal
from fathom.offline.query import (
    Aggregate,
    Comparison,
    Condition,
    Literal,
    Ordering,
    Query,
    Star,
    TableRef,
    columns,
    conjunction,
    mentioned_tables,
)
from fathom.offline.rows import RowNames, fixed_columns
from fathom.records import TableProfile

_BY = EACH | {"by"}
_FOR = frozenset(("for", "by", "per"))
_ASKING = frozenset(("which", "what", "who"))
_LIKELY = 0.5
GAIN = 3.0


class Totals:
    """Makes the sums and counts that one question may ask for."""

    def __init__(
        self,
        linking: Linking,
        planner: JoinPlanner,
        names: RowNames,
        amounts: Amounts,
        profiles: Mapping[str, TableProfile],
    ) -> None:
        self._linking, self._planner, self._names = linking, planner, names
        self._amounts, self._dates = amounts, Dates(linking, planner, profiles)
        self._accounts = Accounts(linking)

    def sums(self, score: float) -> Iterator[Proposal]:
        """The sums of money that the question asks for, if it does, all its words accounted for.

        Those of a question that groups by a period are not yet: `settled` says so.
        """
        place = asked_money(self._linking)
        if place is None:
            return
        period = asked_period(self._linking)
        said = said_of_money(self._linking) | (frozenset() if period is None else {*period.places})
        of_each = (None,) if period is not None and period.which else self._by(place)
        found = [
            (amount, by, query)
            for amount, by in product(self._fitting(place), of_each)
            if (query := self._query(Aggregate("sum", amount.expression), amount.table, by)) is not None
            and self._accounted(query, said)
        ]
        totals = [f for f in found if f[0].total] or found
        best = max((_fit(by) for _, by, _ in totals), default=0.0)
        likely = [f for f in totals if _fit(f[1]) == best]
        clear = len(likely) == 1 and period is None
        for _, by, query in totals:
            settled = clear and _fit(by) == best and self._one_way(query)
            yield Proposal(query, score + GAIN + _fit(by), 0.0, 0.0, source="total", settled=settled)

    def counts(self) -> Iterator[Proposal]:
        """How many rows of one table there are for each row of another, where the question asks for that."""
        asked = [q for q in self._linking.quantities if q.aggregate == "count"]
        if len(asked) != 1 or len(self._linking.quantities) > 1 or self._linking.superlatives:
            return
        for counted in named_after(self._linking, self._names, asked[0].span.end):
            if counted.table is None:
                continue
            for by in self._by(len(self._linking.tokens)):
                if by is None or by.table in {None, counted.table}:
                    continue
                query = self._query(Aggregate("count", Star()), counted.table, by)
                if query is not None and self._accounted(query, said_of_money(self._linking)):
                    settled = self._one_way(query)
                    yield Proposal(query, _fit(by), 0.0, 0.0, source="count", settled=settled)

    def _fitting(self, place: int) -> Sequence[Amount]:
        """The amounts that a word for money may mean: those of the table that it names, if it does."""
        word = self._linking.tokens[place].stem
        named = [a for a in self._amounts.all if word in name_stems(a.table.name)]
        return named or self._amounts.all

    def _by(self, money: int) -> Sequence[By | None]:
        """Of each of what the question asks: of nothing alone, (None,); empty where that isn't clear."""
        tokens, extremes = self._linking.tokens, self._linking.superlatives
        each = [
            i + 1
            for i, t in enumerate(tokens[:-1])
            if t.lower in _BY and not t.evidence and tokens[i + 1].lower not in PERIOD_WORDS
        ]
        if extremes:
            return self._ranked(extremes[0].span.first, money) if len(extremes) == 1 else ()
        if len(each) > 1 or not self._opens(money):
            return ()
        return named_after(self._linking, self._names, each[0], money) if each else (None,)

    def _ranked(self, place: int, money: int) -> Sequence[By]:
        """Which things a superlative singles out: what stands behind it, else behind "which"."""
        found = named_after(self._linking, self._names, place + 1 + (place + 1 == money), money)
        asking = (i for i, t in enumerate(self._linking.tokens) if t.lower in _ASKING)
        named = [m.span.first for m in self._linking.table_mentions if m.span.end <= place]
        for first in (*(i + 1 for i in asking), *sorted(named, reverse=True)):
            found = found or named_after(self._linking, self._names, first, money)
        return found

    def _opens(self, money: int) -> bool:
        """Whether a sum or count is what the question asks for, not what it says of something else."""
        tokens = self._linking.tokens
        first = min([money, *(q.span.first for q in self._linking.quantities)])
        held = {i for v in sure_values(self._linking) for i in range(*v.span)}
        ahead = range(tokens[0].lower in OPENINGS, first)
        return tokens[0].lower in _FOR or all(
            tokens[i].stop or tokens[i].lower in PERIOD_WORDS or i in held for i in ahead
        )

    def _query(self, total: Aggregate, table: TableRef, by: By | None) -> Query | None:
        """The sum or count of a table's rows for each of something, under the conditions of the question."""
        if by is not None and not by.shown:
            return None
        where = conjunction(*self._conditions(table))
        query = Query((total,), where=where, tables=(table,))
        if by is not None and not fixed_columns(query).isdisjoint(by.shown):
            if self._linking.superlatives:
                return None
            by = None  # "taken by the clerk Nina Fox" speaks of one: there is nothing to group by
        if by is not None:
            query = replace(
                query, select=(*by.shown, total), group=tuple(dict.fromkeys((*by.key, *by.shown)))
            )
            if self._linking.superlatives:
                query = _ranked_by(query, total, self._linking.superlatives[0], many=by.many)
        tables = mentioned_tables(query)
        named = {c.table for c in columns(query)}
        query = replace(query, tables=tuple(t for t in query.tables if t not in named))
        once = len(tables) == 1 or self._planner.one_each(table, tables)
        return query if once and self._planner.plans(tables) else None

    def _conditions(self, table: TableRef) -> tuple[Condition, ...]:
        """The values, years and months that the question surely names, of a table and those around it."""
        found: list[Condition] = list(named_values(self._linking))
        years = [str(n.value) for n in self._linking.numbers if n.year and n.comparison == "="]
        months = [
            d.first[:7]
            for d in self._linking.dates
            if d.first and d.precision == "month" and d.comparison == "="
        ]
        near = self._dates.near((table,))
        for day in months or years:
            if len(months or years) == 1 and near and self._dates.clear(near[0], near):
                date = near[0].in_query()
                found.append(Comparison(date, "like", Literal(f"{day}%")))
        return tuple(found)

    def _accounted(self, query: Query, said: Collection[int]) -> bool:
        """Whether nothing in the question is left over, nor denied."""
        return not self._accounts.left_over(query, said) and denies_alike(query, self._linking)

    def _one_way(self, query: Query) -> bool:
        """Whether the tables of a query are joined in one way alone."""
        return len(self._planner.plans(mentioned_tables(query))) == 1


def _ranked_by(query: Query, total: Aggregate, extreme: SuperlativeMention, *, many: bool) -> Query:
    """The query in the order of what it adds up: as many as asked for, all of several, else the first."""
    limit = extreme.count if extreme.count > 1 or not many else None
    return replace(query, order=(Ordering(total, extreme.direction == "desc"),), limit=limit)


def _fit(by: By | None) -> float:
    """How well a thing is named; of equals, that of buyers: "sales by country" go by the customers' one."""
    if by is None:
        return 0.0
    return by.fit + 0.01 * any(of_buyers(c.table.name) for c in by.shown)
