"""Numbers that a column holds for each row: `num_enrolled` of "the number of students enrolled"."""

from collections.abc import Sequence

from fathom.offline.grammars.measures import PASSED, MeasureSource, MeasureWords
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import RowNames

_COUNTING = frozenset(map(stem, "num number no nr count total of amount qty quantity".split()))
"""Words in names of columns that hold how many there are of something."""
_LONG = 4
"""Words that may name what there is a number of."""


def held_number(linking: Linking, names: RowNames, place: int) -> MeasureWords | None:
    """The sum of the one column that holds how many there are of what the words from a place on name.

    Not where that is in a table, whose rows can be counted: `num_reviews` beside reviews.
    """
    said = _words(linking, place)
    found = [
        (column, own)
        for column in linking.columns
        if names.measures(column) and (own := _called(linking, column, said))
    ]
    if len(found) != 1:
        return None
    ((column, own),) = found
    rows = frozenset(i for i in said if i < own[-1] and i not in own)
    source = MeasureSource(column.in_query(), TableRef(column.table), 1.0)
    return MeasureWords("sum", (source,), Span(place, own[-1] + 1), also=rows)


def _words(linking: Linking, place: int) -> Sequence[int]:
    """The places of the words from one on that may name what is counted."""
    end = place
    for token in linking.tokens[place : place + _LONG]:
        if token.kind != "word" or (token.stop and end > place):
            break
        end += 1
    return [i for i in range(place, end) if linking.tokens[i].lower not in PASSED]


def _called(linking: Linking, column: ColumnKey, said: Sequence[int]) -> Sequence[int]:
    """The places of all words of a column's name but for what says that it counts; other words name rows."""
    stems = {*name_stems(column.column)}
    own = [i for i in said if linking.tokens[i].stem in stems - _COUNTING]
    if not own or stems.isdisjoint(_COUNTING) or {linking.tokens[i].stem for i in own} != stems - _COUNTING:
        return ()
    rows = [i for i in said if i < own[-1] and i not in own]
    counted = linking.table_alignment[:, own].min(axis=1).max(initial=0) >= NAMED
    named = all(linking.table_alignment[:, i].max(initial=0) >= NAMED for i in rows)
    return own if named and not counted else ()
