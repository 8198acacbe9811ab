"""The groups that a question asks for: "for each clerk", "by city and year", "top 5 cities"."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.offline.checks.account import deeds
from fathom.offline.grammars.periods import PERIOD_UNITS
from fathom.offline.linking import ColumnKey, Floats, Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH, names_many
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import NAMING
from fathom.offline.queries.query import ColumnRef, TableRef
from fathom.offline.queries.rows import CODES, RowNames

PASSED = frozenset("the a an our each every all different of and".split())
BY = EACH | {"by"}
JOINING = frozenset((",", "and", "&"))
_MEANT = 0.35
"""Alignment from which a word that names nothing may still mean one column: "gender" that of "sex"."""
_UNSAID = 0.1
"""The penalty of each word of a column's name that the question lacks, on how well it fits."""
_CLEARLY = 0.5
"""How much better than a table a column fits that is meant: "start station" is no station."""
PARTICIPLES = ("ed", "ing", "old", "aken", "ought")


@dataclass(frozen=True, slots=True)
class By:
    """Rows of a `table`, or values of a column (None): what is shown of them, and what tells them apart.

    `fit` is how well the question's words name them; `many` says that these are in the plural.
    """

    table: TableRef | None
    shown: tuple[ColumnRef, ...]
    key: tuple[ColumnRef, ...]
    fit: float
    many: bool


@dataclass(frozen=True, slots=True)
class GroupingWords:
    """Words that name things of each of which something is told: any of `named`, or parts of dates.

    `unit` is that of a period; of a period with neither no query can be made. Not `said` are words
    that only mean something like the column's name.
    """

    span: Span
    named: tuple[By, ...] = ()
    unit: str | None = None
    said: bool = True


def by_whole_words(linking: Linking) -> Floats:
    """How far each token mentions each column, where whole words of long names are mentions as well."""
    places: dict[str, list[int]] = {t.stem: [] for t in linking.tokens}
    for place, token in enumerate(linking.tokens):
        places[token.stem].append(place)
    found = linking.alignment.copy()
    for row, column in enumerate(linking.columns):
        for word in name_stems(column.column):
            found[row, places.get(word, [])] = 1.0
    return found


def called_in_full(linking: Linking, span: Span) -> tuple[str, ...]:
    """The tables that several words up to the end of a phrase name as a whole: "gas stations"."""
    return tuple(
        m.table
        for m in linking.table_mentions
        if m.span.end == span.end and span.first <= m.span.first < span.end - 1 and m.whole
    )


class ThingNaming:
    """Tells which things and columns the words of one question name."""

    def __init__(self, linking: Linking, names: RowNames) -> None:
        self._linking, self.names = linking, names
        self.columns = linking.columns
        self._numbers = frozenset(i for n in linking.numbers if not n.ordinal for i in range(*n.span))
        keys = [names.is_reference(c) for c in linking.columns]
        self._other = np.where(np.array(keys, dtype=bool)[:, None], 0, linking.alignment)
        """How words fit columns that aren't keys: "requests" are rows, though each has a `request_id`."""
        self._columns = by_whole_words(linking)
        self._best = self._columns.max(axis=0, initial=0)
        self._tables = linking.table_alignment.max(axis=0, initial=0)
        self._deeds = deeds(linking, names)

    def groups_after(self, place: int, until: int | None = None) -> tuple[GroupingWords, ...]:
        """The things that are named from a place on, as in a list: "country and year"; none where one isn't.

        `until` is a place that belongs to none.
        """
        found: list[GroupingWords] = []
        while (group := self.group_at(place, until, meant=True)) is not None:
            found.append(group)
            place = group.span.end
            last = len(self._linking.tokens) if until is None else until
            while place < last and self._lower(place) in JOINING:
                place += 1
            if place == group.span.end or place >= last:
                break
        return tuple(found)

    def group_at(self, place: int, until: int | None = None, *, meant: bool = False) -> GroupingWords | None:
        """The things or the period that the words from a place on name, or may mean, where `meant`."""
        start = self._first(place)
        if self._is_proper(start):
            return None
        span = self.phrase(place, until)
        if span is not None and (whole := self._of_another(span, until)) is not None:
            return whole
        unit = PERIOD_UNITS.get(self._lower(start)) if start < len(self._linking.tokens) else None
        if unit is not None and (span is None or span.end == start + 1):
            own = tuple(b for b in self._named(Span(start, start + 1)) if b.table is None) if span else ()
            return GroupingWords(Span(start, start + 1), own, unit)
        if span is None:
            return self._meant(start, until) if meant and start != until else None
        found = self._named(span)
        return GroupingWords(span, found) if found else None

    def _is_proper(self, place: int) -> bool:
        """True if a word in the middle has a capital letter, and nothing is called so: "Canadian"."""
        if not 0 < place < len(self._linking.tokens):
            return False
        token = self._linking.tokens[place]
        names = [c.column for c in self.columns] + [*self._linking.tables]
        capital = token.text[:1].isupper() and token.text[1:].islower()
        return capital and not any(token.stem in name_stems(n) for n in names)

    def _of_another(self, span: Span, until: int | None) -> GroupingWords | None:
        """Find a column by two nouns, its own and its table's: "type of account"."""
        if span.end >= len(self._linking.tokens) or self._lower(span.end) != "of" or span.end == until:
            return None
        other = self.phrase(span.end + 1, until)
        if other is None:
            return None
        whole = Span(span.first, other.end)
        own, theirs = self.fits(span), self.fits(other)
        tables = self._linking.table_alignment[:, other.end - 1]
        owners = {t for t, fit in zip(self._linking.tables, tables, strict=True) if fit >= NAMED}
        found = [
            _values(c, fit + 1.0, many=False)
            for c, fit in own.items()
            if not self.names.is_reference(c) and (c.table in owners or (not owners and c in theirs))
        ]
        return GroupingWords(whole, tuple(found)) if len(found) == 1 else None

    def phrase(self, place: int, until: int | None = None) -> Span | None:
        """The words from a place on that name tables or columns, articles and numbers ahead passed over."""
        first = end = self._first(place)
        while end < len(self._linking.tokens) and end != until and self._is_named(end):
            told = self._lower(end).endswith(PARTICIPLES) or end in self._deeds
            if end > first and told and self._tables[end - 1] >= NAMED:
                break  # "products | sold", "employee | supports"
            end += 1
        return Span(first, end) if end > first else None

    def fits(self, span: Span) -> dict[ColumnKey, float]:
        """How far words name each column that the last of them names, by its own name and its table's.

        Less for what a name has besides, but for what says only that it names something.
        """
        linking = self._linking
        own, tables = (
            self._columns[:, span.first : span.end],
            linking.table_alignment[:, span.first : span.end],
        )
        said = {t.stem for t in linking.tokens[span.first : span.end]}
        found = {}
        for row in np.flatnonzero(self._columns[:, span.end - 1] >= NAMED):
            column = linking.columns[row]
            table = 0.5 * tables[linking.tables.index(column.table)]
            unsaid = set(name_stems(column.column)).difference(name_stems(column.table), said, NAMING)
            found[column] = float(np.maximum(own[row], table).sum()) - _UNSAID * len(unsaid)
        return found

    def column_fit(self, place: int) -> float:
        """How well a word fits the column that it fits best, keys aside."""
        return float(self._other[:, place].max(initial=0))

    def _named(self, span: Span) -> tuple[By, ...]:
        """Find the tables that words name, where the last word fits one as well as any column, else the
        columns."""
        linking, head = self._linking, span.end - 1
        many = names_many(linking.tokens[head])
        rows = linking.table_alignment[:, head]
        best = max(rows.max(initial=0), NAMED)
        fits = {c: f for c, f in self.fits(span).items() if not self.names.is_reference(c)}
        if self._lower(head) in CODES:
            keys = {
                c: f
                for c, f in self.fits(span).items()
                if (c.in_query(),) == self.names.key_of(TableRef(c.table))
            }
            fits = {c: f for c, f in keys.items() if f >= len(range(*span))} or fits
        top = max(fits.values(), default=0.0)
        whole = float(linking.table_alignment[:, span.first : span.end].sum(axis=1).max(initial=0))
        tables = [t for t, near in zip(linking.tables, rows, strict=True) if near >= best]
        tables = [*called_in_full(linking, span)] or tables
        if tables and best >= self.column_fit(head) and top < whole + _CLEARLY:
            return tuple(self._rows(TableRef(t), float(best), many=many) for t in tables)
        return tuple(_values(c, f, many=many) for c, f in fits.items() if f >= top - 0.01)

    def _meant(self, place: int, until: int | None) -> GroupingWords | None:
        """The one column that a word means which names none."""
        if place >= len(self._linking.tokens) or place == until or not self._is_content(place):
            return None
        near = self._linking.alignment[:, place]
        best = float(near.max(initial=0))
        found = [c for c, a in zip(self._linking.columns, near, strict=True) if a >= max(best, _MEANT)]
        if not found:
            return None
        many = names_many(self._linking.tokens[place])
        return GroupingWords(
            Span(place, place + 1), tuple(_values(c, best, many=many) for c in found), said=False
        )

    def _rows(self, table: TableRef, fit: float, *, many: bool) -> By:
        key = self.names.key_of(table)
        return By(table, self.names.of_table(table) or self._only_other(table) or key, key, fit, many)

    def _only_other(self, table: TableRef) -> tuple[ColumnRef, ...]:
        """The one column of a table of two that isn't its key: what else would its rows be called?"""
        own = [c for c in self._linking.columns if c.table == table.name]
        other = [c for c in own if not self.names.is_reference(c)]
        return (other[0].in_query(),) if len(own) == 2 and len(other) == 1 else ()

    def _first(self, place: int) -> int:
        """The first place from one on that holds neither an article nor a number."""
        tokens = self._linking.tokens
        while place < len(tokens) and (tokens[place].lower in PASSED or place in self._numbers):
            place += 1
        return place

    def _is_named(self, place: int) -> bool:
        return self._is_content(place) and max(self._best[place], self._tables[place]) >= NAMED

    def _is_content(self, place: int) -> bool:
        token = self._linking.tokens[place]
        return not token.stop and token.kind == "word" and not token.evidence

    def _lower(self, place: int) -> str:
        return self._linking.tokens[place].lower


def _values(column: ColumnKey, fit: float, *, many: bool) -> By:
    return By(None, (shown := column.in_query(),), (shown,), fit, many)


def covers(spans: Sequence[Span], place: int) -> bool:
    """True if any of some spans holds a place."""
    return any(s.first <= place < s.end for s in spans)
