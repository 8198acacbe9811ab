"""Rows as bags with tolerance, and columns found by their content."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fathom.evaluation.comparisons.table import Row

Part = Literal["ours", "theirs"] | None
_MOST_PAIRINGS = 4_000_000
_MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Closeness:
    """When two values, and so rows and bags of rows, count as the same."""

    close: Callable[[Any, Any], bool]
    is_number: Callable[[Any], bool]
    whole_exact: bool = False

    def rows(self, first: Row, second: Row) -> bool:
        """Whether two rows agree value by value."""
        return all(map(self.close, first, second))

    def same(self, ours: Sequence[Row], theirs: Sequence[Row], *, ordered: bool) -> bool:
        """Whether two lists of rows agree, as lists or as bags."""
        if len(ours) != len(theirs):
            return False
        if ordered:
            return all(map(self.rows, ours, theirs))
        return self.within(ours, theirs)

    def within(self, few: Sequence[Row], many: Sequence[Row]) -> bool:
        """Whether every row of `few` has a partner of its own among `many`."""
        return self.matched(few, many) == len(few)

    def matched(self, ours: Sequence[Row], theirs: Sequence[Row]) -> int:
        """How many rows of one find a partner of their own in the other."""
        first, second = Counter(ours), Counter(theirs)
        equal = first & second
        count = equal.total()
        left, right = first - equal, second - equal
        if not left or not right:
            return count
        partners = defaultdict(list)
        for row in right.elements():
            partners[self._shape(row)].append(row)
        budget = _MOST_PAIRINGS
        for row in sorted(left.elements(), key=self._numbers):
            candidates = partners.get(self._shape(row), [])
            budget -= len(candidates)
            if budget < 0:
                break
            for place, candidate in enumerate(candidates):
                if self.rows(row, candidate):
                    del candidates[place]
                    count += 1
                    break
        return count

    def _shape(self, row: Row) -> tuple[Any, ...]:
        """What of a row must be equal: everything but the numbers."""
        return tuple(None if self.is_number(v) else (v,) for v in row)

    def _numbers(self, row: Row) -> tuple[Any, ...]:
        return tuple(v for v in row if self.is_number(v))


def arrangements(
    ours: Sequence[Row],
    theirs: Sequence[Row],
    closeness: Closeness,
    *,
    ordered: bool | None,
    part: Part = None,
) -> Iterator[tuple[int, ...]]:
    """Ways to take columns of `ours`, one for each column of `theirs`, so that the rows agree.

    `ordered` compares lists or bags of rows; None compares column by column only. `part` names
    the side whose rows need only be among the other's. The search gives up after 20,000 steps, far more than
    the columns of real results need.
    """
    mine = list(zip(*ours, strict=True))
    yours = list(zip(*theirs, strict=True))
    fitting = _fitting(mine, yours, closeness, ordered=ordered, part=part)
    if not all(fitting):
        return
    steps = 0

    def search(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        nonlocal steps
        depth = len(chosen)
        if depth == len(yours):
            yield chosen
            return
        tried: list[Row] = []
        for column in fitting[depth]:
            if column in chosen or mine[column] in tried or steps > _MOST_STEPS:
                continue
            steps += 1
            tried.append(mine[column])
            taken = (*chosen, column)
            if ordered is not None and depth and not ordered:
                left = list(zip(*(mine[c] for c in taken), strict=True))
                right = list(zip(*yours[: depth + 1], strict=True))
                if not closeness.within(left, right) if part == "ours" else not closeness.within(right, left):
                    continue
            yield from search(taken)

    yield from search(())


def _fitting(
    mine: Sequence[Row], yours: Sequence[Row], closeness: Closeness, *, ordered: bool | None, part: Part
) -> list[list[int]]:
    """For each column of the one side, those of the other that can hold it."""

    def fits(column: Row, other: Row) -> bool:
        if ordered:
            return all(map(closeness.close, column, other))
        if column == other:
            return True
        left, right = [(v,) for v in column], [(v,) for v in other]
        if part is None:
            return closeness.same(left, right, ordered=False)
        return closeness.within(left, right) if part == "ours" else closeness.within(right, left)

    return [[i for i, column in enumerate(mine) if fits(column, other)] for other in yours]
