"""Numbers of many rows, of each of something: "sales by country and year", "customers who spent over 500".

Training data name the column that they add up, and group by one thing. People name the matter: what
customers "spent", the "sales" of a product; they ask for several numbers at once, for two groups, and for
those groups alone of which a number is high enough. A question is read as a `RowsRequest`, and each way to
understand its words makes a query; where one fits best, and nothing is left over, that is what was meant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from fathom.offline.checks.account import Accounts, deeds, named_places
from fathom.offline.grammars.amounts import Amounts, said_of_counts, said_of_money
from fathom.offline.grammars.asked_numbers import MeasureReader
from fathom.offline.grammars.groups import By, GroupingWords, ThingNaming
from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.request_query import Building, Known, Made
from fathom.offline.grammars.requests import RequestReader, RowsRequest, resolved
from fathom.offline.linking import Linking
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import ColumnRef, Query, TableRef
from fathom.offline.queries.rows import NAMES, RowNames
from fathom.records import TableProfile
from fathom.text.identifiers import identifier_words

GAIN = 3.0
_CODES = frozenset(("code", "abbreviation", "symbol"))
_MOST_READINGS = 80


class Summaries:
    """Makes the queries that one question of many rows may ask for."""

    def __init__(
        self,
        linking: Linking,
        planner: JoinPlanner,
        names: RowNames,
        amounts: Amounts,
        profiles: Mapping[str, TableProfile],
    ) -> None:
        self._linking, self._names = linking, names
        self._amounts, self._dates = amounts, Dates(linking, planner, profiles)
        self._known = Known(linking, planner, names, self._dates, profiles)

    def proposals(self, score: float) -> Iterator[Proposal]:
        """The queries that account for all words of the question, if it asks for numbers of many rows.

        `settled` are those that no other reading fits as well. Their source is `count` where training data
        hold many such questions, of one number for each of one thing.
        """
        naming = ThingNaming(self._linking, self._names)
        measures = MeasureReader(self._linking, self._names, self._amounts, naming).read()
        read = RequestReader(self._linking, naming, measures).request()
        if read is None:
            return
        request = resolved(read, self._linking)
        if not all(m.sources or m.function == "count" for m in request.measures):
            return
        if not (request.groups or _tells_much(request)):
            return
        found = list(self._made(request))
        made = [m for m in found if m.total] or found
        best = max((m.fit for m in made), default=0.0)
        alone = sum(m.fit == best for m in made) == 1 and not _leaves_none_out(request)
        source = "total" if _unlearned(request) else "count"
        for one in made:
            settled = alone and one.fit == best and one.clear
            each = not (request.ranking or request.limits)
            if source == "count" and each and self._has_codes(one.query):
                settled = False
            if settled or source == "total":
                yield Proposal(one.query, score + GAIN + one.fit, 0.0, 0.0, source=source, settled=settled)

    def _has_codes(self, query: Query) -> bool:
        """True if what a query groups by has codes beside names, and the question says nothing of names.

        Where training data count for each of such things, they show the codes more often than the names.
        """
        if any(t.lower in NAMES for t in self._linking.tokens):
            return False
        keys = {c for c in query.group if isinstance(c, ColumnRef) and c not in query.select}
        codes = (c for c in keys if not _CODES.isdisjoint(identifier_words(c.name)))
        schema = self._known.planner.schema
        return any(schema.table(c.table.name).column(c.name).kind == "text" for c in codes)

    def _made(self, request: RowsRequest) -> Iterator[Made]:
        """The queries for each way to understand the request's words, of which none is left over."""
        accounts = Accounts(self._linking)
        money = any(m.money for m in request.measures)
        form = said_of_money(self._linking) if money else said_of_counts(self._linking)
        said = request.said | form | deeds(self._linking, self._names)
        measures = [m for m in request.measures if m.sources]
        tables = tuple({s.table for m in measures for s in m.sources})
        named = [self._ways_to(g, tables) for g in request.groups]
        ways = product(product(*(m.sources for m in measures)), product(*named))
        seen: set[Query] = set()
        for sources, things in islice(ways, _MOST_READINGS):
            made = Building(self._known, request, dict(zip(measures, sources, strict=True)), things).made()
            if made is None or made.query in seen:
                continue
            seen.add(made.query)
            bare = replace(made.query, joins=())
            through = (i for t in made.through for i in named_places(self._linking, t.name))
            if accounts.accounts_for(bare, said.union(through, made.said)):
                yield made

    def _ways_to(self, group: GroupingWords, tables: tuple[TableRef, ...]) -> tuple[By | None, ...]:
        """Give the possible groups: columns and things, or the period of a date of the rows themselves.

        A `year` that other tables have isn't that of rows with a date of their own.
        """
        own = tuple(b for b in group.named if b.shown and b.shown[0].table in tables)  # pairs show nothing
        if group.unit is None or own:
            return own if group.unit else group.named or (None,)
        dated = any(self._dates.of(t.name) for t in tables)
        return (None,) if dated else group.named or (None,)


def _tells_much(request: RowsRequest) -> bool:
    """True if a request of no groups asks for what training data hold next to none of."""
    odd = any(m.money or m.sold or m.function == "spread" for m in request.measures)
    return odd or len(request.shown) > 1


def _leaves_none_out(request: RowsRequest) -> bool:
    """True if things of which there is nothing may be meant as well: "fewer than 3 orders", "spent less"."""
    least = all(k.number.comparison in {"<", "<="} for k in request.limits)
    things = any(b.table is not None for g in request.groups for b in g.named)
    added = all(k.measure.function in {"count", "sum"} for k in request.limits)
    return bool(request.limits) and least and things and added


def _unlearned(request: RowsRequest) -> bool:
    """True if training data hold next to no such questions: of money, two groups or numbers, periods."""
    several = len(request.groups) > 1 or len(request.measures) > 1
    odd = any(m.money or m.sold or m.function == "spread" for m in request.measures)
    periods = any(g.unit and not g.named for g in request.groups)
    ranking = request.ranking
    ranked = ranking is not None and (ranking.offset is not None or ranking.by in request.shown)
    told = any(k.measure in request.shown for k in request.limits)
    return several or odd or periods or ranked or told
