"""How much of an answer's words can be traced to the result (specs: metrics, section 4, grounding)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import permutations
from typing import Any

from fathom.records import Result, shown_value
from fathom.text.patterns import Pattern

_NUMBER = Pattern(
    r"(?<![\w.])[-−]?\d+(?:,\d{3})+(?:\.\d+)?(?![\w])|(?<![\w.])[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])"
)
_QUOTED = Pattern(r"\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’|(?<!\w)'([^']+)'(?!\w)")
_DATE = Pattern(r"(?<!\d)\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?(?!\d)")
_NAMING_WORDS = 3
"""A text cell of no more words is a name or a quantity ("Type 2 diabetes"); a longer one says something."""
MOST_PAIRED = 150
"""More numbers than this aren't paired for differences and ratios: chance would reach any number."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """The parts of an answer that were traced, and those that weren't. `share` is 1 where there are none."""

    traced: tuple[str, ...]
    untraced: tuple[str, ...]

    @property
    def share(self) -> float:
        """Traced numbers and quoted names among all of them."""
        total = len(self.traced) + len(self.untraced)
        return len(self.traced) / total if total else 1.0


def ground(text: str, result: Result) -> Grounding:
    """Trace each number and quoted name of a text to a cell, the row count, or one step of arithmetic.

    A number matches when rounding the source to the digits printed gives what was printed. One that merely
    stands inside a text cell matches nothing, since the cell may say anything; only a short cell that is
    named whole, as a name is, is taken for one.
    """
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(text)]
    unquoted = _QUOTED.sub(" ", text)
    names = quoted + _DATE.findall(unquoted)
    known = [cell for row in result.rows for cell in row if cell is not None]
    numbers = _NUMBER.findall(_without_names(_DATE.sub(" ", unquoted), known))
    cells = {_fold(str(cell)) for cell in known} | {_fold(shown_value(cell)) for cell in known}
    sources = _Sources(result)
    traced = [name for name in names if _fold(name) in cells]
    traced += [number for number in numbers if _fold(number) in cells or sources.explain(number)]
    untraced = [*names, *numbers]
    for item in traced:
        untraced.remove(item)
    return Grounding(tuple(traced), tuple(untraced))


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _without_names(text: str, cells: Iterable[Any]) -> str:
    """A text without the short text cells that it names whole, whose digits are no numbers."""
    folded = _fold(text)
    named = {_fold(c) for c in cells if isinstance(c, str) and len(c.split()) <= _NAMING_WORDS}
    for name in sorted((n for n in named if not n.isdigit() and re.search(r"\d", n)), key=len, reverse=True):
        folded = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", folded)
    return folded


class _Sources:
    """The numbers of a result, and those one arithmetic step away."""

    def __init__(self, result: Result) -> None:
        columns = list(zip(*result.rows, strict=True)) if result.rows else []
        self._columns = [[n for c in column if (n := _as_number(c)) is not None] for column in columns]
        self._cells = {n for c in self._columns for n in c}
        self._plain = {Decimal(len(result.rows)), *self._cells}

    def explain(self, printed: str) -> bool:
        wanted = Decimal(printed.replace(",", "").replace("−", "-"))
        digits = -int(wanted.as_tuple().exponent)

        def fits(value: Decimal) -> bool:
            try:
                return round(value, max(digits, 0)) == wanted or abs(value) == abs(wanted)
            except InvalidOperation:
                return False

        return any(map(fits, self._plain)) or any(map(fits, self._one_step()))

    def _one_step(self) -> Iterator[Decimal]:
        for column in filter(None, self._columns):
            total = sum(column, Decimal(0))
            yield total
            yield total / len(column)
            if total:
                yield from (value / total * 100 for value in column)
        few = sorted(self._cells)  # the count of rows is no part of a sum
        if len(few) <= MOST_PAIRED:
            yield from _pairs(few)


def _pairs(numbers: Sequence[Decimal]) -> Iterator[Decimal]:
    for a, b in permutations(numbers, 2):
        yield a - b
        yield a + b
        if b:
            yield a / b
            yield a / b * 100
            yield (a - b) / b * 100


def _as_number(cell: Any) -> Decimal | None:
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        number = Decimal(str(cell))
        return number if number.is_finite() else None
    return None
