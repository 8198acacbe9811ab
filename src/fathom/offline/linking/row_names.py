"""Names of a table's rows, and the table whose rows a question asks for."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.records import ColumnKey, Floats, Linking, QuestionToken
from fathom.offline.linking.text import name_stems, stem
from fathom.text.english import LEMMAS
from fathom.text.identifiers import identifier_words

_HEADS = frozenset(("which", "what", "list", "show", "find", "give", "display", "return", "who", "whose"))
_PASSED = frozenset(("all", "the", "me", "us", "every", "any", "different", "distinct", "are", "is", "was"))
_BETWEEN = frozenset(
    ("of", "for", "with", "in", "by", "from", "number", "count", "average", "total", "sum", "many", "much")
)
_MOST_ADJECTIVES = 2
_SORTS = frozenset(("order", "sort", "arrange", "rank"))
_PARTICIPLES = ("ed", "en", "made", "held", "run", "led", "built", "sold", "sung", "won")
EACH = frozenset(("each", "every", "per"))
_LASTS = frozenset(("last", "family", "l", "surname", "lastname"))
_FIRSTS = frozenset(("first", "given", "f", "forename", "firstname"))
_NUMBERS = frozenset(("id", "number", "code"))
_WHOLE = frozenset(("name", "title", "full"))
_DESCRIPTIONS = frozenset(map(stem, ("description", "desc", "label", "caption")))
_WHOLE_STEMS = frozenset(map(stem, _WHOLE))


@lru_cache(4096)
def naming_columns(table: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that together name a table's rows, best choice only; empty where none does.

    That is `name`, `title` or the table's name before it; else first and last name; else the first column
    whose last word is one of the two.
    """
    words = {c: identifier_words(c) for c in columns}
    own = {*identifier_words(table), *name_stems(table)}
    called = [c for c in columns if words[c] and words[c][-1] == "name" and set(words[c]) - own <= _WHOLE]
    if called:
        return (called[0],)
    first = next((c for c in columns if _is_part(words[c], _FIRSTS)), None)
    last = next((c for c in columns if _is_part(words[c], _LASTS)), None)
    if first and last:
        return first, last
    titled = [c for c in columns if words[c] and words[c][-1] == "title" and set(words[c]) - own <= _WHOLE]
    ending = [c for c in columns if words[c] and words[c][-1].endswith(("name", "title"))]
    parts = [c for c in (first, last) if c]
    return tuple([*titled, *ending, *parts][:1])


def names_many(token: QuestionToken) -> bool:
    """True if a word is a plural, by its form."""
    return token.lower in LEMMAS or (token.lower.endswith("s") and not token.lower.endswith("ss"))


def says_no_more(table: str, column: str) -> bool:
    """True if a column is called a name or title and after its table alone: no `ship_name` of orders."""
    return {*name_stems(column)}.difference(name_stems(table)) <= _WHOLE_STEMS


def describes(table: str, column: str) -> bool:
    """True if a column is called the description of a table's rows: `region_description` of regions."""
    left = {*name_stems(column)}.difference(name_stems(table))
    return bool(left) and left <= _DESCRIPTIONS


def naming_keys(columns: Iterable[ColumnKey]) -> frozenset[ColumnKey]:
    """The columns of a schema that alone name the rows of their tables."""
    own: dict[str, list[str]] = {}
    for column in columns:
        own.setdefault(column.table, []).append(column.column)
    names = {t: naming_columns(t, tuple(c)) for t, c in own.items()}
    return frozenset(ColumnKey(t, n[0]) for t, n in names.items() if len(n) == 1)


def numbering_columns(table: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The one column that numbers a table's rows and is called after it: `order_id`; empty without one."""
    own = {*identifier_words(table), *name_stems(table)}
    words = {c: identifier_words(c) for c in columns}
    found = [
        c for c in columns if len(words[c]) > 1 and words[c][-1] in _NUMBERS and set(words[c][:-1]) <= own
    ]
    return tuple(found) if len(found) == 1 else ()


def _is_part(words: Sequence[str], which: frozenset[str]) -> bool:
    """True if a column holds the first, or the last, part of names."""
    return bool(words) and (words[-1] in which or (words[-1] == "name" and bool(which & set(words[:-1]))))


def asked_table(tokens: Sequence[QuestionToken], tables: Floats, columns: Floats) -> int | None:
    """The table (its row in `tables`) whose rows the question asks for, not for one of their columns.

    "Which artists ...", "list the customers ...", "who is the oldest employee": what opens the question is
    followed by the table's name, with nothing but adjectives between. `tables` and `columns` are how far
    each token (second axis) mentions each of them. None for all else: "which cities" where that is a
    column, "the names of the artists", "how many customers".
    """
    opening = next((i for i, t in enumerate(tokens[:3]) if t.lower in _HEADS), None)
    if opening is None or not len(tables):
        return None
    adjectives = 0
    for place in range(opening + 1, len(tokens)):
        token = tokens[place]
        best = int(tables[:, place].argmax())
        if token.kind == "sign" or token.evidence or token.lower in _BETWEEN:
            return None
        if tables[best, place] >= max(NAMED, columns[:, place].max(initial=0)):
            return best if _alone(tokens, columns, place) else None
        ranked = any(superlative_direction(t) for t in tokens[max(0, place - 1) : place + 1])
        named = columns[:, place].max(initial=0) >= NAMED and not ranked
        adjectives += token.lower not in _PASSED
        if named or adjectives > _MOST_ADJECTIVES:
            return None
    return None


def each_table(tokens: Sequence[QuestionToken], tables: Floats, columns: Floats) -> int | None:
    """The table of which the question wants something told for each row: "... does each customer have"."""
    for place, token in enumerate(tokens[:-1]):
        if token.lower in EACH and not token.evidence and len(tables):
            best = int(tables[:, place + 1].argmax())
            if tables[best, place + 1] >= max(NAMED, columns[:, place + 1].max(initial=0)):
                return best if _alone(tokens, columns, place + 1) else None
    return None


def tells_who(word: str) -> bool:
    """True if "by" after this word says who did something, or in which order, and not what to group by."""
    return word in _SORTS or word.endswith(_PARTICIPLES)


def grouping_columns(linking: Linking) -> frozenset[ColumnKey]:
    """The columns by which a quantity is asked for: "the average price by year", "how many ... per genre".

    Where a table is named, all of its columns. Empty where no quantity is asked for, or not by groups.
    """
    if not linking.quantities:
        return frozenset()
    tokens = linking.tokens
    for place in range(1, len(tokens) - 1):
        by = tokens[place].lower == "by" and not tells_who(tokens[place - 1].lower)
        if by or tokens[place].lower in EACH:
            after = slice(place + 1, place + 3)
            columns = linking.alignment[:, after].max(axis=1, initial=0)
            tables = linking.table_alignment[:, place + 1]
            named = {linking.tables[i] for i in np.flatnonzero(tables >= NAMED)}
            found = {
                c for c, a in zip(linking.columns, columns, strict=True) if a >= NAMED or c.table in named
            }
            if found:
                return frozenset(found)
    return frozenset()


def _alone(tokens: Sequence[QuestionToken], columns: Floats, place: int) -> bool:
    """True if a table's name isn't the first part of a column's, as in "the customer names"."""
    if place + 1 >= len(tokens) or tokens[place + 1].kind != "word" or tokens[place + 1].stop:
        return True
    return bool(columns[:, place + 1].max(initial=0) < NAMED)
