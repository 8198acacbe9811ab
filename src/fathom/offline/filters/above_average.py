"""Reads that rows are above or below an average: "who earn more than the average of their own department".

It is that of all rows, of those asked for ("of all open accounts"), or of those that a row belongs with.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from typing import Literal as Choice

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.grammars.groups import ThingNaming
from fathom.offline.linking import ColumnKey, Span
from fathom.offline.linking.levels import WHOLLY_NAMED
from fathom.offline.linking.wordlists import LESS, LIGHT
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Outer,
    Query,
    Subquery,
    mentioned_tables,
    restricted,
    rows_asked,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_ABOVE = Pattern(
    r"\b(?:(?P<more>\w+)\s+than|(?P<sign>above|over|below|under|exceeds?|exceeding))\s+"
    r"(?:the\s+)?(?P<average>average|mean)\b",
    re.IGNORECASE,
)
_MORE = frozenset(
    """
    more higher greater larger bigger longer older better dearer heavier taller less fewer lower smaller
    shorter younger cheaper lighter
""".split()
)
_CALCULATED = frozenset(("average", "mean", "total", "sum"))
_BELOW = frozenset(("below", "under"))
_OF = frozenset(("of", "for", "in", "on", "within", "among", "at"))
_OWN = frozenset(("their", "its", "his", "her", "the", "same", "own", "respective"))
_THEIRS = _OWN - {"the", "own", "respective"}
_AHEAD = LIGHT | frozenset(
    "that which who whose with a an the have has had having is are was were of do does did".split()
)
_ENDS = frozenset(".?!,;")
_LEAST = 0.2
"""How far a word must mean a number's column to say of which number an average is."""
_CLEARLY = 0.1
_ELSEWHERE = 0.5
"""How much better another table's column must fit to be the one that is named."""

_Of = Choice["all", "these", "own", "open"]
_Fits = tuple[tuple[ColumnKey, float], ...]


@dataclass(frozen=True, slots=True)
class Averaged:
    """That a number of the rows asked for is above or below an average, said at places of the tokens.

    `columns` and `own`, by which rows belong together, come with how well they fit the words. The average is
    that of the rows' own kind, of these rows, of all, or of what is left `open`.
    """

    columns: _Fits
    sign: Choice["<", ">"]
    own: _Fits
    of: _Of
    places: frozenset[int]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows above or below; None where it isn't clear of what the average is."""
        asked = rows_asked(query)
        plain = not (query.group or query.having or query.limit or query.order) and not _counts_values(query)
        found = _clearest(self.columns, asked.name) if asked is not None and plain else None
        if asked is None or found is None:
            return None
        column = found.in_query()
        average = Query((Aggregate("avg", column),))
        told = f"The average of {asked.name}.{column.name} is that of "
        match self.of:
            case "own":
                own = _clearest(self.own, asked.name)
                if own is None:
                    return None
                key = own.in_query()
                average = restricted(average, ComparisonPredicate(key, "=", Outer(key)))
                told += f"those of the same {key.name}."
            case "these" if query.where is None:
                return None  # what is said of them was not understood
            case "these":
                average = Query(average.select, where=query.where, tables=query.tables)
                told += "the same rows."
            case "all":
                told += "all rows."
            case "open":
                if query.where is not None or mentioned_tables(query) != (asked,):
                    return None
                told += "all rows."
        condition = ComparisonPredicate(column, self.sign, Subquery(average))
        return restricted(query, condition), Assumption("default", told)


def _counts_values(query: Query) -> bool:
    return any(isinstance(e, Aggregate) and e.distinct for e in query.select)


def _clearest(fits: _Fits, table: str) -> ColumnKey | None:
    """The column of a table that fits clearly better than its others."""
    own = sorted(((fit, c) for c, fit in fits if c.table == table), reverse=True)
    best = max((fit for _, fit in fits), default=0.0)  # "a rating higher": no height, where ratings are
    clear = own and own[0][0] >= best - _ELSEWHERE and (len(own) == 1 or own[0][0] - own[1][0] >= _CLEARLY)
    return own[0][1] if clear else None


def above_average(reading: FilterReading) -> Iterator[Averaged]:
    """Give the comparison with an average, where it is clear of which numbers."""
    yield from _Averages(reading).read(reading.text)


class _Averages:
    """Finds what one question says of averages that rows are above or below."""

    def __init__(self, reading: FilterReading) -> None:
        linking, names = reading.linking, reading.names
        self._linking, self._names, self._naming = linking, names, ThingNaming(linking, names)
        self._words = [t.lower for t in linking.tokens]

    def read(self, text: str) -> Iterator[Averaged]:
        """Give the one comparison, if there is any."""
        match = _ABOVE.search(text)
        if match is None or (match["more"] and match["more"].lower() not in _MORE):
            return
        place, average = self._linking.place_at(match.start()), self._linking.place_at(match.start("average"))
        if place is None or average is None:
            return
        end = average + 1
        while end < len(self._words) and self._numbers(Span(end, end + 1)) and not self._is_thing(end):
            end += 1
        first = self._ahead(place, named_behind=end > average + 1)
        if not _CALCULATED.isdisjoint(self._words[first - 1 : place + 1]):
            return  # "whose average price is above the average": it isn't the rows that are
        columns = self._numbers(Span(average + 1, end)) or self._numbers(Span(first, place + 1))
        found = self._of_what(end, first)
        if columns and found is not None:
            of, own, end = found
            less = (match["more"] or "").lower() in LESS or (match["sign"] or "").lower() in _BELOW
            yield Averaged(columns, "<" if less else ">", own, of, frozenset(range(first, end)))

    def _ahead(self, place: int, *, named_behind: bool) -> int:
        """Where the words begin that say of which number it is, before its comparison.

        Where it is `named_behind`, a verb may say anything: "that hold more than the average balance".
        """
        first = place
        if named_behind and place > 1 and self._is_thing(place - 2) and not self._is_thing(place - 1):
            first -= 1
        while first > 1 and not self._is_thing(first - 1):
            if not (self._words[first - 1] in _AHEAD or self._numbers(Span(first - 1, first))):
                break
            first -= 1
        return first

    def _is_thing(self, place: int) -> bool:
        """True if a word names a table rather than a number."""
        return bool(self._linking.table_alignment[:, place].max(initial=0) >= WHOLLY_NAMED)

    def _numbers(self, span: Span) -> _Fits:
        """The columns of amounts that words mean, and how far."""
        linking = self._linking
        if any(t.kind != "word" for t in linking.tokens[span.first : span.end]):
            return ()
        near = linking.alignment[:, span.first : span.end].sum(axis=1)
        return tuple(
            (c, float(n))
            for c, n in zip(linking.columns, near, strict=True)
            if n >= _LEAST and self._names.measures(c)
        )

    def _of_what(self, end: int, first: int) -> tuple[_Of, _Fits, int] | None:
        """Of what the average is, by which columns, and where the words for that end."""
        words = self._words
        if end >= len(words) or words[end] in _ENDS:
            return "open", (), end
        if words[end] not in _OF:
            return None
        rows = self._naming.phrase(end + 1)
        if (
            rows is not None
            and rows.first == end + 1
            and words[rows.end : rows.end + 1]
            and words[rows.end] in _OF
        ):
            end = rows.end  # "of products in their category"
        own = end + 1
        while own < len(words) and words[own] in _OWN:
            own += 1
        if _THEIRS.intersection(words[end + 1 : own]):
            group = self._naming.phrase(own)
            return ("own", self._keys(group), group.end) if group is not None and group.first == own else None
        return self._of_all(end + 1, first)

    def _of_all(self, start: int, first: int) -> tuple[_Of, _Fits, int] | None:
        """That it is the average of all rows, or of those asked for, in the same words."""
        tokens = self._linking.tokens
        if self._words[start : start + 1] != ["all"]:
            return None
        last = next((i for i in range(start, len(tokens)) if self._words[i] in _ENDS), len(tokens))
        said = {tokens[i].stem for i in range(start + 1, last) if not tokens[i].stop}
        if len(said) == 1 and self._is_thing(last - 1):
            return "all", (), last
        same = said == {t.stem for t in tokens[:first] if not t.stop}
        return ("these", (), last) if said and same else None

    def _keys(self, group: Span) -> _Fits:
        """The columns that say to which of the things a row belongs that words name, and how they fit."""
        head = group.end - 1
        found = {
            c: float(near)
            for c, near in zip(self._linking.columns, self._linking.alignment[:, head], strict=True)
            if near >= 2 * _LEAST and not self._names.measures(c)
        }
        for column in self._linking.columns:
            target = self._names.target_of(column.in_query())
            fit = self._linking.table_fit(target.table.name, head) if target is not None else 0.0
            if fit >= WHOLLY_NAMED:
                found[column] = 1.0 + fit
        return tuple(found.items())
