"""The values that a question of plain rows names: one for each run of words, of one column each."""

from collections.abc import Sequence

from fathom.offline.linking import LinkedValue, Linking
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.value_match import HELD, INFLECTED
from fathom.offline.linking.wordlists import LIGHT, TRUE

_BE = frozenset(("are", "is", "were", "was", "still"))
_LIKELY, _POSSIBLE = 0.5, 0.1
_CLEARLY = 0.15
"""How much likelier a column must be to hold a value that is meant than the next one."""


def values_of(linking: Linking) -> Sequence[LinkedValue] | None:
    """The values that a question names, one for each run of words; None where it isn't clear whose one is."""
    found: list[LinkedValue] = []
    likely = [v for v in linking.values if (v.match in HELD and _is_likely(linking, v)) or of_year(v)]
    for value in sorted(likely, key=lambda v: (-(v.span.end - v.span.first), -v.probability)):
        if any(value.span.overlaps(v.span) for v in found):
            continue
        others = [
            v.probability for v in linking.values
            if v.span.overlaps(value.span) and v.column != value.column and v.match in HELD
        ]  # fmt: skip
        doubtful = value.probability - max(others, default=0.0) < _CLEARLY
        if value.comparison != "=" or (doubtful and not _alone(linking, value)) or _is_year(linking, value):
            return None
        found.append(value)
    return sorted(found, key=lambda v: v.span)


def _is_year(linking: Linking, value: LinkedValue) -> bool:
    """True if a value may as well be the year of its row, which another column holds."""
    said = any(n.year and n.span == value.span for n in linking.numbers)
    years = {c for c in linking.columns if c.table == value.column.table and "year" in c.column.casefold()}
    return said and bool(years) and value.column not in years


def of_year(value: LinkedValue) -> bool:
    """True if a number is the year that a column called so holds: "in April 2021"."""
    return (
        value.match == "number" and value.probability >= _LIKELY and "year" in name_stems(value.column.column)
    )


def _is_likely(linking: Linking, value: LinkedValue) -> bool:
    """True if a column that holds a word is the one that is meant: likelier than not, or than any other."""
    first, end = value.span
    if end == first + 1 and linking.tokens[first].text in LIGHT:
        return False  # "tracks that belong to"
    others = (v.probability for v in linking.values if v.span == value.span and v.column != value.column)
    ahead = value.match in INFLECTED and value.probability >= max(_POSSIBLE * 4, 2 * max(others, default=0.0))
    return value.probability >= _LIKELY or ahead or _alone(linking, value)


def _alone(linking: Linking, value: LinkedValue) -> bool:
    """True if words can hardly mean anything else: one column holds them, or a flag is called so."""
    if value.match == "boolean":
        first, end = value.span
        held = {v.span.first for v in linking.values if v.match in INFLECTED and v.probability >= _LIKELY}
        ahead = end in held | {m.span.first for m in linking.table_mentions}
        behind = first > 0 and linking.tokens[first - 1].lower in _BE
        return (ahead or behind) and str(value.value).casefold() in TRUE
    holding = {v.column for v in linking.values if v.span.overlaps(value.span) and v.match in HELD}
    said = any(value.span.overlaps(q.span) for q in linking.quantities)
    token = linking.tokens[value.span.first]
    word = token.kind == "word" and token.lower not in LIGHT and not said
    return word and value.match in INFLECTED and value.probability >= _POSSIBLE and len(holding) == 1
