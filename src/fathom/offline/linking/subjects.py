"""Which row a question is about, where several columns hold what it names.

"The population of Oregon" asks the table in which Oregon is a row, not one that refers to it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from fathom.offline.linking.implied_mentions import ASKED, named_tables, sought
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.reading import TokenMatches
from fathom.offline.linking.records import ROLES, Floats, LinkedValue, Span
from fathom.offline.linking.row_names import naming_keys
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import DO

_DOUBTED = 0.3
"""The factor on the probability of a value that more likely means something else."""
_IDLE = 0.05
"""The factor on the probability of a value which all rows have."""
_WITHIN = frozenset(("in", "through", "within", "inside", "across"))


def subjects_first(
    reading: TokenMatches, columns: Floats, values: tuple[LinkedValue, ...]
) -> tuple[Floats, tuple[LinkedValue, ...]]:
    """The scores (columns x roles) and values with those doubted for which another more likely stands.

    "How long is the Mississippi" is about the row of that name, where its table has lengths, and "the
    population of Oregon" about that of the state, whatever else has one; "the rivers in Colorado" is about no
    river of that name, if another column of the rivers says Colorado. "How many students does Ann advise" is
    about no student of that name. What all rows have restricts nothing: "in the USA", where all is there.
    """
    asked = _asked(reading, columns)
    naming = naming_keys(reading.words.columns)
    alike: dict[Span, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        if value.match in {"exact", "folded"}:
            alike[value.span].append(place)
    likely = [_IDLE * v.probability if v.column in reading.words.uniform else v.probability for v in values]
    about: set[str] = set()
    for span, places in alike.items():
        names = {i: values[i].column.table for i in places if values[i].column in naming}
        # In "Austin Texas" the second says which Austin.
        further = any(other.end == span.first for other in alike)
        tables = frozenset() if further else _subjects(reading, span, {*names.values()}, asked)
        about |= tables & asked.keys()
        if tables:
            best = max(likely[i] for i in places)
            for i in places:
                likely[i] = best if names.get(i) in tables else _DOUBTED * likely[i]
        elif objects := _objects(reading, span, alike):
            best = max(likely[i] for i in places)
            elsewhere = {i for i in places if values[i].column.table not in objects}
            for i in places if elsewhere else ():
                likely[i] = best if i in elsewhere else _DOUBTED * likely[i]
        elif _lies_within(reading, span):
            for i, table in names.items():
                if any(values[j].column.table == table for j in places if j != i):
                    likely[i] *= _DOUBTED
    weighed = tuple(replace(v, probability=p) for v, p in zip(values, likely, strict=True))
    return _of_subjects(reading, columns, about, asked), weighed


def _subjects(
    reading: TokenMatches, span: Span, tables: Set[str], asked: Mapping[str, Sequence[int]]
) -> frozenset[str]:
    """The tables, of those in which a span is a row's name, of whose row the question speaks.

    That are those of its kind, "the Ohio river", "customer Lee"; else those that have what is asked, if it
    names no others.
    """
    kind = (_kinds_after(reading, span) or _kinds_before(reading, span)) & tables
    return kind or frozenset(t for t in tables & asked.keys() if named_tables(reading, span) <= {t})


def _objects(reading: TokenMatches, span: Span, named: Collection[Span]) -> frozenset[str]:
    """The tables to whose rows somebody at a span does something: "how many students does Ann advise"."""
    first, end = span
    while before := [s for s in named if s.end == first]:
        first = before[0].first
    while after := [s for s in named if s.first == end]:
        end = after[0].end
    if not first:
        return frozenset()
    asked = first - (reading.tokens[first - 1].lower in DO)
    aligned = reading.tables.alignment[:, :asked]
    if asked == first:  # "how many students Ann advises"
        does = (
            end < len(reading.tokens) and not reading.tokens[end].stop and reading.tokens[end].kind == "word"
        )
        aligned = aligned[:, first - 1 :] if does else aligned[:, :0]
    best = aligned.max(axis=1, initial=0)
    return frozenset(t for t, a in zip(reading.words.tables, best, strict=True) if a >= NAMED)


def _kinds_after(reading: TokenMatches, span: Span) -> frozenset[str]:
    """The tables that the word after a span names, one row of them: "rivers" would be those in Ohio."""
    after = slice(span.end, span.end + 1)
    if any(t.lower.endswith("s") for t in reading.tokens[after]):
        return frozenset()
    aligned = reading.tables.alignment[:, after].max(axis=1, initial=0)
    return frozenset(t for t, a in zip(reading.words.tables, aligned, strict=True) if a >= NAMED)


def _kinds_before(reading: TokenMatches, span: Span) -> frozenset[str]:
    """The tables whose name, or its last word, stands right before a span: "customer | Ann Lee"."""
    before = {
        t.stem for t in reading.tokens[max(span.first - 1, 0) : span.first] if not t.lower.endswith("s")
    }
    return frozenset(t for t in reading.words.tables if before & {*name_stems(t)[-1:]})


def _of_subjects(
    reading: TokenMatches, columns: Floats, about: Set[str], asked: Mapping[str, Sequence[int]]
) -> Floats:
    """The scores with columns doubted that are called as what is asked of a subject, and are of none.

    So are those in which all rows are alike, unless the question names them.
    """
    words = reading.words
    namesakes = words.same_name[[i for t in about for i in asked[t]]].max(axis=0, initial=0) > 0
    elsewhere = np.array([c.table not in about for c in words.columns])
    alike = np.array([c in words.uniform for c in words.columns])
    unnamed = reading.columns.alignment.max(axis=1, initial=0) < NAMED
    lowered = columns.copy()
    lowered[(namesakes & elsewhere) | (alike & unnamed), ROLES.index("select")] *= _DOUBTED
    return lowered


def _asked(reading: TokenMatches, columns: Floats) -> dict[str, list[int]]:
    """The columns that the question likely asks for, by table."""
    likely = np.flatnonzero(columns[:, ROLES.index("select")] >= ASKED).tolist()
    found: dict[str, list[int]] = defaultdict(list)
    for place in dict.fromkeys((*likely, *sought(reading))):
        found[reading.words.columns[place].table].append(place)
    return found


def _lies_within(reading: TokenMatches, span: Span) -> bool:
    """True if "in", "through" or the like stand before a span, with or without "the" between."""
    before = [t.lower for t in reading.tokens[: span.first]]
    return bool(before) and (before[-2] if before[-1] == "the" and len(before) > 1 else before[-1]) in _WITHIN
