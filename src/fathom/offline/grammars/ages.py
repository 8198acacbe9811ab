"""How old people are, where a table holds when they were born: "how old is Ann", "members older than 40"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fathom.offline.checks.account import Accounts, named_values, sure_values
from fathom.offline.grammars.calendars import age, today
from fathom.offline.grammars.periods import Dates
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.row_names import EACH
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Condition,
    Expression,
    OrderKey,
    Query,
    TableRef,
    conjunction,
    mentioned_tables,
    restricted,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.question_facts import QuestionReading
from fathom.records import Assumption
from fathom.text.identifiers import identifier_words
from fathom.text.patterns import Pattern

_BORN = frozenset(("birth", "born", "birthday", "birthdate", "dob"))
_OLDEST = {"oldest": False, "youngest": True}
_COMPARED = Pattern(
    r"\b(?:(?:that|who|which)\s+)?(?:(?:are|is)\s+)?(?:(?P<sign>older|younger)\s+than|(?P<over>over|under)(?=\s+\d+\s+years))"
    r"\s+(?P<n>\d{1,3})(?:\s+years?(?:\s+(?:old|of\s+age))?)?(?!\s*(?:days|weeks|months|\d))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aged:
    """How old the rows asked for are, at places of the tokens."""

    older: bool
    years: int
    places: frozenset[int]
    dates: Dates
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on when its rows were born, of the one table that holds that."""
        born = [b for t in mentioned_tables(query) if (b := _born(self.dates, t.name))]
        if len(born) != 1 or query.source is not None or query.compound is not None:
            return None
        column = born[0].in_query()
        # Who is older than 40 had the 41st birthday already; who is younger than 40 not yet the 40th.
        condition: Condition = (
            ComparisonPredicate(column, "<=", today(-self.years - 1, "year"))
            if self.older
            else ComparisonPredicate(column, ">", today(-self.years, "year"))
        )
        return restricted(query, condition), _told(born[0])


def aged(reading: QuestionReading[Any]) -> Iterator[Aged]:
    """Give the ages of the rows asked for that a question compares, where no column holds ages."""
    linking = reading.linking
    match = _COMPARED.search(reading.text)
    if match is None or any("age" in identifier_words(c.column) for c in linking.columns):
        return
    places = linking.places(match.start(), match.end())
    sign = (match["sign"] or match["over"]).casefold()
    yield Aged(sign in {"older", "over"}, int(match["n"]), places, reading.dates)


def ages(
    linking: Linking, planner: JoinPlanner, names: RowNames, dates: Dates, accounts: Accounts
) -> Iterator[Proposal]:
    """How old those are whom the question names, or the oldest, or all on average, and who is oldest."""
    if linking.negations or any("age" in identifier_words(c.column) for c in linking.columns):
        return
    words = [t.lower for t in linking.tokens]
    ranked = [i for i, w in enumerate(words) if w in _OLDEST]
    asked = {i for i, w in enumerate(words) if w == "age" or (w == "old" and words[max(i - 1, 0)] == "how")}
    if not (ranked or asked) or len(ranked) > 1:
        return
    conditions = named_values(linking)
    values = {v.column.table for v in sure_values(linking)}
    tables = {m.table for m in linking.table_mentions} or values
    born = [b for t in sorted(tables) if (b := _born(dates, t))]
    if len(born) != 1:
        return
    table = TableRef(born[0].table)
    if ranked and asked:
        query = _of_ranked(linking, born[0], ranked[0])
    elif ranked:
        query = _ranked(linking, names, born[0], ranked[0])
    else:
        query = _aged(linking, names, born[0], conditions)
    if query is None:
        return
    query = restricted(query, both) if (both := conjunction(*conditions)) else query
    used = mentioned_tables(query)
    said = {*asked, *ranked, *(i for q in linking.quantities for i in range(*q.span))}
    if planner.one_each(table, used) and accounts.accounts_for(query, said):
        source = "oldest" if ranked and not asked else "age"
        yield Proposal(query, source=source, settled=len(planner.plans(used)) == 1)


def _ranked(linking: Linking, names: RowNames, born: ColumnKey, place: int) -> Query | None:
    column, word = born.in_query(), linking.tokens[place].lower
    shown = names.of_table(column.table)
    count = next((s.count for s in linking.superlatives if s.span.first == place), 1)
    order = (OrderKey(column, descending=_OLDEST[word]),)
    return Query(shown, order=order, limit=count) if shown and not linking.quantities else None


def _of_ranked(linking: Linking, born: ColumnKey, place: int) -> Query | None:
    """How old the oldest or the youngest one is."""
    count = next((s.count for s in linking.superlatives if s.span.first == place), 1)
    function = "min" if _OLDEST[linking.tokens[place].lower] else "max"
    years = Aggregate(function, age(born.in_query()))
    return Query((years,)) if count == 1 and not linking.quantities else None


def _aged(
    linking: Linking, names: RowNames, born: ColumnKey, conditions: tuple[Condition, ...]
) -> Query | None:
    """Ages: the average where it asks for that, those of rows that it names, or of each."""
    years: Expression = age(born.in_query())
    aggregates = {q.aggregate for q in linking.quantities}
    each = any(t.lower in EACH for t in linking.tokens)
    if aggregates:
        return Query((Aggregate(aggregates.pop(), years),)) if len(aggregates) == 1 and not each else None
    if conditions:
        return Query((years,))
    return Query((*names.of_table(TableRef(born.table)), years)) if each else None


def _born(dates: Dates, table: str) -> ColumnKey | None:
    found = [c for c in dates.of(table) if not _BORN.isdisjoint(identifier_words(c.column))]
    return found[0] if len(found) == 1 else None


def _told(born: ColumnKey) -> Assumption:
    return Assumption("column", f"How old they are is counted from {born.table}.{born.column} to today.")
