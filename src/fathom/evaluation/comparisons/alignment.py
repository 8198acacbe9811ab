"""Rows as bags with tolerance, and columns found by their content."""

from bisect import bisect_left, bisect_right
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
    bounds: Callable[[Any], tuple[Any, Any]]
    """Between what a number must lie to be close to this one."""
    whole_exact: bool = False

    def rows(self, first: Row, second: Row) -> bool:
        """True if two rows agree value by value."""
        return all(map(self.close, first, second))

    def same(self, ours: Sequence[Row], theirs: Sequence[Row], *, ordered: bool) -> bool:
        """True if two lists of rows agree, as lists or as bags."""
        if len(ours) != len(theirs):
            return False
        if ordered:
            return all(map(self.rows, ours, theirs))
        return self.within(ours, theirs)

    def within(self, few: Sequence[Row], many: Sequence[Row]) -> bool:
        """True if every row of `few` has a partner of its own among `many`."""
        return len(few) <= len(many) and all(self._partnered(few, many))

    def matched(self, ours: Sequence[Row], theirs: Sequence[Row]) -> int:
        """How many rows of one find a partner of their own in the other."""
        return sum(self._partnered(ours, theirs))

    def _partnered(self, ours: Sequence[Row], theirs: Sequence[Row]) -> Iterator[bool]:
        """For each of our rows whether it finds a partner of its own: first those that have an equal one.

        Of the others' rows those of the same shape are sorted by their first number, so that a row is held
        against the few whose first number is near.
        """
        first, second = Counter(ours), Counter(theirs)
        equal = first & second
        yield from (True for _ in range(equal.total()))
        partners = defaultdict(list)
        for row in (second - equal).elements():
            partners[self._shape(row)].append(row)
        for candidates in partners.values():
            candidates.sort(key=self._numbers)
        budget = _MOST_PAIRINGS
        for row in sorted((first - equal).elements(), key=self._numbers):
            candidates = partners.get(self._shape(row), [])
            near = self._near(row, candidates)
            budget -= len(near)
            place = next((i for i in near if self.rows(row, candidates[i])), None) if budget >= 0 else None
            if place is not None:
                del candidates[place]
            yield place is not None

    def _near(self, row: Row, candidates: Sequence[Row]) -> range:
        """The places of the sorted candidates whose first number may be close to the row's."""
        numbers = self._numbers(row)
        if not numbers or not candidates:
            return range(len(candidates))
        try:
            low, high = self.bounds(numbers[0])
        except OverflowError:  # an integer that no float can hold
            return range(len(candidates))

        def first(candidate: Row) -> Any:
            return self._numbers(candidate)[0]

        return range(bisect_left(candidates, low, key=first), bisect_right(candidates, high, key=first))

    def _shape(self, row: Row) -> tuple[Any, ...]:
        """The part of a row that must be equal: everything but the numbers."""
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
