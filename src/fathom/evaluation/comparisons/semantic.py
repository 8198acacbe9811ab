"""`semantic`: Fathom's own comparison, for daily use on one's own database (docs/metrics.md)."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fathom.evaluation.comparisons.alignment import Part, arrangements
from fathom.evaluation.comparisons.digests import find_columns, same_number
from fathom.evaluation.comparisons.order import ResultOrder, read_ordering
from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase, Row, freeze
from fathom.evaluation.comparisons.values import canonical, canonical_rows, close_within
from fathom.evaluation.comparisons.verdict import Verdict, VerdictKind

TOLERANCE = 1e-6
_CLOSE = close_within(relative=TOLERANCE, whole_exact=True)
_BELOW_EXACT = 0.99
_OTHER_TIES = "another choice among rows that tie where the gold query cuts them"


@dataclass(frozen=True, slots=True)
class Semantic:
    """Columns are found by content, whatever their order or names; rows are bags, floats have a tolerance.

    Only `exact` is correct. The order of rows counts where the outermost gold query orders them, rows with
    equal keys in any order; where it cuts ties with LIMIT, any choice among the tied rows is right.
    """

    name: str = "semantic"

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as it is run."""
        return sql

    def gold_sql(self, sql: str) -> str:
        """The gold query as it is run."""
        return sql

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """The verdict and its score."""
        if not (predicted.complete and gold.complete):
            return _compare_large(predicted, gold)
        if not predicted.held and not gold.held:
            return Verdict("exact", True, 1.0, vacuous=True, note="both results are empty")
        return _Pair(predicted, gold, case).verdict()


class _Pair:
    """Two results that are held in memory, in canonical form."""

    def __init__(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> None:
        self.ours, self.theirs = canonical_rows(predicted.held), canonical_rows(gold.held)
        self.width, self.gold_width = predicted.width, gold.width
        self.case = case
        self._ordering: ResultOrder | None = None
        self._ordering_read = False

    def verdict(self) -> Verdict:
        if len(self.ours) == len(self.theirs):
            if self.ours == self.theirs:
                return self._agreed()
            verdict = self._same_rows()
            if verdict is not None:
                return verdict
        return self._other_ties() or self._more_or_fewer_rows() or self._different()

    def _same_rows(self) -> Verdict | None:
        if next(self._arranged(self.theirs, ordered=True), None) is not None:
            return self._agreed()
        wrong_order: Verdict | None = None
        for ours, pick in self._arranged(self.theirs, ordered=False):
            if self._in_order(ours, pick):
                return self._agreed()
            place = sum(map(_CLOSE.rows, ours, map(pick, self.theirs))) / len(self.theirs)
            wrong_order = Verdict(
                "different", False, min(_BELOW_EXACT, max(place, 0.5)), note="the same rows in another order"
            )
        return wrong_order

    def _arranged(
        self, theirs: Sequence[Row], *, ordered: bool, part: bool = False
    ) -> Iterator[tuple[list[Row], "_Pick"]]:
        """Our rows with columns arranged as the gold's, and what picks the same columns of a gold row."""
        if self.width < self.gold_width:
            gold_part: Part = "theirs" if part else None
            for chosen in arrangements(theirs, self.ours, _CLOSE, ordered=ordered, part=gold_part):
                yield self.ours, _Pick(chosen)
            return
        gold = [row[: self.gold_width] for row in theirs]
        for chosen in arrangements(self.ours, gold, _CLOSE, ordered=ordered, part="ours" if part else None):
            yield [_Pick(chosen)(row) for row in self.ours], _Pick(tuple(range(self.gold_width)))

    @property
    def ordering(self) -> ResultOrder | None:
        if not self._ordering_read:
            self._ordering_read = True
            self._ordering = read_ordering(self.case.gold_sql, self.case.dialect)
        return self._ordering

    def _in_order(self, ours: list[Row], pick: "_Pick") -> bool:
        ordering = self.ordering
        if ordering is None or not ordering.keys:
            return True
        uncut = self._uncut(ordering)
        return uncut is not None and _fits_window(ours, uncut, pick, ordering, self.gold_width)

    def _uncut(self, ordering: ResultOrder) -> list[Row] | None:
        """All gold rows with their sorting keys; None where they can't be had."""
        if self.case.run_gold is None:
            return None
        table = self.case.run_gold(ordering.uncut)
        if table is None or not table.complete or table.width != self.gold_width + ordering.keys:
            return None
        return canonical_rows(table.held)

    def _other_ties(self) -> Verdict | None:
        """Right where the prediction chose other rows among those that tie at the gold's LIMIT."""
        ordering = self.ordering if len(self.ours) == len(self.theirs) and self.ours else None
        if ordering is None or (ordering.limit is None and not ordering.offset):
            return None
        uncut = self._uncut(ordering)
        if uncut is None:
            return None
        for ours, pick in self._arranged(uncut, ordered=False, part=True):
            if _fits_window(ours, uncut, pick, ordering, self.gold_width):
                return self._agreed(_OTHER_TIES)
        return None

    def _agreed(self, note: str = "") -> Verdict:
        if self.width == self.gold_width:
            return Verdict("exact", True, 1.0, note=note)
        few, many = sorted((self.width, self.gold_width))
        kind: VerdictKind = "extra_columns" if self.width > self.gold_width else "missing_columns"
        return Verdict(kind, False, min(few / many, _BELOW_EXACT), note=note)

    def _more_or_fewer_rows(self) -> Verdict | None:
        if not self.theirs:
            return Verdict("extra_rows", False, 0.0)
        if not self.ours:
            return Verdict("missing_rows", False, 0.0)
        if self.width != self.gold_width or len(self.ours) == len(self.theirs):
            return None
        more = len(self.ours) > len(self.theirs)
        many, few = (self.ours, self.theirs) if more else (self.theirs, self.ours)
        if next(arrangements(many, few, _CLOSE, ordered=False, part="theirs"), None) is None:
            return None
        kind: VerdictKind = "extra_rows" if more else "missing_rows"
        return Verdict(kind, False, min(len(few) / len(many), _BELOW_EXACT))

    def _different(self) -> Verdict:
        ours = list(zip(*self.ours, strict=True))
        chosen: list[int] = []
        pairs = []
        for place, column in enumerate(zip(*self.theirs, strict=True)):
            bag = Counter(column)
            free = [i for i in range(len(ours)) if i not in chosen]
            if free:
                chosen.append(max(free, key=lambda i: (Counter(ours[i]) & bag).total()))
                pairs.append(place)
        left = [tuple(row[c] for c in chosen) for row in self.ours]
        right = [tuple(row[c] for c in pairs) for row in self.theirs]
        share = 2 * _CLOSE.matched(left, right) / (len(left) + len(right))
        widths = sorted((self.width, self.gold_width))
        return Verdict("different", False, min(_BELOW_EXACT, share * widths[0] / max(widths[1], 1)))


@dataclass(frozen=True, slots=True)
class _Pick:
    """Picks columns of a row."""

    columns: tuple[int, ...]

    def __call__(self, row: Row) -> Row:
        return tuple(row[c] for c in self.columns)


def _fits_window(
    ours: Sequence[Row], uncut: Sequence[Row], pick: _Pick, ordering: ResultOrder, width: int
) -> bool:
    """True if our rows are a result that the gold query's order and limit allow.

    The uncut gold rows fall into groups of equal keys; each group's share of the window must be filled by
    rows of that group, in any order.
    """
    end = len(uncut) if ordering.limit is None else min(len(uncut), ordering.offset + ordering.limit)
    if len(ours) != max(end - ordering.offset, 0):
        return False
    start = 0
    for _, members in groupby(uncut, key=lambda row: row[width:]):
        pool = [pick(row) for row in members]
        first, last = max(start, ordering.offset), min(start + len(pool), end)
        start += len(pool)
        if first < last and not _CLOSE.within(ours[first - ordering.offset : last - ordering.offset], pool):
            return False
    return True


def _rounded(value: Any) -> Any:
    found = canonical(value)
    if isinstance(found, float) and found and math.isfinite(found):
        return float(f"{found:.6e}")
    return freeze(found)


def _compare_large(predicted: ComparedTable, gold: ComparedTable) -> Verdict:
    """Too large to hold: floats are rounded to seven digits, order and ties are not looked at."""
    note = "too large to be held: floats compared by seven digits, order not looked at"
    if not gold.held or not predicted.held:
        return Verdict("extra_rows" if predicted.held else "missing_rows", False, 0.0, note=note)
    if same_number(predicted, gold):
        if predicted.width >= gold.width:
            found = find_columns(predicted, gold, ordered=False, canonical=_rounded)
        else:
            found = find_columns(gold, predicted, ordered=False, canonical=_rounded)
        few, many = sorted((predicted.width, gold.width))
        if found is None:
            return Verdict("different", False, 0.0, note=note)
        if few == many:
            return Verdict("exact", True, 1.0, note=note)
        kind: VerdictKind = "extra_columns" if predicted.width > gold.width else "missing_columns"
        return Verdict(kind, False, few / many, note=note)
    return _contained(predicted, gold, note)


def _contained(predicted: ComparedTable, gold: ComparedTable, note: str) -> Verdict:
    """Compare a smaller result with a larger: it must be part of that, columns in the same order."""
    small, large = (gold, predicted) if gold.complete else (predicted, gold)
    different = Verdict("different", False, 0.0, note=note)
    if not small.complete or small.width != large.width:
        return different
    missing = Counter(tuple(map(_rounded, row)) for row in small.held)
    for seen, row in enumerate(large, start=1):
        key = tuple(map(_rounded, row))
        if key in missing:
            missing[key] -= 1
            if not missing[key]:
                del missing[key]
        if not missing and seen > len(small.held):
            kind: VerdictKind = "extra_rows" if large is predicted else "missing_rows"
            return Verdict(kind, False, min(_BELOW_EXACT, len(small.held) / seen), note=note)
    return different
