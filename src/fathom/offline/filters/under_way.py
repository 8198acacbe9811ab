"""Reads what was under way at a time: "leases running on 12 June 2022", "contracts in force in May"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.time_phrases import Moment, moments
from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.grammars.durations import Durations
from fathom.offline.linking import Linking
from fathom.offline.queries.query import (
    ComparisonPredicate,
    Condition,
    Connective,
    Literal,
    Query,
    conjunction,
    mentioned_tables,
    restricted,
)
from fathom.records import Assumption, TableProfile
from fathom.text.patterns import Pattern

_UNDER_WAY = Pattern(
    r"\b(?:(?:that|which|who)\s+)?(?:(?:were|was|are|is|ran)\s+)?(?:(?:still|already|currently)\s+)?"
    r"(?:running|active|in\s+force|in\s+effect|in\s+progress|valid|ongoing|under\s+way|open)\s+"
    r"(?=(?:on|in|at|during|throughout)\s+(?:the\s+)?\w)",
    re.IGNORECASE,
)
_ON = Pattern(r"on\s+(?:the\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """That the rows asked for began before the end of a time and hadn't ended when it began."""

    moment: Moment
    places: frozenset[int]
    durations: Durations
    profiles: Mapping[str, TableProfile]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on both dates of the one of its tables that has such."""
        if query.source is not None or query.compound is not None:
            return None
        found = [d for t in mentioned_tables(query) if (d := self.durations.of(t.name)) is not None]
        first, until = self.moment.first, self.moment.until
        if len(found) != 1 or first is None or until is None:
            return None
        begin, end = found[0].first.in_query(), found[0].last.in_query()
        over: Condition = ComparisonPredicate(end, ">=", first)
        if may_be_missing(end, self.profiles):
            over = Connective("or", (ComparisonPredicate(end, "is null"), over))
        told = Assumption("column", f"They were under way from {begin.name} to {end.name}.")
        both = conjunction(ComparisonPredicate(begin, "<", until), over)
        return None if both is None else (restricted(query, both), told)


def under_way(reading: FilterReading) -> Iterator[UnderWay]:
    """Give the times at which something was under way, where rows begin and end."""
    text, linking = reading.text, reading.linking
    durations = Durations(linking, reading.dates)
    if not any(map(durations.of, linking.tables)):
        return
    for match in _UNDER_WAY.finditer(text):
        moment = _moment_at(text, match.end(), linking)
        if moment is not None and not (moment.relative or moment.form):
            places = linking.places(match.start(), moment.end)
            yield UnderWay(moment, places, durations, reading.profiles)


def _moment_at(text: str, start: int, linking: Linking) -> Moment | None:
    """The time said from a character on: a day, else a month, quarter or year."""
    on = _ON.match(text, start)
    place = linking.place_at(on.end()) if on else None
    for day in linking.dates:
        if day.span.first == place and day.precision == "day" and day.first and day.first == day.last:
            after = date.fromisoformat(day.first) + timedelta(days=1)
            end = linking.tokens[day.span.end - 1].end
            return Moment(start, end, Literal(day.first), Literal(after.isoformat()))
    moment = next((m for m in moments(text) if m.start == start), None)
    return moment and replace(moment, verbal=False)
