"""The request in a question of many rows: the numbers, their groups, and those that filter or order.

`number of orders and total sales by country and year`, `customers who spent more than 500`, `top 5 cities by
average rating, with the number of reviews`: the words for numbers, things and order come in any order, so
each number gets the part it plays from the words around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fathom.offline.checks.account import AMOUNTS, deeds, names_table, sure_values
from fathom.offline.grammars.asked_numbers import SPENDING, SPREAD
from fathom.offline.grammars.conditions import is_year
from fathom.offline.grammars.groups import BY, JOINING, PARTICIPLES, GroupingWords, ThingNaming, covers
from fathom.offline.grammars.limits import Limit, LimitReader
from fathom.offline.grammars.measures import PASSED, MeasureWords, asked_quantities, compares, long_names
from fathom.offline.grammars.periods import PERIOD_UNITS
from fathom.offline.grammars.row_order import RANKS, OrderReader, Ranking
from fathom.offline.linking import Linking, Span
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.wordlists import DIFFERENT, LIGHT, OPENINGS, POSSESSIVES
from fathom.offline.queries.rows import NAMES
from fathom.text.english import LEMMAS

_ASKING = frozenset(("which", "what", "who"))
_WHICH = frozenset(("which", "who"))
_FOR = frozenset(("for", "by", "per"))
_ALONG = frozenset(("with", "plus"))
_ASIDE = PASSED | frozenset(
    ("what", "is", "are", "how", "show", "give", "me", "as", "well", "along", "together")
)
_THEM = frozenset(("them", "these", "those"))
_TELLING = frozenset("that this the their its with and , the what".split())
_HAVE = frozenset("has had have did does was is got . ?".split())
_OF_THE_WEEK = ["of", "the", "week"]


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """The parts of a question of many rows, and the places of words that they stand for.

    `said` are those that say the form alone; `named` the words that name groups, where no value is meant.
    """

    shown: tuple[MeasureWords, ...]
    groups: tuple[GroupingWords, ...] = ()
    limits: tuple[Limit, ...] = ()
    ranking: Ranking | None = None
    said: frozenset[int] = frozenset()
    named: tuple[Span, ...] = ()

    @property
    def measures(self) -> tuple[MeasureWords, ...]:
        """All measures, those shown first, each once."""
        ranked = (self.ranking.by,) if self.ranking and isinstance(self.ranking.by, MeasureWords) else ()
        return tuple(dict.fromkeys((*self.shown, *ranked, *(k.measure for k in self.limits))))


@dataclass
class RequestReader:
    """Reads one question's measures in their parts; `request` is None where something has none."""

    linking: Linking
    naming: ThingNaming
    measures: tuple[MeasureWords, ...]
    _used: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._limits = LimitReader(self.linking, self._used)

    def request(self) -> RowsRequest | None:
        """The parts of the question; None where a number, superlative or "each" has no place in them."""
        if not self.measures or any(self._counts_some(m) for m in self.measures):
            return None
        order = OrderReader(self.linking, self.measures, self._used)
        tail = order.tail()
        stated = tuple(m for m in self.measures if m.span.first < tail)
        for measure in stated:
            self._use(*measure.also, *(i for i in range(*measure.span) if self._says_form(i, measure)))
        limits = self._limits.limits(stated)
        compared = {k.measure for k in limits}
        ranking = order.ranking([m for m in stated if m not in compared], tail)
        ranked = {ranking.by} if ranking else set()
        shown = tuple(m for m in stated if m not in compared and m not in ranked)
        groups = self._groups(tail)
        if groups is None or not all(self._is_joined(m) for m in [s for s in shown if s.sources][1:]):
            return None
        theirs = any(self._is_theirs(m) for m in shown)
        if not groups and (limits or ranking or theirs or not stated):
            groups = self._head(min([tail, *(m.span.first for m in stated)]), ranking)
            if not groups:
                return None
        if ranking is not None and self._ranks_others(ranking, groups):
            return None
        if tail < len(self.linking.tokens):
            ranking = order.sorted(tail, shown, groups) if ranking is None else None
            if ranking is None:
                return None
        named = tuple(g.span for g in groups)
        whole = RowsRequest(shown, groups, limits, ranking, named=named)
        read = self._all_read(whole) and self._opens(whole, stated)
        return replace(whole, said=frozenset(self._used)) if read else None

    def _is_theirs(self, measure: MeasureWords) -> bool:
        """True if a measure is told of what is listed ahead of it: "shops and their average rating"."""
        place = measure.span.first
        return bool(measure.sources) and place > 1 and self._lower(place - 1) in POSSESSIVES

    def _counts_some(self, measure: MeasureWords) -> bool:
        """True if some of what was said are counted, so that what follows is said of these alone."""
        after = [t.lower for t in self.linking.tokens[measure.span.end : measure.span.end + 2]]
        return (
            not measure.sources and after[:1] == ["of"] and after[1:] != [] and after[1] in {*_THEM, "which"}
        )

    def _use(self, *places: int) -> None:
        self._used.update(places)

    def _says_form(self, place: int, measure: MeasureWords) -> bool:
        """True if a word of a measure says what is done with numbers, and names none: "difference"."""
        token = self.linking.tokens[place]
        if measure.sold:
            return True
        if measure.function == "spread":
            return token.stem in SPREAD
        if measure.function == "sum" and place == measure.span.first:
            return token.stem in SPENDING
        return measure.function == "count" and token.lower in DIFFERENT

    def _lower(self, place: int) -> str:
        return self.linking.tokens[place].lower

    def _is_joined(self, measure: MeasureWords) -> bool:
        """True if a measure is asked for beside another: what has "the largest budget" is none of several."""
        place = measure.span.first
        if any(m.span == measure.span and m != measure for m in self.measures):
            return True  # "minimum and maximum price"
        while place and self._lower(place - 1) in _ASIDE and self._lower(place - 1) not in JOINING:
            place -= 1
        before = self._lower(place - 1) if place else ""
        return before in JOINING or (before in _ALONG and measure.function not in {"min", "max"})

    # Things

    def _groups(self, tail: int) -> tuple[GroupingWords, ...] | None:
        """The things of each of which something is asked; None where "each" is said of what isn't known."""
        found: list[GroupingWords] = []
        tokens = self.linking.tokens
        for place, token in enumerate(tokens[:tail]):
            word = token.lower
            if covers([g.span for g in found], place) or place in self._used or token.evidence:
                continue
            inside = covers([m.span for m in self.measures], place)  # "average monthly rent"
            if not inside and ((word.endswith("ly") and word in PERIOD_UNITS) or word == "annual"):
                found += filter(None, [self.naming.group_at(place)])
                self._use(place)
            elif self._points_at_each(place):
                self._use(place)
            elif word == "by" and self._compares_after(place):
                continue  # "used by at least 30 papers"
            elif word == "by" and self._tells_who(place):
                self._use(place)
            elif word in BY and not (word == "by" and (self._follows_by(place) or self._counts_by(place))):
                until = min([tail, *(m.span.first for m in self.measures if m.span.first > place)])
                groups = self.naming.groups_after(place + 1, until)
                if not groups:
                    return None
                if word == "by" and self._did(place) and any(b.many for b in groups[0].named):
                    return None  # "made by customers" tells who, of each of whom it may be asked as well
                known = {g.span for g in found}
                found += (g for g in groups if g.span not in known)
                self._use(place, *(i for g in groups if g.unit or not g.said for i in range(*g.span)))
                self._use(*(i for g in groups for i in self._of_the_week(g.span)))
        return tuple(found)

    def _points_at_each(self, place: int) -> bool:
        """True if "each" is each of what was said before: "and how many did each of them carry"."""
        if self._lower(place) != "each" or not place:
            return False
        ahead = [m for m in self.measures if m.span.end <= place]
        told = bool(ahead) and (not ahead[-1].sources or any(_alike(m, ahead[-1]) for m in ahead[:-1]))
        after = self.linking.tokens[place + 1 : place + 3]
        words = [t.lower for t in after]
        alone = not after or words[0] in _HAVE | LIGHT or place + 1 in deeds(self.linking, self.naming.names)
        return told and (alone or words in (["of", w] for w in _THEM))

    def _tells_who(self, place: int) -> bool:
        """True if "by" says who sold or bought: "bought by Ann Lee"."""
        values = (v.span.first for v in sure_values(self.linking))
        return place + 1 in values and any(m.sold and place - 1 in m.also for m in self.measures)

    def _of_the_week(self, span: Span) -> range:
        """The words behind "day" that say which day is meant."""
        behind = range(span.end, min(span.end + 3, len(self.linking.tokens)))
        said = self._lower(span.end - 1) == "day" and [self._lower(i) for i in behind] == _OF_THE_WEEK
        return behind if said else range(0)

    def _did(self, place: int) -> bool:
        """True if a participle stands before a place that tells of what was done, not of rows called so."""
        before = self._lower(place - 1) if place else ""
        return before.endswith(PARTICIPLES) or before in LEMMAS

    def _compares_after(self, place: int) -> bool:
        """True if a number that is compared follows: of no other word between is anything said."""
        number = next((n for n in self.linking.numbers if n.span.first > place), None)
        measured = number is not None and any(m.span.first == number.span.end for m in self.measures)
        return (
            number is not None
            and measured
            and self._limits.compares(number)
            and all(self._limits.is_light(i) for i in range(place + 1, number.span.first))
        )

    def _follows_by(self, place: int) -> bool:
        """True if a "by" stands before "each", which then says of each of what."""
        after = self._lower(place + 1) if place + 1 < len(self.linking.tokens) else ""
        return after in BY

    def _counts_by(self, place: int) -> bool:
        """True if "by" tells how many did something: "taught by more than two instructors"."""
        near = (n for n in self.linking.numbers if place < n.span.first <= place + 3)
        return any(self._limits.compares(n) for n in near)

    def _ranks_others(self, ranking: Ranking, groups: Sequence[GroupingWords]) -> bool:
        """True if other things than those told of are ranked: "the best selling album of each artist"."""
        each = any(self._lower(g.span.first - 1) in EACH for g in groups if g.span.first)
        which = each and any(t.lower in _WHICH for t in self.linking.tokens)
        if not isinstance(ranking.by, MeasureWords) or not (ranking.by.sold or which):
            return False
        values = [v.span for v in sure_values(self.linking)]
        held = [*values, *(g.span for g in groups), *(m.span for m in self.measures)]
        said = {place for m in self.measures for place in m.also}
        own = {c.table.name for g in groups for by in g.named for c in by.shown}
        others = (m for m in self.linking.table_mentions if which or m.table not in own)
        heads = {m.span.end - 1 for m in others if names_table(self.linking, m)}
        return any(not covers(held, place) for place in heads - said)

    def _head(self, end: int, ranking: Ranking | None) -> tuple[GroupingWords, ...]:
        """The things that are kept or ranked: "which cities have", "top 3 doctors by", "customers who"."""
        until = end
        starts = [self._behind_values(s) for s in self._head_starts(end, ranking)]
        for start in starts:
            group = self.naming.group_at(start, until if until > start else None)
            if group is not None and any(m.span.overlaps(group.span) for m in self.measures):
                continue
            if group is not None and group.span.end > start + 1 and self._tells_of_amounts(group.span.end):
                group = self.naming.group_at(start, group.span.end - 1)  # "which employees | handle the most"
            if group is not None and (group.named or group.unit):
                if group.unit:
                    self._use(*range(*group.span))
                return (group,)
        return ()

    def _tells_of_amounts(self, place: int) -> bool:
        return place < len(self.linking.tokens) and self._lower(place) in AMOUNTS

    def _behind_values(self, place: int) -> int:
        """Where words for things may begin that values restrict: "best selling rock | albums"."""
        tokens = self.linking.tokens
        while place < len(tokens) and (tokens[place].lower in PASSED or tokens[place].kind == "number"):
            place += 1
        ends = {v.span.first: v.span.end for v in sure_values(self.linking)}
        return ends.get(place, place)

    def _head_starts(self, end: int, ranking: Ranking | None) -> Iterator[int]:
        """Where the words for the things may begin, likeliest first."""
        tokens = self.linking.tokens
        if ranking is not None:
            told = (m for m in self.measures if m.most and (m.sold or m.span.end - m.span.first == 2))
            yield from (m.span.end for m in told)
            tops = (s.span.first for s in self.linking.superlatives if self._lower(s.span.first) in RANKS)
            yield from (t + 1 for t in tops)
        of = [i + 1 for i in range(1, end) if self._lower(i) == "of" and tokens[0].lower in OPENINGS]
        yield from of[:1]
        for asking in (i for i in range(end) if self._lower(i) in _ASKING):
            behind = range(asking + 1, end)
            yield next((i for i in behind if not tokens[i].stop and tokens[i].kind != "number"), end)
        named = (m.span.first for m in self.linking.table_mentions if m.span.end <= end)
        yield from sorted(named, reverse=True)
        yield int(tokens[0].lower in OPENINGS)

    # Completeness

    def _all_read(self, whole: RowsRequest) -> bool:
        """True if each word for a number, an extreme or "each" has its place."""
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
        """True if a word for a number belongs to a name: "first and last names"."""
        after = {t.lower for t in self.linking.tokens[span.end : span.end + 3]}
        return covers(held, span.first) or not after.isdisjoint(("name", "names"))

    def _opens(self, whole: RowsRequest, stated: Sequence[MeasureWords]) -> bool:
        """True if numbers are what the question asks for, not what it says of something else."""
        if whole.limits or not stated or (whole.ranking and whole.ranking.by in stated):
            return True
        tokens = self.linking.tokens
        first = min(m.span.first for m in stated)
        held = [*whole.named, *(v.span for v in sure_values(self.linking))]
        ahead = range(tokens[0].lower in OPENINGS, first)
        called = {i for i in ahead if tokens[i].lower in NAMES and whole.groups}
        self._use(*called)
        return tokens[0].lower in _FOR or all(
            tokens[i].stop
            or tokens[i].lower in PERIOD_UNITS
            or tokens[i].kind == "sign"
            or covers(held, i)
            or i in called
            for i in ahead
        )


def _alike(one: MeasureWords, other: MeasureWords) -> bool:
    return (one.function, one.sources) == (other.function, other.sources)


def resolved(request: RowsRequest, linking: Linking) -> RowsRequest:
    """The request without measures that only point at others: "spend in total", "along with their counts".

    What they point at is shown, also where it is there for the order, or is compared with a number.
    """
    by = request.ranking.by if request.ranking else None
    ranked = [by] if isinstance(by, MeasureWords) else []
    compared = [k.measure for k in request.limits]
    named = {m.function for m in request.measures if m.sources}
    kept, told = list[MeasureWords](), list[MeasureWords]()
    for measure in request.shown:
        others = [*ranked, *(compared if _is_told(linking, measure) else ())]
        meant = next((o for o in others if _points_at(measure, o)), None)
        if measure.sources or (meant is None and measure.function not in named):
            kept.append(measure)
        elif meant is not None:
            told.append(meant)
    return replace(request, shown=tuple(dict.fromkeys((*kept, *told))))


def _points_at(measure: MeasureWords, other: MeasureWords) -> bool:
    """True if a measure that names nothing may ask for another: "the most passengers, and how many"."""
    summed = measure.function == "count" and other.function == "sum" and bool(other.most or other.sold)
    return bool(other.sources) and not measure.sources and (measure.function == other.function or summed)


def _is_told(linking: Linking, measure: MeasureWords) -> bool:
    """True if a measure is asked for, and not only said of another: "with that average", not "in total"."""
    first = linking.tokens[measure.span.first].lower
    before = linking.tokens[measure.span.first - 1].lower if measure.span.first else ""
    return first in {"how", "the"} or before in _TELLING
