"""From a sentence to the claims that it makes, by patterns and one database's vocabulary.

The sentence is untrusted text: it chooses among names and values of the database, and gives numbers and spans
of time. None of it stands in a query.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fathom.analysis.claims import (
    AssociationClaim,
    ChangeClaim,
    Claim,
    CoMovementClaim,
    ComparisonClaim,
    DifferenceClaim,
    Direction,
    ExtremeClaim,
    ForecastClaim,
    NumberClaim,
    PeakClaim,
    RecommendationClaim,
    ShareClaim,
    TrendClaim,
)
from fathom.analysis.context import SentenceContext, fields_of, without_pronouns
from fathom.analysis.meanings import Meanings, periods
from fathom.analysis.numerals import months, nth, stated, stated_share
from fathom.analysis.patterns import ClaimPattern, advice, patterns, phrasing, rephrasings
from fathom.analysis.quantities import Function, Measure, Period, Quantity, RowCondition
from fathom.analysis.series import month_after
from fathom.analysis.vocabulary import WORDS, Vocabulary, stems_of
from fathom.text.words import tokens

_LONGEST = 600
"""Letters; a longer sentence says more than one claim, and no pattern is meant for it."""
_MOST_READINGS, _MOST_REPHRASED = 6, 2
_COUNT: tuple[Function, ...] = ("count",)
_EITHER: tuple[Function, ...] = ("count", "sum")
_WHEN_FIRST = re.compile(r"^((?:in|during|for) [^,]{3,30}),\s*(.+)$", re.IGNORECASE)
_REASON_FIRST = re.compile(r"^(?:since|because|as|given that) (.+?), (.+)$", re.IGNORECASE)
_MONTH = "|".join(m for m in WORDS["months"])
_SHARED_YEAR = re.compile(rf"\b({_MONTH})( to | and )({_MONTH}) (\d{{4}})\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s*\([^()]+\)")
_NOTHING = SentenceContext()
_PRONOUNS = frozenset(WORDS["pronouns"])
_BURDENS = frozenset(WORDS["burdens"])
_TRADING, _TRADES = frozenset(WORDS["trading"]), frozenset(WORDS["trades"])
_ENDING = re.compile(r"[.!\s]+$")
Readings = tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its claims, each with the ways to read it, and the parts that no rule could read."""

    text: str
    claims: tuple[Readings, ...] = ()
    unread: tuple[str, ...] = ()


class Reader:
    """Reads the sentences of answers about one database, in the context of those before."""

    def __init__(self, vocabulary: Vocabulary, context: SentenceContext = _NOTHING) -> None:
        self.vocabulary = vocabulary
        self.context = context
        self._meanings = Meanings(vocabulary)
        self._readers: Mapping[str, Callable[[ClaimPattern, Mapping[str, str]], Iterator[Claim]]] = {
            "trend": self._trend,
            "change": self._change,
            "forecast": self._forecast,
            "association": self._association,
            "difference": self._difference,
            "share": self._share,
            "extreme": self._extreme,
            "comparison": self._comparison,
            "number": self._number,
        }

    def within(self, context: SentenceContext) -> "Reader":
        """The same reader in another context."""
        return Reader(self.vocabulary, context)

    def read(self, sentence: str) -> Statement:
        """The claims of a sentence. What holds none that the database knows is left unread."""
        ways = [self._read(way) for way in without_pronouns(_bare(sentence), self.context, _PRONOUNS)]
        found = next((s for s in ways if s.claims and not s.unread), ways[0] if ways else None)
        return (
            replace(found, text=sentence) if found and found.claims else Statement(sentence, (), (sentence,))
        )

    def _read(self, sentence: str) -> Statement:
        text = _bare(sentence)
        if len(text) > _LONGEST:
            return Statement(sentence, (), (sentence,))
        if recommended := self._recommendation(text):
            return Statement(sentence, ((recommended,),))
        if whole := self._claims(text):
            return Statement(sentence, whole)
        for joiner in phrasing()["joiners"]:
            parts = [p for p in text.split(joiner) if p.strip()]
            found = [self._claims(_bare(p)) for p in parts] if len(parts) > 1 else []
            if any(found) and not any(self._is_name(p) for p, c in zip(parts, found, strict=True) if not c):
                unread = tuple(p for p, claims in zip(parts, found, strict=True) if not claims)
                return Statement(sentence, tuple(c for claims in found for c in claims), unread)
        if beside := _BESIDE.search(text):
            shorter = self._read(_BESIDE.sub("", text, count=1))
            if shorter.claims:
                return Statement(sentence, shorter.claims, (*shorter.unread, beside[0].strip()))
        return Statement(sentence, (), (sentence,))

    def _is_name(self, part: str) -> bool:
        """True if a part of a sentence says nothing alone: "customers in Norway and" Spain."""
        return bool(periods(part) or self._meanings.values(part))

    def _claims(self, text: str, depth: int = 0) -> tuple[Readings, ...]:
        """All that a text claims: as a pattern has it, else as the plainer sentences that say the same."""
        if found := self._claim(text):
            return (found,)
        for way in rephrasings() if depth < _MOST_REPHRASED else ():
            if match := way.expression.fullmatch(text):
                slots = defaultdict(str, {k: v.strip() for k, v in match.groupdict().items() if v})
                parts = [self._claims(p.format_map(slots).strip(), depth + 1) for p in way.plainer]
                if all(parts):
                    return tuple(claims for part in parts for claims in part)
        return ()

    def _claim(self, text: str) -> Readings:
        for said in _ways(text):
            for pattern in patterns():
                if pattern.understood and not self.context.quantities:
                    continue
                match = pattern.expression.fullmatch(said)
                if match is None:
                    continue
                slots = {k: v.strip() for k, v in match.groupdict().items() if v}
                if any(v.endswith(",") for v in slots.values()):  # "77 orders, fewer than" says two things
                    continue
                around = _outside(said, match)
                found = [
                    c
                    for c in dict.fromkeys(self._readers[pattern.kind](pattern, slots))
                    if self._fits_verb(c, around) and self._reaches(c)
                ]
                if found:
                    grouped = tuple(c for c in found if self.context.by in fields_of(c))
                    return (grouped or tuple(found))[:_MOST_READINGS]
        return ()

    def _fits_verb(self, claim: Claim, around: frozenset[str]) -> bool:
        """False where a count would be of another thing: who "sold 835 tracks" has sales of them."""
        quantity = getattr(claim, "quantity", None)
        if not isinstance(quantity, Quantity) or not around & _TRADING:
            return True
        counted = quantity.measure.function == "count" and not self.vocabulary.is_learned(quantity.measure)
        return not counted or bool(
            _TRADES & set(stems_of(self.vocabulary.table_name(quantity.measure.table)))
        )

    def _reaches(self, claim: Claim) -> bool:
        """False where no row that is counted belongs to one that is named: another column is meant."""
        quantity = getattr(claim, "quantity", None)
        reach = self.vocabulary.queries.reachable
        return not isinstance(quantity, Quantity) or all(
            reach(quantity.measure.table, field.table) is not None for field in fields_of(claim)
        )

    def _recommendation(self, text: str) -> RecommendationClaim | None:
        if turned := _REASON_FIRST.match(text):
            text = f"{turned[2]} because {turned[1]}"
        if not any(pattern.fullmatch(text) for pattern in advice()):
            return None
        for reason in phrasing()["reasons"]:
            said, found, because = text.partition(reason)
            if not found:
                continue
            read = self._read(because)
            return RecommendationClaim(said, read.claims, read.unread)
        return RecommendationClaim(text)

    def _quantities(
        self, slots: Mapping[str, str], bare: Sequence[Function] = ("count",)
    ) -> tuple[Quantity, ...]:
        when = f" in {slots['when']}" if "when" in slots else ""
        if "measure" not in slots:
            period = periods(slots["when"]) if when else None
            return tuple(q.during(period) if period else q for q in self.context.quantities)
        return self._meanings.quantities(f"{slots['measure']}{when}", bare)

    def _parts(self, slots: Mapping[str, str]) -> Iterator[Quantity]:
        """A measure of the rows with the value that stands in the slot `a`, or of the span that does."""
        if period := periods(slots["a"]):
            if "measure" in slots:
                yield from self._meanings.quantities(f"{slots['measure']} in {slots['a']}")
            else:
                yield from (q.during(period) for q in self.context.quantities)
        for quantity in self._quantities(slots):
            for of in self._meanings.values(slots["a"]):
                yield quantity.at(of)

    def _number(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        number, bare = stated(slots["number"]), _COUNT if pattern.way == "counted" else _EITHER
        for quantity in self._parts(slots) if "a" in slots else self._quantities(slots, bare):
            yield NumberClaim(quantity, number)

    def _share(self, _: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        per_cent, period = stated_share(slots["percent"]), periods(slots["a"])
        for quantity in self._quantities(slots, _EITHER):
            if period and quantity.period is None:
                yield ShareClaim(quantity, period, per_cent)
            for of in self._meanings.values(slots["a"]):
                if self._is_one_of(of, slots):
                    yield ShareClaim(quantity, of, per_cent)

    def _is_one_of(self, of: RowCondition, slots: Mapping[str, str]) -> bool:
        """True if a value is of the column that stands in the slot `groups`, where there is one."""
        return "groups" not in slots or self._meanings.names(of.field, slots["groups"])

    def _extreme(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        place, period = nth(slots["nth"]) if "nth" in slots else 1, periods(slots["a"])
        most = pattern.way in {"most", "best"}
        for quantity in self._quantities(slots):
            if pattern.way in {"best", "worst"} and self._is_burden(quantity):
                continue
            if period and place == 1 and quantity.period is None and "groups" not in slots:
                yield PeakClaim(quantity, period, most)
            for of in self._meanings.values(slots["a"]):
                if self._is_one_of(of, slots):
                    yield ExtremeClaim(quantity, of, most, place)

    def _is_burden(self, quantity: Quantity) -> bool:
        """True where more is worse, so that "the best" is nothing to check."""
        return bool(_BURDENS & set(stems_of(self.vocabulary.measure_name(quantity.measure))))

    def _comparison(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        relation: Any = pattern.way
        factor = stated(slots["factor"]) if "factor" in slots else None
        per_cent = stated_share(slots["percent"]) if "percent" in slots else None
        by = stated(slots["number"]) if "number" in slots else None
        one, two = periods(slots["a"]), periods(slots["b"])
        seconds = {c.field: c for c in self._meanings.values(slots["b"])}
        if "measure" not in slots and not pattern.understood:
            yield from (
                ComparisonClaim(
                    Quantity(Measure("count", first.field.table)), first, second, relation, None, None, by
                )
                for first in self._meanings.values(slots["a"])
                if (second := seconds.get(first.field))
            )
            return
        for quantity in self._quantities(slots):
            if one and two and by is None and quantity.period is None:
                yield ChangeClaim(quantity, two, one, _direction(pattern.way), per_cent, factor)
            for first in self._meanings.values(slots["a"]):
                second = seconds.get(first.field)
                # Of an average it isn't known whether two together are meant, or each of them.
                several = any(isinstance(c.value, tuple) for c in (first, second) if c)
                if second and (quantity.measure.adds_up or not several):
                    yield ComparisonClaim(quantity, first, second, relation, factor, per_cent, by)

    def _trend(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        since = periods(slots["when"]) if "when" in slots else None
        if "when" in slots and since is None:
            return
        for quantity in self._meanings.quantities(slots["measure"], _EITHER):
            if quantity.period is None:
                yield TrendClaim(quantity, _direction(pattern.way), since)

    def _change(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        after = periods(slots["then"])
        before = periods(slots["when"]) if "when" in slots else self._before(after)
        per_cent = stated_share(slots["percent"]) if "percent" in slots else None
        times = slots.get("multiple") or slots.get("halved") or slots.get("factor")
        factor = stated(re.sub("^(has|have) ", "", times)) if times else None
        if before is None or after is None:
            return
        for quantity in self._meanings.quantities(slots["measure"], _EITHER):
            if quantity.period is None:
                yield ChangeClaim(quantity, before, after, _direction(pattern.way), per_cent, factor)

    def _before(self, after: Period | None) -> Period | None:
        """The time that a change goes on from: the one named last, else the month or year before."""
        if after is None:
            return None
        known = self.context.period
        if known and known.grain == after.grain and known.end <= after.start:
            return known
        lengths = {"month": 1, "quarter": 3, "year": 12}
        if after.grain not in lengths:
            return None
        return Period(month_after(after.start, -lengths[after.grain]), after.start)

    def _forecast(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        period = periods(slots["when"]) if "when" in slots else None
        for quantity in self._meanings.quantities(slots["measure"], _EITHER):
            if quantity.period is not None:
                continue
            if pattern.way != "value":
                yield ForecastClaim(
                    quantity, direction=_direction(pattern.way), months=months(slots["months"])
                )
            elif period is not None:
                yield ForecastClaim(quantity, period, stated(slots["number"]))

    def _association(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        signs: dict[str, Literal[1, -1, 0] | None] = {"positive": 1, "negative": -1, "none": 0, "any": None}
        sign, rows = signs[pattern.way], list[AssociationClaim]()
        of = f" of {slots['rows']}" if "rows" in slots else ""
        seconds = self._meanings.columns(slots["other"])
        if of and not seconds:  # "have more children": a higher number of them
            seconds = self._meanings.columns(f"number of {slots['other']}")
        for first in self._meanings.columns(f"{slots['column']}{of}"):
            for second in seconds:
                if first != second:
                    rows.append(AssociationClaim(first, second, sign))
        yield from rows
        if rows or of:  # whoever means the totals over time says so
            return
        for one in self._meanings.quantities(slots["column"], ()):
            for other in self._meanings.quantities(slots["other"], ()):
                if one.measure != other.measure and (one.measure.adds_up or other.measure.adds_up):
                    yield CoMovementClaim(one, other, sign)

    def _difference(self, pattern: ClaimPattern, slots: Mapping[str, str]) -> Iterator[Claim]:
        for by in self._meanings.groups(slots["groups"]):
            for field in (*self._meanings.columns(slots["column"]), *self._meanings.groups(slots["column"])):
                if field != by:
                    measure = Measure("avg", field.table, field.column)
                    yield DifferenceClaim(measure, by, pattern.way != "same", caused=pattern.way == "caused")


def _outside(said: str, match: re.Match[str]) -> frozenset[str]:
    """The words of a sentence that stand in no slot: its verbs and joining words."""
    spans = [match.span(name) for name in match.groupdict() if match[name]]
    return frozenset(t.folded for t in tokens(said) if not any(a <= t.start < b for a, b in spans))


def _direction(way: str) -> Direction:
    found: dict[str, Direction] = {"up": "up", "more": "up", "down": "down", "less": "down", "flat": "flat",
                                   "same": "flat"}  # fmt: skip
    return found[way]


def _bare(sentence: str) -> str:
    """A sentence without its stop and the words that only connect it with what was said before."""
    text = _ENDING.sub("", " ".join(sentence.split())).strip("*_ ")
    text = _SHARED_YEAR.sub(r"\1 \4\2\3 \4", text)
    for opener in phrasing()["openers"]:
        if text.casefold().startswith(opener) and text[len(opener) : len(opener) + 1] in {",", " ", ":"}:
            shorter = text[len(opener) :].lstrip(",: ")
            if (
                opener not in {"also", "first", "second", "third", "finally", "over"}
                or text[len(opener)] == ","
            ):
                return _bare(shorter)
    return text


def _ways(text: str) -> Iterator[str]:
    """The sentence, and with the span of time that it begins with at its end."""
    yield text
    if opened := _WHEN_FIRST.match(text):
        yield f"{opened[2]} {opened[1][0].lower()}{opened[1][1:]}"
