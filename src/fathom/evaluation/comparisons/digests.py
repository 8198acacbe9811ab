"""Results too large to hold, compared by 128-bit digests of their rows: sixteen bytes a row, or none.

Two digests that agree by chance are a matter of one in 10^20 for a hundred million rows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from hashlib import blake2b
from itertools import permutations
from typing import Any

from fathom.evaluation.comparisons.table import ComparedTable, freeze

_WRAP = (1 << 128) - 1
_MOST_PERMUTATIONS = 24
Canonical = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """A value such that equal ones (1, 1.0, True, Decimal(1)) have one representation."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return freeze(value) if isinstance(value, (list, dict, set)) else value


def digest(values: Iterable[Any]) -> int:
    """128 bits of a sequence of canonical values."""
    return int.from_bytes(
        blake2b(repr(tuple(values)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    )


def same_sets(predicted: ComparedTable, gold: ComparedTable) -> bool:
    """True if the two hold the same set of rows, at least one of them too large to hold."""
    if gold.complete or predicted.complete:
        small, large = (gold, predicted) if gold.complete else (predicted, gold)
        wanted = {freeze(row) for row in small.held}
        missing = set(wanted)
        for row in large:
            frozen = freeze(row)
            if frozen not in wanted:
                return False
            missing.discard(frozen)
        return not missing
    return bool((_unique(predicted) == _unique(gold)).all()) if _same_count(predicted, gold) else False


def _same_count(predicted: ComparedTable, gold: ComparedTable) -> bool:
    return len(_unique(predicted)) == len(_unique(gold))


def _unique(table: ComparedTable) -> Any:
    import numpy as np  # noqa: PLC0415 - needed for large results only, and slow to import

    raw = bytearray()
    for row in table:
        raw += digest(map(plain, row)).to_bytes(16)
    return np.unique(np.frombuffer(bytes(raw), dtype="S16"))


def same_number(predicted: ComparedTable, gold: ComparedTable) -> bool:
    """True if both have as many rows; reads no further than it must."""
    small, large = (gold, predicted) if gold.complete else (predicted, gold)
    if small.complete:
        count = len(small.held)
        for seen, _ in enumerate(large, start=1):
            if seen > count:
                return False
        return sum(1 for _ in zip(large, range(count), strict=False)) == count
    return sum(1 for _ in small) == sum(1 for _ in large)


def same_bags(
    predicted: ComparedTable, gold: ComparedTable, *, ordered: bool, canonical: Canonical = plain
) -> bool:
    """True if some permutation of the predicted columns makes the bags (or lists) of rows equal.

    Both tables have as many columns. Where many columns hold the same values, the first 24 permutations
    that these allow are tried.
    """
    return find_columns(predicted, gold, ordered=ordered, canonical=canonical) is not None


def find_columns(
    predicted: ComparedTable, gold: ComparedTable, *, ordered: bool, canonical: Canonical = plain
) -> tuple[int, ...] | None:
    """The predicted columns that, taken in this order, hold the gold rows; None where there are none."""
    wanted = _columns(gold, ordered, canonical)
    there = _columns(predicted, ordered, canonical)
    if Counter(wanted) - Counter(there):
        return None
    target: int | None = None
    for tried, chosen in enumerate(_choices(wanted, there)):
        if ordered:
            return chosen
        if tried == _MOST_PERMUTATIONS:
            return None
        target = _bag(gold, range(gold.width), canonical) if target is None else target
        if _bag(predicted, chosen, canonical) == target:
            return chosen
    return None


def _choices(wanted: Sequence[int], there: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Ways to take columns of the wanted digests."""
    if len(set(wanted)) == len(wanted):
        yield tuple(there.index(w) for w in wanted)
        return
    for chosen in permutations(range(len(there)), len(wanted)):
        if all(there[c] == w for c, w in zip(chosen, wanted, strict=True)):
            yield chosen


def _columns(table: ComparedTable, ordered: bool, canonical: Canonical) -> list[int]:
    """One digest a column: of its list of values where ordered, else of its bag."""
    sums = [0] * table.width
    for row in table:
        for i, value in enumerate(row):
            # Multiplying before adding makes the sum depend on the order.
            before = sums[i] * 1_000_003 if ordered else sums[i]
            sums[i] = (before + digest((canonical(value),))) & _WRAP
    return sums


def _bag(table: ComparedTable, columns: Iterable[int], canonical: Canonical) -> int:
    chosen = tuple(columns)
    total = 0
    for row in table:
        total = (total + digest(canonical(row[c]) for c in chosen)) & _WRAP
    return total
