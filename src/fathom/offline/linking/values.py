"""Values that a question names: those in cells, yes-or-no columns, codes, quoted text and numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.offline.linking.cues import comparison_at
from fathom.offline.linking.records import (
    ColumnKey,
    DateMention,
    LinkedValue,
    NumberMention,
    QuestionToken,
    Span,
    ValueMatch,
)
from fathom.offline.linking.schema_words import SchemaWords
from fathom.offline.linking.wordlists import BE, CODES, FALSE, FILLERS, PLACES, TRUE
from fathom.records import TableProfile
from fathom.retrieval import ValueIndex
from fathom.text.identifiers import identifier_words
from fathom.text.patterns import Pattern

_YEAR = Pattern(r"[12]\d{3}", re.ASCII)
_BEGINS_WITH_YEAR = re.compile(r"[12]\d{3}")
_PLACES = {
    "states": frozenset("state st province region".split()),
    "countries": frozenset("country nation nationality".split()),
}
"""Words in names of columns of places, by their kind."""
_ASKING = frozenset("average averages mean total sum count number minimum maximum".split())
_FEW = 12  # distinct values a column may have for its codes to be read as words


@dataclass(frozen=True)
class ShortValues:
    """The values of columns that hold only a few, where these are short: codes, flags."""

    by_column: Mapping[ColumnKey, tuple[str | int | float, ...]]


def short_values(profiles: Mapping[str, TableProfile]) -> ShortValues:
    """Collect codes and flags from profiles."""
    found = {}
    for profile in profiles.values():
        for seen in profile.columns.values():
            values = [v for v, _ in seen.common if isinstance(v, str | int | float)]
            few = seen.distinct is not None and 0 < seen.distinct <= _FEW and len(values) == seen.distinct
            if few and all(len(str(v)) <= 5 for v in values):
                found[ColumnKey(profile.table, seen.column)] = tuple(values)
    return ShortValues(found)


def find_values(
    text: str,
    tokens: Sequence[QuestionToken],
    index: ValueIndex | None,
    words: SchemaWords,
    *,
    evidence: str = "",
) -> list[LinkedValue]:
    """The cell values that question and evidence name, each with the column that holds it."""
    found: dict[tuple[ColumnKey, str | int, Span], LinkedValue] = {}
    if index is None:
        return []
    for source, given in ((text, False), (evidence, True)):
        for mention in index.mentions(source) if source else ():
            span = span_of(tokens, mention.start, mention.end, evidence=given)
            if span is None or _asks_for_number(tokens, span):
                continue
            for match in mention.matches:
                column = ColumnKey(match.table, match.column)
                separator = words.separators.get(column, "")
                item = _item(match.value, mention.text, separator)
                dated = column in words.index and bool(words.traits[words.index[column]][2])
                if dated and match.coverage < 1 and not _BEGINS_WITH_YEAR.match(str(match.value)):
                    continue  # "July 2022" isn't a piece of the one day "06 July 2022"
                if column in words.index and item:
                    whole = separator and item != match.value
                    value = _year(mention.text, match.coverage, dated=dated) or item
                    found[column, value, span] = LinkedValue(
                        column,
                        value,
                        mention.text,
                        span,
                        0.95 if whole else match.score,
                        "folded" if whole else match.kind,
                        comparison_at(tokens, span) or "=",
                        rows=match.count,
                        coverage=1.0 if whole else match.coverage,
                    )
    return list(found.values())


def _asks_for_number(tokens: Sequence[QuestionToken], span: Span) -> bool:
    """True if a word only asks for a number, though a cell holds it: "their average rating"."""
    token = tokens[span.first]
    return span.end == span.first + 1 and token.text in _ASKING and not token.quoted


def _year(text: str, coverage: float, *, dated: bool) -> int | None:
    """The year that a piece of stored dates is: 2003 means all of it, not the day of one row."""
    year = dated and coverage < 1 and _YEAR.fullmatch(text.strip())
    return int(year[0]) if year else None


def _item(value: str, text: str, separator: str) -> str:
    """The item of a cell that a text names; the whole value where cells hold one, "" where none is named."""
    if not separator:
        return value
    return next((i for i in map(str.strip, value.split(separator)) if i.casefold() == text.casefold()), "")


def span_of(tokens: Sequence[QuestionToken], start: int, end: int, *, evidence: bool) -> Span | None:
    """The tokens between two characters of the question, or of the evidence."""
    inside = [
        i
        for i, t in enumerate(tokens)
        if t.evidence == evidence and t.start < end and t.end > start and t.kind != "sign"
    ]
    return Span(inside[0], inside[-1] + 1) if inside else None


def with_states(tokens: tuple[QuestionToken, ...], index: ValueIndex | None) -> tuple[QuestionToken, ...]:
    """The tokens, of which those behind "are" carry content where they end a clause and a cell holds them.

    "How many jobs are done" asks for the jobs of a status "done", where there is one.
    """
    if index is None:
        return tokens
    found = list(tokens)
    for place in range(1, len(tokens)):
        token, after = tokens[place], tokens[place + 1 : place + 2]
        ends = not after or after[0].stop or after[0].kind == "sign"
        if token.stop and ends and tokens[place - 1].lower in BE and _is_cell(token.lower, index):
            found[place] = replace(token, stop=False)
    return tuple(found)


def _is_cell(word: str, index: ValueIndex) -> bool:
    return any(match.value.casefold() == word for match in index.lookup(word))


def find_codes(tokens: Sequence[QuestionToken], short: ShortValues, words: SchemaWords) -> list[LinkedValue]:
    """Codes that stand for words of the question: 'F' for "women", or the initial of a word."""
    found = []
    for column, values in short.by_column.items():
        if column not in words.index:
            continue
        for value in values:
            code = str(value).casefold()
            for place, token in enumerate(tokens):
                if token.stop or token.kind != "word":
                    continue
                if token.lower in CODES.get(code, ()):
                    found.append(_mention(column, value, (token, place), 0.9, "code"))
                elif len(code) <= 2 and _initial(code, token):
                    found.append(_mention(column, value, (token, place), 0.2, "code"))
    return found


def find_places(
    tokens: Sequence[QuestionToken], index: ValueIndex | None, words: SchemaWords
) -> list[LinkedValue]:
    """The codes that stand for places named in full, in columns called after such: 'AZ' for "Arizona"."""
    found: list[LinkedValue] = []
    lower = tuple(t.lower for t in tokens)
    if index is None:
        return found
    for kind, places in PLACES.items():
        end = 0
        for first in range(len(tokens)):
            span = next(
                (s for n in (2, 1) if lower[(s := Span(first, first + n)).first : s.end] in places), None
            )
            if span is not None and first >= end:
                end = span.end
                text = " ".join(t.text for t in tokens[first:end])
                comparison = comparison_at(tokens, span) or "="
                found += (
                    LinkedValue(column, code, text, span, 0.9, "code", comparison, rows=rows)
                    for code in places[lower[first:end]]
                    for column, rows in _holding(code, index, words, kind)
                )
    return found


def _holding(code: str, index: ValueIndex, words: SchemaWords, kind: str) -> Iterator[tuple[ColumnKey, int]]:
    """The columns called after states or countries that hold a code, and in how many rows."""
    for match in (m for mention in index.mentions(code) for m in mention.matches):
        column = ColumnKey(match.table, match.column)
        called = _PLACES[kind].intersection(identifier_words(match.column))
        if column in words.index and called and match.value == code and match.kind == "exact":
            yield column, match.count


def find_flags(
    tokens: Sequence[QuestionToken],
    short: ShortValues,
    mentioned: Mapping[ColumnKey, tuple[int, float]],
    negations: Sequence[Span],
) -> list[LinkedValue]:
    """Yes-or-no columns that a word names: the value that stands for "yes", or "no" after a negation.

    `mentioned` gives for each column the token that names it best, and how well.
    """
    found = []
    for column, values in short.by_column.items():
        flags = {str(v).casefold(): v for v in values}
        yes, no = _only(flags, TRUE), _only(flags, FALSE)
        if len(flags) > 2 or column not in mentioned or (yes is None and no is None):
            continue
        place, score = mentioned[column]
        denied = any(0 <= place - n.first <= 4 for n in negations)
        for value, wanted in ((yes, not denied), (no, denied)):
            if value is not None:
                weight = score if wanted else 0.3 * score
                found.append(_mention(column, value, (tokens[place], place), weight, "boolean"))
    return found


def find_fragments(
    tokens: Sequence[QuestionToken], quotes: Sequence[Span], words: SchemaWords, held: Sequence[LinkedValue]
) -> list[LinkedValue]:
    """Text to look for that no cell holds whole, in every text column: quoted, or after "containing"."""
    known = {v.span for v in held if v.match in {"exact", "folded"}}
    spans = {s: comparison_at(tokens, s) or "=" for s in quotes}
    spans = {s: sign for s, sign in spans.items() if sign == "like" or s not in known}
    for place, token in enumerate(tokens):
        single = Span(place, place + 1)
        if token.quoted or token.evidence or token.lower in FILLERS:
            continue
        if token.stop and not (len(token.lower) == 1 and tokens[place - 1].lower in FILLERS):
            continue
        if comparison_at(tokens, single) == "like" and not token.lower.startswith(("contain", "includ")):
            spans[single] = "like"
    texts = {s: " ".join(t.text for t in tokens[s.first : s.end]) for s in spans}
    return [
        LinkedValue(column, texts[span], texts[span], span, 0.5, "quoted", sign)
        for span, sign in spans.items()
        for column, traits in zip(words.columns, words.traits, strict=True)
        if traits[1] or traits[2]
    ]


def pair_dates(
    tokens: Sequence[QuestionToken], dates: Sequence[DateMention], words: SchemaWords
) -> list[LinkedValue]:
    """Each date with each column of dates; the value is its first day in ISO form."""
    return [
        LinkedValue(
            column,
            date.first,
            " ".join(t.text for t in tokens[date.span.first : date.span.end]),
            date.span,
            0.5,
            "date",
            date.comparison,
        )
        for date in dates
        if date.first is not None
        for column, traits in zip(words.columns, words.traits, strict=True)
        if traits[2]
    ]


def pair_numbers(
    tokens: Sequence[QuestionToken], numbers: Sequence[NumberMention], words: SchemaWords
) -> list[LinkedValue]:
    """Each number with each column that it may be compared with."""
    found = []
    for number in numbers:
        text = " ".join(t.text for t in tokens[number.span.first : number.span.end])
        for column, traits in zip(words.columns, words.traits, strict=True):
            if traits[0] or (traits[2] and number.year):
                found.append(
                    LinkedValue(
                        column,
                        number.value,
                        text,
                        number.span,
                        0.5,
                        "number",
                        number.comparison,
                        number.upper,
                    )
                )
    return found


def _initial(code: str, token: QuestionToken) -> bool:
    if not code.isalpha() or code in TRUE | FALSE:
        return False
    return len(code) < len(token.lower) and token.lower.startswith(code)


def _only(flags: Mapping[str, str | int | float], kind: frozenset[str]) -> str | int | float | None:
    return next((v for k, v in flags.items() if k in kind), None)


def _mention(
    column: ColumnKey,
    value: str | int | float,
    at: tuple[QuestionToken, int],
    score: float,
    match: ValueMatch,
) -> LinkedValue:
    token, place = at
    return LinkedValue(column, value, token.text, Span(place, place + 1), score, match)
