"""`sql_eval`: the gold columns are found by content among the predicted ones (docs/comparisons.md)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.evaluation.comparisons.alignment import Closeness, arrangements
from fathom.evaluation.comparisons.digests import find_columns, same_number
from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase, Row, hashable
from fathom.evaluation.comparisons.values import close_within
from fathom.evaluation.comparisons.verdict import Verdict, yes_or_no

_ASKS_ORDER = re.compile(r"\b(order|sort|arrange)\b", re.IGNORECASE)
# The tolerances with which the reference's data frames compare floats.
_CLOSE: Closeness = close_within(relative=1e-5, absolute=1e-8)


@dataclass(frozen=True, slots=True)
class SqlEval:
    """Equal frames are `exact`, frames that hold the gold columns among others `extra_columns`; both count.

    Duplicate rows are dropped; rows are compared in order only where the category is `order_by` or the
    question holds one of the words order, sort, arrange. `decimals` rounds floats first. `reference`
    reproduces a fault: a result of one row, or none, agrees with one that broadcasts to it.
    """

    name: str = "sql_eval"
    decimals: int | None = None
    reference: bool = False

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as it is run."""
        return sql

    def gold_sql(self, sql: str) -> str:
        """The gold query as it is run."""
        return sql

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """Exact, or a superset of the gold columns, or different."""
        ordered = "order_by" in case.tags or bool(_ASKS_ORDER.search(case.question))
        if not (predicted.complete and gold.complete):
            return _compare_large(predicted, gold, ordered)
        ours, theirs = self._rounded(predicted.held), self._rounded(gold.held)
        if not ours or not theirs:
            return self._compare_empty(predicted, gold)
        if predicted.width == gold.width and same_frames(_dropped(ours), _dropped(theirs), ordered):
            return yes_or_no(True)
        if predicted.width >= gold.width and len(ours) == len(theirs) and _is_subset(ours, theirs, ordered):
            return _superset(predicted, gold)
        if self.reference and _broadcasts(ours, theirs):
            return yes_or_no(True, note="right only by the reference's broadcasting")
        return yes_or_no(False)

    def _compare_empty(self, predicted: ComparedTable, gold: ComparedTable) -> Verdict:
        both = not predicted.held and not gold.held
        if self.reference and not both and 1 in (len(predicted.held), len(gold.held)):
            same_width = predicted.width == gold.width or 1 in (predicted.width, gold.width)
            return yes_or_no(same_width, note="right only by the reference's broadcasting")
        if both and predicted.width > gold.width:
            return _superset(predicted, gold, vacuous=True)
        return yes_or_no(both and predicted.width == gold.width, vacuous=True)

    def _rounded(self, rows: list[Row]) -> list[Row]:
        rows = hashable(rows)
        if self.decimals is None:
            return rows
        return [tuple(round(v, self.decimals) if isinstance(v, float) else v for v in row) for row in rows]


def _superset(predicted: ComparedTable, gold: ComparedTable, *, vacuous: bool = False) -> Verdict:
    if predicted.width == gold.width:
        return yes_or_no(True, vacuous=vacuous)
    return Verdict("extra_columns", True, gold.width / predicted.width, vacuous=vacuous)


def _dropped(rows: Sequence[Row]) -> list[Row]:
    return list(dict.fromkeys(rows))


def same_frames(ours: Sequence[Row], theirs: Sequence[Row], ordered: bool) -> bool:
    """True if the columns can be arranged so that the rows agree, floats within the tolerance."""
    if len(ours) != len(theirs):
        return False
    return next(arrangements(ours, theirs, _CLOSE, ordered=ordered), None) is not None


def _is_subset(ours: Sequence[Row], theirs: Sequence[Row], ordered: bool) -> bool:
    """Columns are found over all rows, as the reference does; the columns together without duplicates."""
    gold = _dropped(theirs)
    for chosen in arrangements(ours, theirs, _CLOSE, ordered=None):
        taken = _dropped([tuple(row[c] for c in chosen) for row in ours])
        if len(taken) == len(gold) and _CLOSE.same(taken, gold, ordered=ordered):
            return True
    return False


def _broadcasts(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    """True if element-wise comparison stretches one result over the other and finds only equal values."""
    small, large = sorted((ours, theirs), key=lambda rows: (len(rows), len(rows[0])))
    if len(small) not in (1, len(large)) or len(small[0]) not in (1, len(large[0])):
        return False
    return all(
        value == small[0 if len(small) == 1 else i][0 if len(small[0]) == 1 else j]
        for i, row in enumerate(large)
        for j, value in enumerate(row)
    )


def _compare_large(predicted: ComparedTable, gold: ComparedTable, ordered: bool) -> Verdict:
    """Too large to hold: without tolerance, and duplicates are not dropped."""
    if predicted.width < gold.width or not same_number(predicted, gold):
        return yes_or_no(False)
    if find_columns(predicted, gold, ordered=ordered) is None:
        return yes_or_no(False)
    return _superset(predicted, gold)
