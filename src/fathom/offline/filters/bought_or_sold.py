"""Reads that things were or weren't sold, and who never bought what: "unsold", "never bought jazz tracks"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.offline.checks.account import names_table
from fathom.offline.filters.parts_of_rows import Matched
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import LinkedValue
from fathom.offline.linking.levels import SURELY_NAMED, WHOLLY_NAMED
from fathom.offline.linking.text import stem
from fathom.offline.linking.value_match import INFLECTED
from fathom.offline.linking.wordlists import ANYTHING
from fathom.offline.queries.query import ComparisonPredicate, Condition, Literal, conjunction
from fathom.text.patterns import Pattern

_WHO = r"\b(?:(?:but|and|yet)\s+)?(?:(?:that|which|who)\s+)?"
_HAVE = r"(?:ha(?:ve|s|d)|were|was|are|is|do|does|did)"
_NOT = rf"(?:{_HAVE}\s+)?(?:not|never)\s+(?:(?:yet|ever|been|actually)\s+)*"
_NOBODY = r"(?:whom\s+)?(?:(?:has|have|had)\s+)?(?:nobody|no\s+one|noone)\s+(?:(?:has|have|had|ever|yet)\s+)*"
_WERE = r"(?:(?:were|was|are|is|ha(?:ve|s|d)\s+been)\s+)(?:(?:ever|already)\s+)?"
_DENIED = Pattern(rf"{_WHO}(?:{_NOT}|{_NOBODY})(?=[a-z])", re.IGNORECASE)
_RELATIVE = Pattern(r"\b(?:that|which|who)\b", re.IGNORECASE)
_DONE = Pattern(rf"{_WHO}{_WERE}(?=[a-z])", re.IGNORECASE)
_PLAINLY = Pattern(r"(?:\b(?:that|which|who)\s+)?\b(?=(?:sold|bought|ordered|purchased)\b)", re.IGNORECASE)
_UNSOLD = Pattern(r"\bunsold\b", re.IGNORECASE)
_WITHOUT = Pattern(
    r"\b(?:(?:that|which|who)\s+)?(?:with(?:out|\s+no)|ha(?:ve|s|d)\s+no)\s+(?:any\s+)?(?=[a-z])",
    re.IGNORECASE,
)
_NOUNS = frozenset(map(stem, ("sale", "purchase")))
_SELL = stem("sell")
_PASSED = frozenset("a an any the single one of our".split())
_NOTHING = frozenset(("nothing",))
_AFTERWARDS = Pattern(r"\s*\b(?:yet|at\s+all|so\s+far|ever)\b", re.IGNORECASE)
_ENDS = frozenset("and but or that which who".split())
_LEADING = frozenset("that which whom did does do has have had".split())
_TIMES = frozenset("in on at during since before after between from until".split())
_LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class _Object:
    """The object of a purchase: rows of a table under a condition; and where the words for it end."""

    table: str
    where: Condition | None
    end: int


def bought_or_sold(reading: FilterReading) -> Iterator[Matched]:
    """Give the filters by purchases, where it is clear which rows keep them."""
    yield from _Purchases(reading).read(reading.text)


class _Purchases:
    """Finds what one question says of its rows by verbs of selling and buying."""

    def __init__(self, reading: FilterReading) -> None:
        self._linking, self._planner, self._profiles = reading.linking, reading.planner, reading.profiles
        self._lines, self._verbs = reading.amounts.lines, reading.trade_verbs

    def read(self, text: str) -> Iterator[Matched]:
        """Give the filters, each word once."""
        if len(self._lines) != 1:
            return
        taken: set[int] = set()
        for pattern, read in (
            (_DENIED, self._denied),
            (_DONE, self._done),
            (_PLAINLY, self._plainly),
            (_UNSOLD, self._unsold),
            (_WITHOUT, self._without),
        ):
            for match in pattern.finditer(text):
                found = read(text, match)
                if found is not None and taken.isdisjoint(found.places):
                    taken |= found.places
                    yield found

    def _denied(self, text: str, match: re.Match[str]) -> Matched | None:
        """Read things that were never sold, or never bought: the verb's object says of what kind."""
        verb = self._verb_at(match.end())
        bought = self._object(verb + 1) if verb is not None else None
        ahead = self._linking.places(match.start(), match.end())
        if verb is None or bought is None or not ahead:
            return None
        start, buyer = self._buyer(min(ahead))
        if buyer is None or _RELATIVE.search(match.group()) is not None:  # "from France who never"
            return self._matched(text, match.start(), bought, denied=True)
        if bought != _Object("", None, verb + 1):
            return None
        first = self._linking.tokens[start].start
        return self._matched(text, first, _Object("", buyer, verb + 1), denied=True)

    def _buyer(self, end: int) -> tuple[int, Condition | None]:
        """Who did not buy, named right before that: "that Ann Lee | never ordered"; and where that begins."""
        tokens, conditions = self._linking.tokens, list[Condition]()
        ends = {v.span.end: v for v in self._values().values() if v.column.table in self._lines[0].buyers}
        while end in ends:
            value = ends[end]
            conditions.append(ComparisonPredicate(value.column.in_query(), "=", Literal(value.value)))
            end = value.span.first
        while conditions and end and tokens[end - 1].lower in _LEADING:
            end -= 1
        return end, conjunction(*conditions)

    def _done(self, text: str, match: re.Match[str]) -> Matched | None:
        """Read things that were sold at all: the question adds nothing but a time."""
        verb = self._verb_at(match.end())
        counted = bool(self._linking.quantities) and _RELATIVE.search(match.group()) is None
        if verb is None or counted or not self._ends(verb + 1):
            return None  # "how many albums were sold" may ask how many copies
        return self._matched(text, match.start(), _Object("", None, verb + 1), denied=False)

    def _plainly(self, text: str, match: re.Match[str]) -> Matched | None:
        """Read things sold, or buyers, with the verb right behind their name: "products | ordered"."""
        verb, tokens = self._verb_at(match.end()), self._linking.tokens
        if not verb or self._linking.superlatives:
            return None
        ahead = min(self._linking.places(match.start(), tokens[verb].end))
        fits = ((t, self._linking.table_fit(t, ahead - 1)) for t in self._linking.tables if ahead)
        named = {t for t, fit in fits if fit >= WHOLLY_NAMED}
        one = self._lines[0]
        buys = named <= one.buyers and tokens[verb].stem != _SELL
        sold = named <= one.things and not self._linking.quantities
        end = verb + 1 + (buys and any(t.lower in ANYTHING | _NOTHING for t in tokens[verb + 1 : verb + 2]))
        if not named or not (buys or sold) or not self._ends(end):
            return None
        nothing = tokens[end - 1].lower in _NOTHING
        return self._matched(text, match.start(), _Object("", None, end), denied=nothing)

    def _unsold(self, text: str, match: re.Match[str]) -> Matched | None:
        place = self._linking.place_at(match.start())
        if place is None or self._linking.alignment[:, place].max(initial=0) >= SURELY_NAMED:
            return None
        return self._matched(text, match.start(), _Object("", None, place + 1), denied=True)

    def _without(self, text: str, match: re.Match[str]) -> Matched | None:
        """Read things without sales or purchases, where nothing in the database has that name."""
        place = self._linking.place_at(match.end())
        if place is None or self._linking.tokens[place].stem not in _NOUNS or not self._ends(place + 1):
            return None
        near = (self._linking.alignment[:, place], self._linking.table_alignment[:, place])
        if any(n.max(initial=0) >= SURELY_NAMED for n in near):
            return None
        return self._matched(text, match.start(), _Object("", None, place + 1), denied=True)

    def _verb_at(self, start: int) -> int | None:
        place = self._linking.place_at(start)
        return place if place in self._verbs else None

    def _object(self, place: int) -> _Object | None:
        """Read a verb's object from a place on: values, a table's rows, or nothing; None if unclear."""
        tokens = self._linking.tokens
        first = place
        while place < len(tokens) and tokens[place].lower in _PASSED:
            place += 1
        if place < len(tokens) and tokens[place].lower in ANYTHING:
            return _Object("", None, place + 1) if self._ends(place + 1) else None
        values = self._values()
        conditions: list[Condition] = []
        owners: set[str] = set()
        while place in values:
            value = values[place]
            conditions.append(ComparisonPredicate(value.column.in_query(), "=", Literal(value.value)))
            owners.add(value.column.table)
            place = value.span.end
        rows = [
            m for m in self._linking.table_mentions if m.span.first == place and names_table(self._linking, m)
        ]
        if rows:
            place = max(m.span.end for m in rows)
            owners = {m.table for m in rows if m.span.end == place}
        if not self._ends(place) or len(owners) > 1 or (place > first and not owners):
            return None
        return _Object(
            owners.pop() if owners else "", conjunction(*conditions) if conditions else None, place
        )

    def _values(self) -> dict[int, LinkedValue]:
        """The likeliest value that is named at each place; a denied verb says nothing against it."""
        found: dict[int, LinkedValue] = {}
        for value in self._linking.values:  # the likeliest first
            plain = value.comparison in {"=", "!="}
            if plain and value.match in INFLECTED and value.probability >= _LIKELY:
                found.setdefault(value.span.first, value)
        return found

    def _ends(self, place: int) -> bool:
        """True if nothing more is said of what was bought, but perhaps when."""
        after = self._linking.tokens[place : place + 1]
        return all(t.kind == "sign" or t.lower in _ENDS | _TIMES or self._afterwards(t.lower) for t in after)

    def _afterwards(self, word: str) -> bool:
        return _AFTERWARDS.fullmatch(word) is not None

    def _matched(self, text: str, start: int, bought: _Object, *, denied: bool) -> Matched:
        end = self._linking.tokens[bought.end - 1].end
        while after := _AFTERWARDS.match(text, end):
            end = after.end()
        lines = self._lines[0].table
        return Matched(
            bought.table or lines.name,
            denied,
            frozenset(),
            self._linking.places(start, end),
            self._planner,
            self._profiles,
            where=bought.where,
            through=lines if bought.table not in {"", lines.name} else None,
        )
