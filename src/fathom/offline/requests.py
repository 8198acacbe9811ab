"""What a question of many rows asks for: which numbers, of each of what, kept and ordered by which of them.

`number of orders and total sales by country and year`, `customers who spent more than 500`, `top 5 cities by
average rating, with the number of reviews`: the words for numbers, things and order come in any order, so
each number gets the part it plays from the words around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fathom.offline.accounting import sure_values
from fathom.offline.grouping import BY, JOINING, Group, Naming, covers
from fathom.offline.linking import Linking, NumberMention, Span, SuperlativeMention
from fathom.offline.linking.implied import BEFORE_YEARS
from fathom.offline.linking.wordlists import OPENINGS, ORDER_ASCENDING, ORDER_DESCENDING
from fathom.offline.measuring import (
    PASSED,
    SPREAD,
    Measure,
    asked_quantities,
    comes_after_by,
    compares,
    long_names,
)
from fathom.offline.periods import PERIOD_UNITS
from fathom.offline.restricting import is_year

_ASKING = frozenset(("which", "what", "who"))
_FOR = frozenset(("for", "by", "per"))
_SORTS = frozenset("sorted ordered ranked arranged sort order rank descending ascending".split())
_RANKS = frozenset(("top", "best", "bottom", "worst", "first"))
_COMPARING = frozenset("exceed exceeds exceeding exceeded surpass surpasses exactly times total".split())
_SAID_OF_ORDER = frozenset("order total count number first last".split())
_ALONG = frozenset(("with", "plus"))
_ASIDE = PASSED | frozenset(
    ("what", "is", "are", "how", "show", "give", "me", "as", "well", "along", "together")
)
_DISTINCT = frozenset(("different", "distinct", "unique"))
_REACH = 6
"""Words that may stand between a measure and the number with which it is compared."""


@dataclass(frozen=True, slots=True)
class Limit:
    """That a measure has to compare so with a number: rows of groups that don't are left out."""

    measure: Measure
    number: NumberMention


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of the groups: by a measure, or by a group itself; of them `limit` from an `offset` on."""

    by: Measure | Group
    descending: bool
    limit: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a question of many rows, and the places of words that they stand for.

    `said` are those that say the form alone; `named` the words that name groups, where no value is meant.
    """

    shown: tuple[Measure, ...]
    groups: tuple[Group, ...] = ()
    limits: tuple[Limit, ...] = ()
    ranking: Ranking | None = None
    said: frozenset[int] = frozenset()
    named: tuple[Span, ...] = ()

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All measures, those shown first, each once."""
        ranked = (self.ranking.by,) if self.ranking and isinstance(self.ranking.by, Measure) else ()
        return tuple(dict.fromkeys((*self.shown, *ranked, *(k.measure for k in self.limits))))


@dataclass
class RequestReader:
    """Reads one question's measures in their parts; `request` is None where something has none."""

    linking: Linking
    naming: Naming
    measures: tuple[Measure, ...]
    _used: set[int] = field(default_factory=set)

    def request(self) -> Request | None:
        """The parts of the question; None where a number, superlative or "each" has no place in them."""
        if not self.measures:
            return None
        tail = self._tail()
        stated = tuple(m for m in self.measures if m.span.first < tail)
        for measure in stated:
            self._use(*(i for i in range(*measure.span) if self._says_form(i, measure)))
        limits = self._limits(stated)
        compared = {k.measure for k in limits}
        ranking = self._ranking([m for m in stated if m not in compared], tail)
        ranked = {ranking.by} if ranking else set()
        shown = tuple(m for m in stated if m not in compared and m not in ranked)
        groups = self._groups(tail)
        if groups is None or not all(self._is_joined(m) for m in [s for s in shown if s.sources][1:]):
            return None
        if not groups and (limits or ranking or not stated):
            groups = self._head(min([tail, *(m.span.first for m in stated)]), ranking)
            if not groups:
                return None
        if tail < len(self.linking.tokens):
            ranking = self._sorted(tail, shown, groups) if ranking is None else None
            if ranking is None:
                return None
        named = tuple(g.span for g in groups)
        whole = Request(shown, groups, limits, ranking, frozenset(self._used), named)
        return whole if self._all_read(whole) and self._opens(whole, stated) else None

    def _use(self, *places: int) -> None:
        self._used.update(places)

    def _says_form(self, place: int, measure: Measure) -> bool:
        """Whether a word of a measure says what is done with numbers, and names none: "difference"."""
        token = self.linking.tokens[place]
        if measure.function == "spread":
            return token.stem in SPREAD
        return measure.function == "count" and token.lower in _DISTINCT

    def _lower(self, place: int) -> str:
        return self.linking.tokens[place].lower

    # Conditions on measures

    def _limits(self, stated: Sequence[Measure]) -> tuple[Limit, ...]:
        """The measures that are compared with a number, each number with one of them."""
        own = {m.function for m in stated if m.sources}
        found: list[Limit] = []
        for measure in stated:
            if measure.sources or measure.function not in own:  # else "in total", said of another
                limit = self._limit(measure, stated)
                if limit is not None and all(limit.number != k.number for k in found):
                    found.append(limit)
        return tuple(found)

    def _limit(self, measure: Measure, others: Sequence[Measure]) -> Limit | None:
        """The number with which a measure is compared, where one is near and nothing else stands between."""
        for number in self.linking.numbers:
            if not self._compares(number):
                continue
            behind = measure.span.end <= number.span.first
            apart = (
                range(measure.span.end, number.span.first)
                if behind
                else range(number.span.end, measure.span.first)
            )
            if len(apart) > _REACH or any(covers([m.span for m in others], i) for i in apart):
                continue
            if behind:
                near = all(self._is_light(i) for i in apart)
            else:
                near = not apart or (measure.money and all(self._lower(i) in {"in", "of"} for i in apart))
            if near:
                self._use(*apart, *range(*number.span))
                self._use(*(i for i in range(max(0, number.span.first - 3), number.span.first)
                            if self._lower(i) in _COMPARING))  # fmt: skip
                return Limit(measure, number)
        return None

    def _compares(self, number: NumberMention) -> bool:
        """Whether a number is compared with something that may be counted or added up, and is no year."""
        first = number.span.first
        before = self._lower(first - 1) if first else ""
        year = number.year and (before in BEFORE_YEARS or number.comparison == "between")
        exact = number.comparison == "=" and before != "exactly"
        return not (year or exact or number.percent or number.ordinal)

    def _is_light(self, place: int) -> bool:
        token = self.linking.tokens[place]
        return token.stop or token.lower in _COMPARING or token.kind == "sign"

    def _is_joined(self, measure: Measure) -> bool:
        """Whether a measure is asked for beside another: what has "the largest budget" is none of several."""
        place = measure.span.first
        if any(m.span == measure.span and m != measure for m in self.measures):
            return True  # "minimum and maximum price"
        while place and self._lower(place - 1) in _ASIDE and self._lower(place - 1) not in JOINING:
            place -= 1
        before = self._lower(place - 1) if place else ""
        return before in JOINING or (before in _ALONG and measure.function not in {"min", "max"})

    # Order

    def _ranking(self, measures: Sequence[Measure], tail: int) -> Ranking | None:
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

    def _ranked_measure(self, place: int, measures: Sequence[Measure]) -> Measure | None:
        """The measure that a superlative is about: behind it, else behind "by", else money ahead of it."""
        for measure in measures:
            between = range(place + 1, measure.span.first)
            if measure.span.first > place and all(self._lower(i) in PASSED for i in between):
                return measure
        if self._lower(place) in _RANKS:
            for measure in measures:
                if measure.span.first > place and comes_after_by(self.linking, measure.span.first):
                    self._use(*(i for i in range(place, measure.span.first) if self._lower(i) in BY))
                    return measure
            return None
        ahead = (m for m in measures if m.money and m.span.end <= place)
        return next(
            (m for m in ahead if all(self._lower(i) in PASSED for i in range(m.span.end, place))), None
        )

    def _cut(self, extreme: SuperlativeMention, by: Measure) -> Ranking:
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
        return Ranking(by, descending, extreme.count if extreme.count > 1 else None)

    def _tail(self) -> int:
        """Where the words begin that end the question and say its order: "sorted by total descending"."""
        tokens = self.linking.tokens
        for place, token in enumerate(tokens):
            word, after = token.lower, self._lower(place + 1) if place + 1 < len(tokens) else ""
            sorts = word in _SORTS and place > 0 and after in {"by", "from", "in", "", ".", "?", "order"}
            ranks = {s.span.first for s in self.linking.superlatives}
            spans = word == "from" and place + 1 in ranks and place + 3 in ranks
            inward = word == "in" and after in ORDER_DESCENDING | ORDER_ASCENDING
            leading = place > 0 and place in ranks and after == "first"
            if (sorts or spans or inward or leading) and not token.evidence:
                return place - (tokens[place - 1].lower in {",", "and"})
        return len(tokens)

    def _sorted(self, tail: int, shown: Sequence[Measure], groups: Sequence[Group]) -> Ranking | None:
        """The order that the end of the question asks for: by what it names, else the one measure shown."""
        tokens = self.linking.tokens
        places = range(tail, len(tokens))
        words = [tokens[i].lower for i in places]
        ways = [s.direction for s in self.linking.superlatives if s.span.first >= tail]
        descending = bool(ways) and ways[0] == "desc"
        said = [m for m in self.measures if m.span.first >= tail]
        grouped = [g for g in groups if not {t.stem for t in tokens[g.span.first:g.span.end]}.isdisjoint(
            tokens[i].stem for i in places)]  # fmt: skip
        same = [m for m in shown if any(m.function == s.function for s in said)]
        found = same or grouped or [m for m in said if m.sources] or shown
        if len(found) != 1:
            return None
        by: Measure | Group = found[0]
        named = {t.stem for t in tokens[:tail]}
        ways_said = ORDER_DESCENDING | ORDER_ASCENDING | _SORTS | _SAID_OF_ORDER
        if any(not tokens[i].stop and w not in ways_said and tokens[i].stem not in named
               and not covers([s.span for s in self.linking.superlatives], i)
               and not covers([m.span for m in said], i) and tokens[i].kind == "word"
               for i, w in zip(places, words, strict=True)):  # fmt: skip
            return None
        self._use(*places)
        return Ranking(by, descending)

    # Things

    def _groups(self, tail: int) -> tuple[Group, ...] | None:
        """The things of each of which something is asked; None where "each" is said of what isn't known."""
        found: list[Group] = []
        tokens = self.linking.tokens
        for place, token in enumerate(tokens[:tail]):
            word = token.lower
            if covers([g.span for g in found], place) or place in self._used or token.evidence:
                continue
            if (word.endswith("ly") and word in PERIOD_UNITS) or word == "annual":
                found += filter(None, [self.naming.group_at(place)])
                self._use(place)
            elif word in BY and not (word == "by" and (self._follows_by(place) or self._counts_by(place))):
                until = min([tail, *(m.span.first for m in self.measures if m.span.first > place)])
                groups = self.naming.groups_after(place + 1, until)
                if not groups:
                    return None
                known = {g.span for g in found}
                found += (g for g in groups if g.span not in known)
                self._use(place, *(i for g in groups if g.unit or not g.said for i in range(*g.span)))
        return tuple(found)

    def _follows_by(self, place: int) -> bool:
        """Whether a "by" stands before "each", which then says of each of what."""
        after = self._lower(place + 1) if place + 1 < len(self.linking.tokens) else ""
        return after in BY

    def _counts_by(self, place: int) -> bool:
        """Whether "by" tells how many did something: "taught by more than two instructors"."""
        near = (n for n in self.linking.numbers if place < n.span.first <= place + 3)
        return any(self._compares(n) for n in near)

    def _head(self, end: int, ranking: Ranking | None) -> tuple[Group, ...]:
        """The things that are kept or ranked: "which cities have", "top 3 doctors by", "customers who"."""
        until = end
        starts = list(self._head_starts(end, ranking))
        for start in starts:
            group = self.naming.group_at(start, until if until > start else None)
            if group is not None and any(m.span.overlaps(group.span) for m in self.measures):
                continue
            if group is not None and (group.named or group.unit):
                if group.unit:
                    self._use(*range(*group.span))
                return (group,)
        return ()

    def _head_starts(self, end: int, ranking: Ranking | None) -> Iterator[int]:
        """Where the words for the things may begin, likeliest first."""
        tokens = self.linking.tokens
        if ranking is not None:
            yield from (m.span.end for m in self.measures if m.most and m.span.end - m.span.first == 2)
            tops = (s.span.first for s in self.linking.superlatives if self._lower(s.span.first) in _RANKS)
            yield from (t + 1 for t in tops)
        of = [i + 1 for i in range(1, end) if self._lower(i) == "of" and tokens[0].lower in OPENINGS]
        yield from of[:1]
        for asking in (i for i in range(end) if self._lower(i) in _ASKING):
            behind = range(asking + 1, end)
            yield next((i for i in behind if not tokens[i].stop and tokens[i].kind != "number"), end)
        named = (m.span.first for m in self.linking.table_mentions if m.span.end <= end)
        yield from sorted(named, reverse=True)
        yield int(tokens[0].lower in OPENINGS)

    # Whether that is all

    def _all_read(self, whole: Request) -> bool:
        """Whether each word for a number, an extreme or "each" has its place."""
        linking = self.linking
        spans = [m.span for m in whole.measures]
        values = [v.span for v in sure_values(linking)]
        read = {*self._used, *(i for s in (*spans, *values, *whole.named) for i in range(*s))}
        held = long_names(linking)
        numbers = [
            n.span
            for n in linking.numbers
            if not is_year(linking, n) and not (n.ordinal and self._names(n.span, held))
        ]
        asked = [q.span for q in asked_quantities(linking)]
        extremes = [s.span for s in linking.superlatives if not compares(linking, s.span.first)]
        return all(read.intersection(range(*s)) for s in (*numbers, *asked, *extremes))

    def _names(self, span: Span, held: Sequence[Span]) -> bool:
        """Whether a word for a number belongs to a name: "first and last names"."""
        after = {t.lower for t in self.linking.tokens[span.end : span.end + 3]}
        return covers(held, span.first) or not after.isdisjoint(("name", "names"))

    def _opens(self, whole: Request, stated: Sequence[Measure]) -> bool:
        """Whether numbers are what the question asks for, not what it says of something else."""
        if whole.limits or not stated or (whole.ranking and whole.ranking.by in stated):
            return True
        tokens = self.linking.tokens
        first = min(m.span.first for m in stated)
        held = [*whole.named, *(v.span for v in sure_values(self.linking))]
        ahead = range(tokens[0].lower in OPENINGS, first)
        return tokens[0].lower in _FOR or all(
            tokens[i].stop or tokens[i].lower in PERIOD_UNITS or tokens[i].kind == "sign" or covers(held, i)
            for i in ahead
        )


def resolved(request: Request) -> Request:
    """The request without measures that only point at others: "spend in total", "along with their counts".

    What they point at is shown, also where it is there for the order.
    """
    named = {m.function for m in request.measures if m.sources}
    by = request.ranking.by if request.ranking else None
    pointing = {m.function for m in request.shown if not m.sources}
    ranked = (by,) if isinstance(by, Measure) and by.function in pointing else ()
    kept = (m for m in request.shown if m.sources or m.function not in named)
    return replace(request, shown=tuple(dict.fromkeys((*kept, *ranked))))
