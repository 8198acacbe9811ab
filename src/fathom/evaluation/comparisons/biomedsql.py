"""`biomedsql`: sets of UUIDs, or of the numbers where the gold counts or calculates (docs/comparisons.md)."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase, freeze
from fathom.evaluation.comparisons.verdict import Verdict

TOLERANCE = 1e-9
"""How far two numbers may lie apart, relative to the larger: float sums differ from run to run."""


@dataclass(frozen=True, slots=True)
class BiomedSql:
    """Sets of what identifies the rows; also gives their Jaccard index.

    A gold result with a UUID column is compared by it, and a prediction without one has the empty set. Else
    the numbers of every cell are compared; a gold result with neither is compared by all its values.
    """

    name: str = "biomedsql"

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as it is run."""
        return sql

    def gold_sql(self, sql: str) -> str:
        """The gold query as it is run."""
        return sql

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """Compare the two results as sets; the score is their Jaccard index."""
        if _has_uuid(gold):
            ours, theirs = _uuids(predicted), _uuids(gold)
        else:
            theirs = _numbers(gold)
            ours = _brought_near(_numbers(predicted), theirs)
            if not theirs and gold.held:
                ours, theirs = _values(predicted), _values(gold)
        union = len(ours | theirs)
        index = len(ours & theirs) / union if union else 1.0
        same = ours == theirs
        return Verdict("exact" if same else "different", same, index, vacuous=not union, jaccard=index)


def _place(table: ComparedTable) -> int | None:
    return next((i for i, name in enumerate(table.columns) if name.casefold() == "uuid"), None)


def _has_uuid(table: ComparedTable) -> bool:
    return _place(table) is not None


def _uuids(table: ComparedTable) -> set[Any]:
    place = _place(table)
    return set() if place is None else {freeze(row[place]) for row in table}


def _numbers(table: ComparedTable) -> set[Any]:
    return {value for value in _cells(table) if _is_number(value)}


def _brought_near(ours: set[Any], theirs: set[Any]) -> set[Any]:
    """Each number as gold has it, where the two differ by no more than a sum's rounding."""
    known = sorted(float(v) for v in theirs if math.isfinite(v))
    exact = {float(v): v for v in theirs if math.isfinite(v)}

    def near(value: Any) -> Any:
        if value in theirs or not math.isfinite(value):
            return value
        at = bisect_left(known, float(value))
        close = (k for k in known[max(at - 1, 0) : at + 1] if math.isclose(k, value, rel_tol=TOLERANCE))
        return next((exact[k] for k in close), value)

    return {near(value) for value in ours}


def _values(table: ComparedTable) -> set[Any]:
    return {freeze(value) for value in _cells(table) if value is not None}


def _cells(table: ComparedTable) -> Iterable[Any]:
    return (value for row in table for value in row)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
