"""Reads columns that are compared with each other: "shipped after the required date"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.grammars.groups import by_whole_words
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.levels import NAMED, WHOLLY_NAMED
from fathom.offline.linking.wordlists import LIGHT
from fathom.offline.queries.query import ColumnRef, ComparisonPredicate, Query, mentioned_tables, restricted
from fathom.records import Assumption

_DATED: dict[tuple[str, ...], str] = {
    ("after",): ">",
    ("later", "than"): ">",
    ("past",): ">",
    ("before",): "<",
    ("earlier", "than"): "<",
    ("prior", "to"): "<",
}
_SIZED: dict[tuple[str, ...], str] = {
    **{(w,): ">" for w in ("above", "over", "exceed", "exceeds", "exceeded")},
    **{(w,): "<" for w in ("below", "under")},
    **{(w, "than"): ">" for w in ("higher", "more", "greater", "larger", "bigger")},
    **{(w, "than"): "<" for w in ("lower", "less", "fewer", "smaller", "cheaper")},
}
_BETWEEN = frozenset(
    "they it the their its his her was were is are had been being originally a an at".split()
)
_AHEAD = LIGHT | frozenset(
    "that which who whose was were is are has have had been with a an the their its in at came come".split()
)
_ENDS = frozenset(".?!,;")


@dataclass(frozen=True, slots=True)
class Compared:
    """That one column of the rows asked for is beyond another, said at places of the tokens."""

    left: ColumnKey
    right: ColumnKey
    sign: str
    places: frozenset[int]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of such rows; None where it isn't about the columns' table."""
        tables = [t for t in mentioned_tables(query) if t.name == self.left.table]
        if len(tables) != 1 or query.source is not None or query.compound is not None:
            return None
        left, right = (ColumnRef(tables[0], c.column) for c in (self.left, self.right))
        told = f"{self.left.column} is compared with {self.right.column}."
        return restricted(query, ComparisonPredicate(left, self.sign, right)), Assumption("column", told)


def compared_columns(reading: FilterReading) -> Iterator[Compared]:
    """Give the comparisons of two columns, where it is clear which columns are meant."""
    yield from _Comparisons(reading).read()


class _Comparisons:
    """Finds the columns that one question compares with each other."""

    def __init__(self, reading: FilterReading) -> None:
        linking = reading.linking
        self._linking, self._words = linking, [t.lower for t in linking.tokens]
        self._alignment = by_whole_words(linking)
        self._dates = frozenset(c for t in linking.tables for c in reading.dates.of(t))
        self._sizes = frozenset(c for c in linking.columns if reading.names.measures(c))

    def read(self) -> Iterator[Compared]:
        """Give the comparisons, place by place."""
        for place in range(1, len(self._words)):
            for signs, columns in ((_DATED, self._dates), (_SIZED, self._sizes)):
                for words, sign in signs.items():
                    if tuple(self._words[place : place + len(words)]) == words:
                        yield from self._at(place, place + len(words), sign, columns)

    def _at(self, place: int, behind: int, sign: str, columns: frozenset[ColumnKey]) -> Iterator[Compared]:
        start = behind
        while start < len(self._words) and self._words[start] in _BETWEEN:
            start += 1
        end = start
        while end < len(self._words) and self._near(range(end, end + 1), columns):
            end += 1
        ends = end >= len(self._words) or self._words[end] in _ENDS
        right = self._near(range(start, end), columns) if end > start and ends else {}
        first, left = self._ahead(place, columns)
        if not right:
            return
        if not left and columns is self._dates:
            others = {c: 1.0 for r in right for c in columns if c.table == r.table and c != r}
            left = others if len(others) == 1 else {}
        pairs = [(a, b) for a in left for b in right if a.table == b.table and a != b]
        if len(pairs) == 1:
            yield Compared(*pairs[0], sign, frozenset(range(first, end)))

    def _ahead(self, place: int, columns: frozenset[ColumnKey]) -> tuple[int, dict[ColumnKey, float]]:
        """Where what is said of the first column begins, and which one it may be."""
        first, named = place, list[int]()
        while first > 1 and self._linking.table_alignment[:, first - 1].max(initial=0) < WHOLLY_NAMED:
            near = self._near(range(first - 1, first), columns)
            if not (near or self._words[first - 1] in _AHEAD):
                break
            if near:
                named.append(first - 1)
            first -= 1
        return first, self._near(named, columns) if named else {}

    def _near(self, places: Sequence[int], columns: frozenset[ColumnKey]) -> dict[ColumnKey, float]:
        """The columns that words name best."""
        near = {c: float(sum(self._alignment[self._linking.index[c], i] for i in places)) for c in columns}
        best = max(near.values(), default=0.0)
        return {c: n for c, n in near.items() if n >= max(best, NAMED)}
