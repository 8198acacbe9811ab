"""How long things take: the days between two dates of a row, where no column holds that.

"Average number of days between order and shipping", "how long did each lease last", "the longest lease".
"Tasks that took more than 10 days" restricts what is asked for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fathom.offline.checks.account import Accounts, named_values
from fathom.offline.grammars.calendars import days_between
from fathom.offline.grammars.groups import By, ThingNaming
from fathom.offline.grammars.periods import Dates
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import BEGIN_WORDS, END_WORDS, LASTING
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ComparisonPredicate,
    Expression,
    FunctionCall,
    Literal,
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
from fathom.text.patterns import Pattern

_BEGIN, _END = frozenset(map(stem, BEGIN_WORDS)), frozenset(map(stem, END_WORDS))
_UNITS = {"day": 1.0, "week": 7.0, "hour": 1 / 24, "minute": 1 / 1440, "second": 1 / 86400}
_LENGTHS = frozenset(("long", "longest", "shortest", "length", "duration", "time", "durations", "lengths"))
_BETWEEN = frozenset(("between", "from"))
_UNTIL = frozenset(("until", "till"))
_WAS = frozenset(("was", "were", "is", "are", "did", "has", "have"))
_IT = frozenset(("it", "they", "each", "every"))
_SIGNS = {
    "more than": ">", "over": ">", "longer than": ">", "at least": ">=", "less than": "<", "under": "<",
    "fewer than": "<", "at most": "<=", "up to": "<=", "within": "<=", "exactly": "=", "shorter than": "<",
}  # fmt: skip
_MEASURE = (
    rf"(?P<sign>{'|'.join(s.replace(' ', chr(92) + 's+') for s in _SIGNS)})\s+(?P<n>\d+(?:\.\d+)?)\s+"
    rf"(?P<unit>{'|'.join(_UNITS)})s?"
)
_TOOK = Pattern(
    rf"\b(?:(?:that|which)\s+)?(?:(?:are|were)\s+)?"
    rf"(?:(?:{'|'.join(LASTING)})\s+(?:for\s+)?|(?=longer|shorter)){_MEASURE}\b",
    re.IGNORECASE,
)
_AFTER = Pattern(
    rf"\b(?:(?:that|which)\s+)?(?:(?:was|were)\s+)?(?P<last>\w+)\s+{_MEASURE}\s+(?:after|of)\s+"
    r"(?:(?:they|it)\s+(?:was|were|had\s+been)\s+|being\s+|(?:the|their|its)\s+)?(?P<first>\w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Duration:
    """The time between two dates of a table's rows."""

    first: ColumnKey
    last: ColumnKey

    def in_units(self, unit: str) -> Expression:
        """It as a number of days, weeks, hours or minutes, or of whole seconds."""
        days = days_between(self.first.in_query(), self.last.in_query())
        match unit:
            case "week":
                return Arithmetic("/", days, Literal(7))
            case "hour":
                return Arithmetic("*", days, Literal(24))
            case "minute":
                return Arithmetic("*", days, Literal(1440))
            case "second":
                return FunctionCall("round", (Arithmetic("*", days, Literal(86400)),))
        return days

    @property
    def told(self) -> Assumption:
        """Between which dates it is."""
        text = f"How long it took is the time from {self.first.column} to {self.last.column}."
        return Assumption("column", text)


class Durations:
    """Tells which durations one question may be about."""

    def __init__(self, linking: Linking, dates: Dates) -> None:
        self._linking, self._dates = linking, dates

    def of(self, table: str) -> Duration | None:
        """The time from the one date with which rows begin to the one with which they end.

        Of two dates, that is the end which some rows don't have yet.
        """
        own = self._dates.of(table)
        first = [c for c in own if not _BEGIN.isdisjoint(name_stems(c.column))]
        last = [c for c in own if not _END.isdisjoint(name_stems(c.column)) and c not in first]
        if len(first) == len(last) == 1:
            return Duration(first[0], last[0])
        later = [c for c in own if self._dates.may_lack(c)]
        if len(own) == 2 and len(later) == 1 and not first and (not last or last == later):
            return Duration(next(c for c in own if c not in later), later[0])
        return None

    def between(self, first: str, last: str, table: str | None = None) -> Duration | None:
        """The time between two dates of one table that words name; None where others fit as well."""
        found = [
            Duration(a, b)
            for t in ([table] if table else self._linking.tables)
            for a in self._called(t, first)
            for b in self._called(t, last)
            if a != b
        ]
        return found[0] if len(found) == 1 else None

    def _called(self, table: str, word: str) -> list[ColumnKey]:
        """The dates of a table that a word names, by their own words rather than by their table's."""
        own, word_stem = self._dates.of(table), stem(word.lower())
        found = [c for c in own if word_stem in name_stems(c.column)]
        return found or [
            c for c in own if word_stem in _BEGIN and not _BEGIN.isdisjoint(name_stems(c.column))
        ]


@dataclass(frozen=True, slots=True)
class Lasting:
    """How long the rows asked for took, at places of the tokens."""

    words: tuple[str, str] | None
    sign: str
    number: float
    unit: str
    places: frozenset[int]
    durations: Durations
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on the time between two dates of the one of its tables that has such."""
        if query.source is not None or query.compound is not None:
            return None
        tables = [t.name for t in mentioned_tables(query)]
        options = [
            self.durations.between(*self.words, t) if self.words else self.durations.of(t) for t in tables
        ]
        found = [o for o in options if o is not None]
        if len(found) != 1:
            return None
        number = int(self.number) if self.number == int(self.number) else self.number
        condition = ComparisonPredicate(found[0].in_units(self.unit), self.sign, Literal(number))
        return restricted(query, condition), found[0].told


def lasting(reading: QuestionReading[Any]) -> Iterator[Lasting]:
    """Give the lengths of time that a question compares for the rows asked for."""
    linking = reading.linking
    durations = Durations(linking, reading.dates)
    for pattern in (_TOOK, _AFTER):
        match = pattern.search(reading.text)
        if match is None:
            continue
        parts = match.groupdict()
        words = (parts["first"], parts["last"]) if "first" in parts else None
        places = linking.places(match.start(), match.end())
        named = any(
            t.lower.startswith(parts["unit"].casefold()) and linking.alignment[:, i].max(initial=0) >= NAMED
            for i, t in enumerate(linking.tokens)
        )  # "more than 2 weeks on top", where that is a column
        known = durations.between(*words) if words else any(map(durations.of, linking.tables))
        if named or not known:
            continue
        sign = _SIGNS[" ".join(parts["sign"].casefold().split())]
        yield Lasting(words, sign, float(parts["n"]), parts["unit"].casefold(), places, durations)
        return


def asked_durations(
    linking: Linking, planner: JoinPlanner, names: RowNames, dates: Dates, accounts: Accounts
) -> Iterator[Proposal]:
    """How long something takes on average, or each of them, or what takes longest, where this is asked."""
    place = next((i for i, t in enumerate(linking.tokens) if _asks_length(linking, i)), None)
    if place is None or linking.negations:
        return
    grammar = _Asked(linking, names, Durations(linking, dates), place)
    for query in grammar.queries():
        tables = mentioned_tables(query)
        once = planner.one_each(TableRef(grammar.table), tables)
        if once and accounts.accounts_for(query, grammar.said):
            yield Proposal(query, source="duration", settled=len(planner.plans(tables)) == 1)


def said_of_lengths(linking: Linking) -> frozenset[int]:
    """The places of words for how long something takes, and for the unit of that."""
    return frozenset(
        i
        for i, t in enumerate(linking.tokens)
        if t.lower in _LENGTHS | LASTING | _BETWEEN | _UNTIL or t.lower.removesuffix("s") in _UNITS
    )


def _asks_length(linking: Linking, place: int) -> bool:
    """True if a word asks how long something takes, and names no column that holds it."""
    token = linking.tokens[place]
    words = [t.lower for t in linking.tokens[place + 1 :]]
    before = [t.lower for t in linking.tokens[max(place - 2, 0) : place]]
    was_it = before == ["how", "many"] and len(words) > 1 and words[0] in _WAS and words[1] in _IT
    spans = bool(_BETWEEN.intersection(words[:2])) or bool(LASTING.intersection(words)) or was_it
    unit = token.lower.removesuffix("s") in _UNITS and spans
    named = linking.alignment[:, place].max(initial=0) >= NAMED
    return not token.evidence and not named and (token.lower in _LENGTHS or unit)


class _Asked:
    """The queries about a duration that one question may ask for, the word for it at a place."""

    def __init__(self, linking: Linking, names: RowNames, durations: Durations, place: int) -> None:
        self._linking, self._names, self._durations, self._place = linking, names, durations, place
        self.table = ""
        units = (t.lower.removesuffix("s") for t in linking.tokens)
        self._unit = next((u for u in units if u in _UNITS), "day")
        self.said = {*said_of_lengths(linking), *(i for s in _shaping(linking) for i in range(*s))}

    def queries(self) -> Iterator[Query]:
        """The queries, of the tables that the question names."""
        for duration in self._meant():
            self.table = duration.first.table
            self.said |= {
                i for m in self._linking.table_mentions if m.table == self.table for i in range(*m.span)
            }
            query = self._query(duration.in_units(self._unit))
            if query is not None:
                yield query

    def _meant(self) -> Sequence[Duration]:
        tokens = [t for t in self._linking.tokens if not t.evidence]
        words = [t.lower for t in tokens]
        place = next((i for i, w in enumerate(words) if w in _BETWEEN), None)
        if place is not None:
            link = "and" if words[place] == "between" else "to"
            after = [w for t, w in zip(tokens, words, strict=True) if not t.stop or w == link][
                sum(not t.stop for t in tokens[:place]) :
            ]
            if link in after[1:]:
                joint = after.index(link)
                for first in after[:joint]:
                    for last in after[joint + 1 : joint + 3]:
                        if found := self._durations.between(first, last):
                            return (found,)
            return ()
        done = self._linking.tokens[self._place - 1].stem if self._place else ""  # "shipping time"
        ends = [
            t
            for t in self._linking.tables
            if (d := self._durations.of(t)) and done in name_stems(d.last.column)
        ]
        tables = dict.fromkeys(m.table for m in self._linking.table_mentions) or (
            ends if len(ends) == 1 else ()
        )
        return tuple(d for t in tables if (d := self._durations.of(t)) is not None)

    def _query(self, duration: Expression) -> Query | None:
        linking, table = self._linking, TableRef(self.table)
        where = conjunction(*named_values(linking))
        aggregates = {q.aggregate for q in linking.quantities} - {"count"}
        shown = self._names.of_table(table) or self._names.key_of(table)
        if len(aggregates) == 1:
            total = Aggregate(aggregates.pop(), duration)
            by = self._by()
            if by is None:
                return Query((total,), where=where)
            group = tuple(dict.fromkeys((*by.key, *by.shown)))
            return Query((*by.shown, total), where=where, group=group)
        if aggregates or not shown:
            return None
        if len(linking.superlatives) == 1:
            order = OrderKey(duration, linking.superlatives[0].direction == "desc")
            known = conjunction(where, ComparisonPredicate(duration, "is not null"))
            return Query(shown, where=known, order=(order,), limit=linking.superlatives[0].count)
        each = any(t.lower in EACH for t in linking.tokens)
        if each:
            return Query((*shown, duration), where=where)
        return Query((duration,), where=where) if where is not None else None

    def _by(self) -> By | None:
        tokens = self._linking.tokens
        each = [i + 1 for i, t in enumerate(tokens[:-1]) if t.lower in EACH | {"by"}]
        group = ThingNaming(self._linking, self._names).group_at(each[0]) if each else None
        found = group.named if group is not None else ()
        own = [b for b in found if b.shown and b.shown[0].table == TableRef(self.table)] or found
        return own[0] if own and own[0].table != TableRef(self.table) else None


def _shaping(linking: Linking) -> list[Span]:
    """The words that ask for an aggregate or an extreme."""
    return [*(s.span for s in linking.superlatives), *(q.span for q in linking.quantities)]
