"""Words of selling and buying, where a database keeps what was sold: "best selling", "units sold", "bought".

No column is called so: what such words add up are the units of the lines of orders, of things or of all that
belongs to them by keys.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from fathom.offline.checks.account import sure_values
from fathom.offline.grammars.measures import PASSED, MeasureSource, MeasureWords, compares
from fathom.offline.grammars.sales_tables import OrderLines
from fathom.offline.linking import ColumnKey, Linking, QuantityMention, Span
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import stem
from fathom.offline.linking.value_match import SPELT
from fathom.offline.linking.wordlists import DIFFERENT, DO, LISTING, ORDER_ASCENDING, ORDER_DESCENDING
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, Star, Unrepresentable, all_queries
from fathom.offline.queries.rows import RowNames
from fathom.offline.queries.to_sql import joined
from fathom.text.identifiers import identifier_words

_SELL = stem("sell")
_DONE = frozenset("sold bought purchased ordered".split())
_DOING = frozenset("sell sells selling buy buys buying purchasing".split())
_AS_NOUNS = frozenset(("order", "purchase"))
"""Verbs only behind "did" and the like."""
_ORDER = frozenset(("order", "way", "manner"))
_SORTED = ORDER_ASCENDING | ORDER_DESCENDING | {"according"}
_UNITS = frozenset("unit units copy copies item items piece pieces quantity quantities".split())
_OFTEN = frozenset(("often", "frequently", "commonly"))
_BETWEEN = frozenset("the of - a an".split())
_AUXILIARIES = frozenset("were was are is have has had did do does we you they".split())
_BOTH = frozenset(("both", "either", "neither"))
_FIRST = frozenset("best top most highest".split())
_LAST = frozenset("worst least fewest lowest poorest bottom".split())
_HELD = 0.5
_DID_REACH = 6
"""Words that may stand between "did" and its verb."""
_REACH = 3
"""Words that may stand between a verb and the number with which units are compared."""


def trade_verbs(linking: Linking, lines: Sequence[OrderLines], names: RowNames) -> tuple[int, ...]:
    """The places of verbs that say something was sold or bought, where a database has lines of that.

    Not where a column of numbers is called so, as `units_sold`, but for the lines' own.
    """
    places = [i for i in range(len(linking.tokens)) if lines and _is_verb(linking, i)]
    own = {ColumnKey.of(one.units) for one in lines if one.units is not None}
    others = (c for c in linking.columns if c not in own and names.measures(c))
    called = {w for c in others for w in identifier_words(c.column)} & _DONE
    return tuple(i for i in places if linking.tokens[i].lower not in called)


def _is_verb(linking: Linking, place: int) -> bool:
    tokens = linking.tokens
    token = tokens[place]
    held = (v for v in linking.values if v.match in SPELT and v.probability >= _HELD)
    if token.evidence or token.quoted or any(v.span.first <= place < v.span.end for v in held):
        return False
    after = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    if token.lower in _AS_NOUNS:
        near = [t.lower for t in tokens[max(0, place - _DID_REACH) : place]]
        return not DO.isdisjoint(near) and near[-1] not in PASSED
    sorts = token.lower == "ordered" and _sorts(linking, place + 1)
    priced = token.lower in _DOING and after in {"price", "prices"}
    return token.lower in _DONE | _DOING and not sorts and not priced


def holds_lines(
    query: Query, planner: JoinPlanner, lines: Sequence[OrderLines], *, orders: bool = False
) -> bool:
    """True if a query looks at rows that say what was sold, or at their `orders`."""
    kept = {t for one in lines for t in (one.table.name, *(one.heads if orders else ()))}
    try:
        return any(t.name in kept for part in all_queries(query) for t in joined(part, planner)[0])
    except Unrepresentable:
        return False


def _sorts(linking: Linking, place: int) -> bool:
    """True if what follows "ordered" says in which order: "by price", "in reverse order"."""
    tokens = linking.tokens
    word, behind = tokens[place].lower if place < len(tokens) else "", tokens[place + 1 : place + 4]
    if word == "by":
        return not _told_by_whom(linking, place)
    orders = any(superlative_direction(t) or t.lower in _ORDER for t in behind)
    return word in _SORTED or (word in {"in", "from"} and orders)


def _told_by_whom(linking: Linking, place: int) -> bool:
    """True if "by" says who ordered: a name follows, with no more than an article or a table ahead of it."""
    tokens, first = linking.tokens, place + 1
    named = {m.span.first: m.span.end for m in linking.table_mentions if m.score >= _HELD}
    while first < len(tokens) and tokens[first].lower in PASSED | _BOTH:
        first += 1
    starts = {first, named.get(first, first)}
    return any(v.span.first in starts and v.match in SPELT for v in linking.values)


@dataclass(frozen=True, slots=True)
class _Noun:
    """The thing that is counted: units, times, the things themselves or, if unclear, their units or kinds.

    `end` is where the words for it end.
    """

    kind: Choice["units", "times", "things", "unclear"]
    end: int


@dataclass(frozen=True, slots=True)
class SoldReader:
    """Reads the numbers of units that one question asks for by its one `verb` of selling or buying.

    `phrase` gives the words from a place on that name a table or column.
    """

    linking: Linking
    lines: Sequence[OrderLines]
    verb: int
    phrase: Callable[[int], Span | None]

    def at(self, place: int) -> MeasureWords | None:
        """The measure whose words begin at a place."""
        ways = (self._ranked, self._asked, self._compared, self._bare)
        return next((found for way in ways if (found := way(place)) is not None), None)

    def _ranked(self, place: int) -> MeasureWords | None:
        """The units by which a superlative ranks: "best selling", "most often ordered", "sold the most"."""
        linking, word = self.linking, self._lower(place)
        way: Choice["", "asc", "desc"] = "desc" if word in _FIRST else "asc" if word in _LAST else ""
        if not way or not any(s.span.first == place for s in linking.superlatives):
            return None
        rest = range(place + 1, len(linking.tokens))
        passed = _OFTEN | {"-"} | ({"best"} if word == "top" else set())
        after = next((i for i in rest if not self._is_number(i) and self._lower(i) not in passed), len(rest))
        often = any(self._lower(i) in _OFTEN for i in range(place + 1, after))
        if after == self.verb and self._lower(after) in _DONE | {"selling"}:
            return self._measure(place, after + 1, "times" if often else None, way)
        if self._follows(place):
            return self._measure(place, after, "times", way) if often else self._most_of(place, way)
        noun = self._noun(place + 1)
        named = noun is not None and noun.end == self.verb and not compares(linking, place)
        return self._measure(place, noun.end + 1, noun.kind, way) if noun and named else None

    def _most_of(self, place: int, way: Choice["", "asc", "desc"]) -> MeasureWords | None:
        """The units by which a superlative behind the verb ranks: "sold the most copies"."""
        if (noun := self._noun(place + 1)) is not None:
            return self._measure(place, noun.end, noun.kind, way)
        kind = "units" if place + 1 in self._values else None  # "who bought the most tea"
        return self._measure(place, place + 1, kind, way) if kind or self._ends(place + 1) else None

    def _asked(self, place: int) -> MeasureWords | None:
        """The units that a quantity asks for, a verb behind it: "how many copies of X have we sold"."""
        asked = next((q for q in self.linking.quantities if q.span.first == place), None)
        if asked is None or asked.aggregate not in {"count", "sum"} or self.verb < asked.span.end:
            return None
        between = range(asked.span.end, self.verb)
        spans = (m.span for said in (self.linking.quantities, self.linking.superlatives) for m in said)
        noun = self._times(asked) or self._noun(asked.span.end) or self._unsaid(asked)
        if noun is None or any(s.first in between for s in spans):
            return None
        if asked.aggregate == "sum" and noun.kind != "units":
            return None
        return self._measure(place, noun.end, noun.kind)

    def _times(self, asked: QuantityMention) -> _Noun | None:
        """How many times something was sold: "how often"."""
        end = asked.span.end
        return _Noun("times", end) if self._lower(end - 1) in {"times", "often"} else None

    def _unsaid(self, asked: QuantityMention) -> _Noun | None:
        """Units that aren't named: "how many were sold"."""
        end = asked.span.end
        return _Noun("units", end) if self._lower(end) in _AUXILIARIES else None

    def _compared(self, place: int) -> MeasureWords | None:
        """The units that are compared with a number behind the verb: "bought more than 20 copies"."""
        number = next((n for n in self.linking.numbers if n.span.first == place), None)
        if number is None or number.comparison == "=" or number.percent or number.year:
            return None
        noun = self._noun(number.span.end)
        between = self.linking.tokens[self.verb + 1 : place]
        ahead = self.verb < place and len(between) <= _REACH and all(t.stop for t in between)
        if noun is None or not (ahead or noun.end == self.verb):
            return None
        return self._measure(number.span.end, noun.end if ahead else noun.end + 1, noun.kind)

    def _bare(self, place: int) -> MeasureWords | None:
        """The units, or things of each of others, that are named with their verb behind: "units sold"."""
        noun = self._noun(place)
        if noun is None or self._behind_value(noun.end) != self.verb:
            return None
        told = self._lower(place) in _UNITS or (self._of_each(place) and self._lower(place) not in PASSED)
        return self._measure(place, noun.end, noun.kind) if told else None

    def _of_each(self, place: int) -> bool:
        """True if things open a question that are sold "per" or "by" others, not by who buys them."""
        ahead = self.linking.tokens[:place]
        sells = self.linking.tokens[self.verb].stem == _SELL
        by = sells and self._lower(self.verb + 1) == "by" and not _told_by_whom(self.linking, self.verb + 1)
        lists = any(t.lower in LISTING for t in ahead)
        each = self._lower(self.verb + 1) in EACH | {"for"} or (by and not lists)
        return each and all(t.stop or t.kind != "word" for t in ahead)

    def _noun(self, place: int) -> _Noun | None:
        """Read the thing that is counted from a place on: units, times, or things of lines, but no kinds of
        these."""
        tokens, first = self.linking.tokens, place
        while place < len(tokens) and tokens[place].lower in PASSED | {"of"}:
            place += 1
        if any(t.lower in DIFFERENT for t in tokens[first:place]):
            return None
        word = tokens[place].lower if place < len(tokens) else ""
        if word in _UNITS or word == "times":
            return _Noun("units" if word in _UNITS else "times", place + 1)
        span = self.phrase(place)
        if span is None:
            return None
        near = self.linking.table_alignment[:, span.end - 1]
        best = max(NAMED, float(near.max(initial=0)))
        named = {t for t, fit in zip(self.linking.tables, near, strict=True) if fit >= best}
        things = {t for one in self.lines for t in one.things}
        kind: Choice["things", "unclear"] = "things" if self._counts_units() else "unclear"
        return _Noun(kind, span.end) if named and named <= things else None

    def _counts_units(self) -> bool:
        """True if things that are counted are units: "tracks sold"; who bought 3 may have bought 3 kinds."""
        sells = self.linking.tokens[self.verb].stem == _SELL
        return sells or all(one.single for one in self.lines)

    def _measure(
        self, first: int, end: int, kind: str | None, most: Choice["", "asc", "desc"] = ""
    ) -> MeasureWords:
        """The units of lines, or how many lines there are. What isn't said of units is of things alone.

        Where it may be units or kinds that are meant, there is no source.
        """
        counts = kind == "times" or any(one.units is None for one in self.lines)
        sources = tuple(
            MeasureSource(
                Star() if counts or one.units is None else one.units,
                one.table,
                1.0,
                apart=one.beside if kind is None else frozenset(),
            )
            for one in (self.lines if kind != "unclear" else ())
        )
        also = frozenset((self.verb, *range(first, end)))
        function: Choice["count", "sum"] = "count" if counts and sources else "sum"
        return MeasureWords(function, sources, Span(first, end), most=most, also=also, sold=True)

    def _follows(self, place: int) -> bool:
        """True if the verb stands right before a superlative, articles aside."""
        return self.verb < place and all(self._lower(i) in _BETWEEN for i in range(self.verb + 1, place))

    def _ends(self, place: int) -> bool:
        """True if no noun follows of which most would be said: "sold the most in 2020"."""
        return all(t.stop or t.kind != "word" for t in self.linking.tokens[place : place + 1])

    def _behind_value(self, place: int) -> int:
        """Where words for a value end of which something is the number: "units of tea | sold"."""
        return self._values.get(place + 1, place) if self._lower(place) == "of" else place

    @property
    def _values(self) -> Mapping[int, int]:
        """Where the values end that begin at a place."""
        return {v.span.first: v.span.end for v in sure_values(self.linking)}

    def _is_number(self, place: int) -> bool:
        return self.linking.tokens[place].kind == "number"

    def _lower(self, place: int) -> str:
        return self.linking.tokens[place].lower if place < len(self.linking.tokens) else ""


def sold_readers(
    linking: Linking, lines: Sequence[OrderLines], names: RowNames, phrase: Callable[[int], Span | None]
) -> tuple[SoldReader, ...]:
    """The readers of the verbs of selling or buying in a question that denies nothing.

    Several verbs are read where all say the same: "the best selling products and how many units were sold".
    """
    verbs = trade_verbs(linking, lines, names)
    said = {linking.tokens[i].stem for i in verbs}
    alike = len({one.units is None for one in lines}) == 1 == len(said)
    if not alike or linking.negations:
        return ()
    return tuple(SoldReader(linking, lines, verb, phrase) for verb in verbs)
