"""Which numbers a question compares its measures with: "customers who spent more than 500"."""

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.offline.grammars.groups import covers
from fathom.offline.grammars.measures import MeasureWords
from fathom.offline.linking import Linking, NumberMention
from fathom.offline.linking.implied_mentions import BEFORE_YEARS
from fathom.offline.linking.wordlists import BE, RELATIVES

_COMPARING = frozenset("exceed exceeds exceeding exceeded surpass surpasses exactly times total".split())
_REACH = 6
"""Words that may stand between a measure and the number with which it is compared."""


@dataclass(frozen=True, slots=True)
class Limit:
    """That a measure has to compare so with a number: rows of groups that don't are left out."""

    measure: MeasureWords
    number: NumberMention


class LimitReader:
    """Reads the numbers that one question's measures are compared with, and marks the words as `used`."""

    def __init__(self, linking: Linking, used: set[int]) -> None:
        self._linking, self._used = linking, used

    def limits(self, stated: Sequence[MeasureWords]) -> tuple[Limit, ...]:
        """The measures that are compared with a number, each number with one of them."""
        own = {m.function for m in stated if m.sources}
        found: list[Limit] = []
        for measure in stated:
            if measure.sources or measure.function not in own:  # else "in total", said of another
                limit = self._limit(measure, stated)
                if limit is not None and all(limit.number != k.number for k in found):
                    found.append(limit)
        return tuple(found)

    def _limit(self, measure: MeasureWords, others: Sequence[MeasureWords]) -> Limit | None:
        """The number with which a measure is compared, where one is near and nothing else stands between."""
        for number in self._linking.numbers:
            if not self.compares(number):
                continue
            behind = measure.span.end <= number.span.first
            apart = (
                range(measure.span.end, number.span.first)
                if behind
                else range(number.span.end, measure.span.first)
            )
            if len(apart) > _REACH or any(covers([m.span for m in others], i) for i in apart):
                continue
            if behind and self._says_of_rows(measure, apart):
                continue
            if behind:
                near = all(self.is_light(i) for i in apart)
            else:
                near = not apart or (measure.money and all(self._lower(i) in {"in", "of"} for i in apart))
            if near:
                ahead = range(max(0, number.span.first - 3), number.span.first)
                self._used.update(apart, range(*number.span))
                self._used.update(i for i in ahead if self._lower(i) in _COMPARING)
                return Limit(measure, number)
        return None

    def _says_of_rows(self, measure: MeasureWords, apart: Sequence[int]) -> bool:
        """True if a number is said of what is counted: "people who are over 40", "how many are over 40"."""
        words = {self._lower(i) for i in apart}
        asked = self._lower(measure.span.first) == "how" and not words.isdisjoint(BE)
        return measure.function == "count" and (asked or not words.isdisjoint(RELATIVES))

    def compares(self, number: NumberMention) -> bool:
        """True if a number is compared with something that may be counted or added up, and is no year."""
        first = number.span.first
        before = self._lower(first - 1) if first else ""
        year = number.year and (before in BEFORE_YEARS or number.comparison == "between")
        exact = number.comparison == "=" and before != "exactly"
        return not (year or exact or number.percent or number.ordinal)

    def is_light(self, place: int) -> bool:
        """True if a word says nothing of its own where numbers are compared."""
        token = self._linking.tokens[place]
        return token.stop or token.lower in _COMPARING or token.kind == "sign"

    def _lower(self, place: int) -> str:
        return self._linking.tokens[place].lower
