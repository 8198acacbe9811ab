"""Reads of what texts hold a part: "with Foods or Bank in their name", "on Oak St"."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.records import Floats
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.value_match import HELD, SPELT
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Literal,
    Query,
    TableRef,
    mentioned_tables,
    restricted,
    rows_asked,
)
from fathom.offline.queries.rows import NAMES, RowNames
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_TEXT = r"""(?:"[^"]+"|“[^”]+”|'[^']+'|[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*)*)"""
_TEXTS = rf"(?P<texts>{_TEXT}(?:\s*,?\s+(?:or|and)\s+{_TEXT})*)"
_WORD = r"(?:(?:either|the|an?)\s+)*(?:(?:words?|terms?|text|phrases?|letters?)\s+)?(?:either\s+)?"
_VERB = (
    r"(?P<verb>contain(?:s|ing)?|includ(?:es?|ing)|start(?:s|ing)?\s+with|begin(?:s|ning)?\s+with"
    r"|end(?:s|ing)?\s+(?:with|in|on)|mention(?:s|ing)?)"
)
_WHAT = r"(?P<what>(?:(?:first|last|middle|full|family|given)\s+)?[a-z]+)"
_WHATEVER = r"(?P<what>[a-z]+(?:\s+[a-z]+){0,2}?)"
_HOLDING = tuple(
    Pattern(p)
    for p in (
        rf"\b(?i:(?:(?:that|which|who)\s+)?(?:ha(?:ve|s)|with|having|containing)\s+{_WORD}){_TEXTS}"
        rf"(?i:\s+(?:(?:any|some)where\s+)?(?:in|as\s+part\s+of|within)\s+(?:their|its|the|his|her)\s+{_WHAT})",
        rf"\b(?i:whose\s+{_WHATEVER}\s+{_VERB}\s+{_WORD}){_TEXTS}",
        rf"\b(?i:(?:with|having)\s+an?\s+{_WHAT}\s+(?:that\s+)?{_VERB}\s+{_WORD}){_TEXTS}",
        rf"\b{_WHAT}(?P<cut>\s+(?i:(?:that\s+|which\s+)?{_VERB}\s+{_WORD}){_TEXTS})",
    )
)
_ONE = Pattern(_TEXT)
_ON = Pattern(
    r"\b(?:(?:that|which)\s+)?(?:(?:are|is|lie|lies|stand|located|situated)\s+)*(?:on|in|at|along)\s+(?:the\s+)?"
    r"(?=[A-Z])"
)
_LIKELY = 0.5
"""How likely a value must be to be taken for what is held: likelier than not."""


@dataclass(frozen=True, slots=True)
class Holding:
    """That a text of the rows asked for holds one of some texts, or `all` of them.

    Said at places of the tokens. `columns` are those that are meant; else it is what the rows are called.
    """

    texts: tuple[str, ...]
    all: bool
    columns: tuple[ColumnKey, ...]
    places: frozenset[int]
    names: RowNames
    needed: bool = field(default=False)
    titled: bool = False
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows with such a text; None where several columns may hold it."""
        tables = mentioned_tables(query)
        asked = rows_asked(query)
        if query.source is not None or query.compound is not None or query.group or query.limit is not None:
            return None
        own = [c for c in self.columns if asked is not None and TableRef(c.table) == asked]
        near = own or [c for c in self.columns if TableRef(c.table) in tables]
        rows = asked or (tables[0] if len(tables) == 1 else None)
        called = [*self.names.of_table(rows)] if rows else []
        shown = [e for e in query.select if isinstance(e, ColumnRef)]
        found = [c.in_query() for c in near] if self.columns else called or shown
        # "Titles" of people are no names.
        if len(found) != 1 or (
            self.titled and not self.columns and stem("title") not in name_stems(found[0].name)
        ):
            return None
        parts: tuple[Condition, ...] = tuple(
            ComparisonPredicate(found[0], "like", Literal(t)) for t in self.texts
        )
        condition = parts[0] if len(parts) == 1 else Connective("and" if self.all else "or", parts)
        told = f"It is looked for in {found[0].table.name}.{found[0].name}."
        return restricted(query, condition), Assumption("column", told)


def texts(reading: FilterReading) -> Iterator[Holding]:
    """Give the texts that rows asked for hold, start or end with."""
    text, linking, names = reading.text, reading.linking, reading.names
    taken: frozenset[int] = frozenset()
    for pattern in _HOLDING:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            start = match.start("cut") if "cut" in parts else match.start()
            places = linking.places(start, match.end())
            columns = _columns(linking, match.start("what"), match.end("what"), of_rows="cut" in parts)
            columns = columns if columns != () else _owner(linking, match.start())
            if columns is None or not places or taken & places:
                continue
            if "cut" in parts and _elsewhere(linking, match.end("what"), match.end()):
                continue
            taken |= places
            verb = (parts.get("verb") or "contain").casefold()
            held = tuple(_pattern(verb, t.strip("\"“”'")) for t in _ONE.findall(parts["texts"]))
            both = " and " in _ONE.sub("", f" {parts['texts']} ") and len(held) > 1
            titled = parts["what"].casefold().startswith("title")
            yield Holding(held, both, columns, places, names, titled=titled)
    yield from _parts(text, linking, names, taken)


def _elsewhere(linking: Linking, start: int, end: int) -> bool:
    """True if what rows hold is surely a value of another table: "orders that contain Assam" are of tea."""
    places = linking.places(start, end)
    if any(linking.tokens[i].quoted for i in places):
        return False
    rows = {m.table for m in linking.table_mentions if m.span.end == min(places)}
    return any(
        v.match in SPELT and v.probability >= _LIKELY and v.column.table not in rows
        for v in linking.values
        if rows and places.issuperset(range(*v.span))
    )


def _pattern(verb: str, text: str) -> str:
    if verb.startswith(("start", "begin")):
        return f"{text}%"
    return f"%{text}" if verb.startswith("end") else f"%{text}%"


def _columns(linking: Linking, start: int, end: int, *, of_rows: bool) -> tuple[ColumnKey, ...] | None:
    """The columns that words name, none where these stand for what rows are called; None for nothing.

    Where they say the rows themselves (`of_rows`), their names are meant: "papers that contain Survey".
    """
    places = sorted(linking.places(start, end))
    if not places:
        return None
    last = places[-1]
    named = [m for m in linking.column_mentions if m.span.end == last + 1]
    best = max((m.score for m in named), default=0.0)
    if linking.tokens[last].lower in NAMES and len(places) == 1:
        return ()
    if of_rows and any(m.span.end == last + 1 and m.score >= best for m in linking.table_mentions):
        return ()
    return tuple(m.column for m in named if not of_rows or m.score == best) or None


def _owner(linking: Linking, start: int) -> tuple[ColumnKey, ...]:
    """The columns that the word ahead names better than any table: "made by a studio" whose name contains."""
    place = linking.place_at(start)
    tables = [m.score for m in linking.table_mentions if m.span.end == place]
    named = [
        m for m in linking.column_mentions if m.span.end == place and m.score > max(tables, default=NAMED)
    ]
    best = max((m.score for m in named), default=0.0)
    return tuple(dict.fromkeys(m.column for m in named if m.score == best))


def _parts(text: str, linking: Linking, names: RowNames, taken: frozenset[int]) -> Iterator[Holding]:
    """Places that are part of a text, as a street is of an address: "on Oak St or River Rd"."""
    for match in _ON.finditer(text):
        place = linking.place_at(match.end())
        found, columns = [], None
        while place is not None and (span := _part_at(linking, place)) is not None:
            column, part = _held_by(linking, span)
            if column is None or (columns and columns != column):
                break
            columns, end = column, span.end
            found.append(f"%{part}%")
            going_on = end < len(linking.tokens) and linking.tokens[end].lower in {"or", ","}
            place = end + 1 if going_on else None
        if found and columns:
            places = linking.places(match.start(), linking.tokens[end - 1].end)
            if not places & taken:
                yield Holding(tuple(found), False, (columns,), places, names, needed=True)


def _part_at(linking: Linking, place: int) -> Span | None:
    """The longest run of words from a place on that are only a part of values, and nothing else."""
    spans = {v.span for v in linking.values if v.match == "partial" and v.span.first == place}
    span = max(spans, default=None)
    if span is None or max(a[:, slice(*span)].max(initial=0) for a in _alignments(linking)) >= NAMED:
        return None
    whole = any(v.match in HELD and v.span.overlaps(span) for v in linking.values)
    return None if whole else span


def _alignments(linking: Linking) -> tuple[Floats, Floats]:
    return linking.alignment, linking.table_alignment


def _held_by(linking: Linking, span: Span) -> tuple[ColumnKey | None, str]:
    """The one column whose values hold some words as they stand, and these."""
    values = [v for v in linking.values if v.match == "partial" and v.span == span]
    part = values[0].text
    held = [v for v in values if part.casefold() in str(v.value).casefold()]
    columns = {v.column for v in held}
    return (columns.pop() if len(columns) == 1 and len(held) == len(values) else None), part
