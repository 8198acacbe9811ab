"""The order that a question of many rows asks for: "the 3 with most orders", "sorted by total descending"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.offline.grammars.groups import BY, GroupingWords, covers
from fathom.offline.grammars.measures import PASSED, MeasureWords, comes_after_by
from fathom.offline.linking import Linking, SuperlativeMention
from fathom.offline.linking.wordlists import ORDER_ASCENDING, ORDER_DESCENDING

RANKS = frozenset(("top", "best", "bottom", "worst", "first"))
_SORTS = frozenset("sorted ordered ranked arranged sort order rank descending ascending".split())
_SAID_OF_ORDER = frozenset("order total count number first last".split())


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of the groups: by a measure, or by a group itself; of them `limit` from an `offset` on.

    `whole` says that all are sorted.
    """

    by: MeasureWords | GroupingWords
    descending: bool
    limit: int | None = None
    offset: int | None = None
    whole: bool = False


@dataclass
class OrderReader:
    """Reads by what one question ranks or sorts; `used` are the places of words that say only that."""

    linking: Linking
    measures: tuple[MeasureWords, ...]
    used: set[int] = field(default_factory=set)

    def ranking(self, measures: Sequence[MeasureWords], tail: int) -> Ranking | None:
        """By which measure things are ranked, where a superlative says so."""
        for extreme in self.linking.superlatives:
            place = extreme.span.first
            inside = [m for m in measures if m.span.first <= place < m.span.end]
            if place >= tail or any(not m.most and not (m.money and m.span.first == place) for m in inside):
                continue
            by = inside[0] if inside else self._ranked_measure(place, measures)
            if by is None:
                continue
            self._use(place)
            return self._cut(extreme, by)
        return None

    def _ranked_measure(self, place: int, measures: Sequence[MeasureWords]) -> MeasureWords | None:
        """The measure that a superlative is about: behind it, else behind "by", else money ahead of it."""
        for measure in measures:
            between = range(place + 1, measure.span.first)
            if measure.span.first > place and all(self._lower(i) in PASSED for i in between):
                return measure
        popular = place + 1 < len(self.linking.tokens) and self._lower(place + 1) == "popular"
        if self._lower(place) in RANKS or popular:
            for measure in measures:
                if measure.span.first > place and comes_after_by(self.linking, measure.span.first):
                    self._use(*(i for i in range(place, measure.span.first) if self._lower(i) in BY))
                    self._use(*((place + 1,) if popular else ()))
                    return measure
            return None
        ahead = (m for m in measures if m.money and m.span.end <= place)
        return next(
            (m for m in ahead if all(self._lower(i) in PASSED for i in range(m.span.end, place))), None
        )

    def _cut(self, extreme: SuperlativeMention, by: MeasureWords) -> Ranking:
        """How many of the first are asked for: as many as said, the second, or the first of one."""
        place = extreme.span.first
        numbers = self.linking.numbers
        nth = next((n for n in numbers if n.ordinal and n.span.end == place and n.value >= 1), None)
        descending = by.most == "desc" if by.most else extreme.direction == "desc"
        if nth is not None:
            self._use(*range(*nth.span))
            return Ranking(by, descending, 1, int(nth.value) - 1)
        counted = [
            n for n in numbers if n.value == extreme.count and extreme.count > 1 and n.span.first < place + 3
        ]
        for number in counted[:1]:
            self._use(*range(*number.span))
        ahead = next((s for s in self._ahead(extreme) if s.count > 1), None)
        if ahead is not None and extreme.count in {
            1,
            ahead.count,
        }:  # "the top 3 shops with the highest sales"
            self._use(ahead.span.first, ahead.span.first + 1)
            return Ranking(by, descending, ahead.count)
        return Ranking(by, descending, extreme.count if extreme.count > 1 else None)

    def _ahead(self, extreme: SuperlativeMention) -> Iterator[SuperlativeMention]:
        """The words such as "top" ahead of another superlative."""
        others = (s for s in self.linking.superlatives if s.span.end <= extreme.span.first)
        return (s for s in others if self._lower(s.span.first) in RANKS)

    def tail(self) -> int:
        """Where the words begin that end the question and say its order: "sorted by total descending"."""
        tokens = self.linking.tokens
        for place, token in enumerate(tokens):
            word, after = token.lower, self._lower(place + 1) if place + 1 < len(tokens) else ""
            sorts = word in _SORTS and place > 0 and after in {"by", "from", "in", "", ".", "?", "order"}
            ranks = {s.span.first for s in self.linking.superlatives}
            spans = word == "from" and place + 1 in ranks and place + 3 in ranks
            inward = word == "in" and after in ORDER_DESCENDING | ORDER_ASCENDING
            leading = place > 0 and place in ranks and after == "first"
            if any(m.sold and place in m.also for m in self.measures):
                continue  # "how often was it ordered"
            if (sorts or spans or inward or leading) and not token.evidence:
                return place - (tokens[place - 1].lower in {",", "and"})
        return len(tokens)

    def sorted(
        self, tail: int, shown: Sequence[MeasureWords], groups: Sequence[GroupingWords]
    ) -> Ranking | None:
        """The order that the end of the question asks for: by what it names, else the one measure shown."""
        tokens = self.linking.tokens
        places = range(tail, len(tokens))
        words = [tokens[i].lower for i in places]
        ways = [s.direction for s in self.linking.superlatives if s.span.first >= tail]
        descending = bool(ways) and ways[0] == "desc"
        said = [m for m in self.measures if m.span.first >= tail]
        if len(ways) > 1:  # "from highest to lowest" asks for neither
            said = [m for m in said if m.function not in {"min", "max"}]
        grouped = [g for g in groups if not {t.stem for t in tokens[g.span.first:g.span.end]}.isdisjoint(
            tokens[i].stem for i in places)]  # fmt: skip
        same = [m for m in shown if any(m.function == s.function for s in said)]
        found = same or grouped or [m for m in said if m.sources] or shown
        if len(found) != 1:
            return None
        by: MeasureWords | GroupingWords = found[0]
        named = {t.stem for t in tokens[:tail]}
        ways_said = ORDER_DESCENDING | ORDER_ASCENDING | _SORTS | _SAID_OF_ORDER
        if any(not tokens[i].stop and w not in ways_said and tokens[i].stem not in named
               and not covers([s.span for s in self.linking.superlatives], i)
               and not covers([m.span for m in said], i) and tokens[i].kind == "word"
               for i, w in zip(places, words, strict=True)):  # fmt: skip
            return None
        self._use(*places)
        return Ranking(by, descending, whole=True)

    def _use(self, *places: int) -> None:
        self.used.update(places)

    def _lower(self, place: int) -> str:
        return self.linking.tokens[place].lower
