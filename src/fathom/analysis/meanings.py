"""Meanings of a sentence's phrase in one database: quantities, columns, named values, spans of time."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from os.path import commonprefix

from fathom.analysis.quantities import Field, Function, Measure, Period, Quantity, RowCondition
from fathom.analysis.series import month_after
from fathom.analysis.vocabulary import WORDS, Stems, Vocabulary, stems_of
from fathom.text.words import Token, tokens, words

_MOST_READINGS = 4
_MONTHS = {name: n for n, name in enumerate(WORDS["months"], 1)}
_MONTHS |= {name[:3]: n for name, n in _MONTHS.items()}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?\s+(?:of\s+)?(?P<of>[12]\d{{3}})"
_ISO_MONTH = r"(?P<iso>[12]\d{3}-[01]\d)(?!-?\d)"
_QUARTER = (
    r"(?:Q(?P<quarter>[1-4])|the (?P<nth>first|second|third|fourth) quarter)(?:\s+of)?\s+(?P<in>[12]\d{3})"
)
_YEAR = r"(?P<year>1[5-9]\d\d|2[01]\d\d)"
_PERIOD = re.compile(rf"\b(?:the year\s+)?(?:{_MONTH}|{_ISO_MONTH}|{_QUARTER}|{_YEAR})\b", re.IGNORECASE)
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_FILLERS = frozenset(w for filler in WORDS["fillers"] for w in words(filler))
_FUNCTIONS = sorted(
    ((stems_of(said), function) for function, ways in WORDS["functions"].items() for said in ways),
    key=lambda pair: -len(pair[0]),
)
_CALLED: Mapping[str, Sequence[str]] = WORDS["called"]
_COUNTED = frozenset(WORDS["counted"])
_LONGEST_VALUE = 8
_AND = re.compile(r",? and |, ")
_EACH = re.compile(r"\b(each|both)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_QUOTES = "\"'“”‘’"


@dataclass(frozen=True, slots=True)
class NamedConditions:
    """Conditions that part of a phrase may name, and the words `[first, last)` that name it."""

    options: tuple[RowCondition, ...]
    first: int
    last: int


class Meanings:
    """Looks phrases up in one vocabulary. Nothing is a meaning that leaves a word unaccounted for."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = vocabulary

    def values(self, phrase: str) -> tuple[RowCondition, ...]:
        """The conditions that a phrase may be, as the whole name of a value, with or without its column's.

        As written in the data, else whatever its case and number.
        """
        text = " ".join(phrase.strip().strip(_QUOTES).split())
        if (found := self._words.values.get(text)) and len(text) > 1:
            return tuple(RowCondition(f, text) for f in found)
        said = tokens(phrase)
        if several := self._several(text):
            return several
        for named in (*self._named(phrase, said), *self._folded(said)):
            rest = [t.stem for n, t in enumerate(said) if not named.first <= n < named.last]
            if options := tuple(c for c in named.options if self._covers(c.field, rest)):
                return options
        return ()

    def _several(self, text: str) -> tuple[RowCondition, ...]:
        """ "Norway and Spain": any of several values of one column."""
        parts = _AND.split(text)
        if len(parts) < 2 or _EACH.search(text):
            return ()
        meant = [{c.field: c.value for c in self.values(part)} for part in parts]
        fields = [f for f in meant[0] if all(f in m for m in meant)]
        return tuple(RowCondition(f, tuple(m[f] for m in meant)) for f in fields)

    def quantities(self, phrase: str, bare: Sequence[Function] = ("count",)) -> tuple[Quantity, ...]:
        """The quantities that a phrase may be, the likeliest first.

        `bare` tells what rows alone may mean: how many they are, or the sum of their amounts.
        """
        period_match = _PERIOD.search(phrase)
        period = _period(period_match) if period_match else None
        if period_match and period:
            phrase = phrase[: period_match.start()] + " " + phrase[period_match.end() :]
        said = tokens(phrase)
        found: dict[Quantity, int] = {}
        for named in self._choices(phrase, said):
            taken = {n for one in named for n in range(one.first, one.last)}
            rest = [t.stem for n, t in enumerate(said) if n not in taken and t.stem != "of"]
            for measure, left, score in self._measures(rest, bare):
                for where in self._conditions(measure, named, left):
                    for dated in self._dated(measure, period):
                        quantity = Quantity(measure, where, period, dated)
                        found[quantity] = max(found.get(quantity, 0), score)
            if found:
                break
        best = max(found.values(), default=0)
        return tuple(q for q, score in found.items() if score == best)[:_MOST_READINGS]

    def names(self, field: Field, phrase: str) -> bool:
        """True if a phrase is what a column or its table is called, or a word that people have for such."""
        said = stems_of(phrase)
        own = {w for way in self._words.column_words(field) for w in way}
        called = said[-1:] and own & set(_CALLED.get(said[-1], ())) and _FILLERS.issuperset(said[:-1])
        return bool(called) or self._covers(field, said)

    def columns(self, phrase: str) -> tuple[Field, ...]:
        """The columns of numbers that a phrase may name."""
        return self._fields(phrase, self._words.numbers)

    def groups(self, phrase: str) -> tuple[Field, ...]:
        """The columns of names that a phrase may name."""
        return self._fields(phrase, self._words.groups)

    def _fields(self, phrase: str, among: Sequence[Field]) -> tuple[Field, ...]:
        said = stems_of(phrase)
        scored = [(self._spoken(field, said), field) for field in among]
        best = max((s for s, _ in scored), default=0)
        return tuple(f for s, f in scored if s == best > 0)[:_MOST_READINGS]

    def _spoken(self, field: Field, said: Sequence[str]) -> int:
        """How much of a phrase names a column: 0 where it leaves a word over."""
        table = next(stems for name, stems in self._words.tables if name == field.table)
        scores = [0]
        for way in self._words.column_words(field):
            if not _holds(said, way):
                continue
            left = _without(said, way)
            of_table = _holds(left, table)
            left = _without(left, table) if of_table else left
            if all(w in _FILLERS or w in _AVERAGE for w in left):
                scores.append(2 * len(way) + of_table)
        return max(scores)

    def _covers(self, field: Field, rest: Sequence[str]) -> bool:
        """True if words beside a value name its column or table, and nothing else."""
        table = next(stems for name, stems in self._words.tables if name == field.table)
        naming = {w for way in self._words.column_words(field) for w in way} | set(table) | _FILLERS
        return all(w in naming or _akin(w, naming) for w in rest)

    def _choices(self, phrase: str, said: Sequence[Token]) -> Iterator[tuple[NamedConditions, ...]]:
        """Ways to take parts of a phrase for values: those written as in the data, none, then any others.

        A word in small letters is a value only where it can't be read otherwise: "orders" may be one.
        """
        written = _apart(self._named(phrase, said))
        if written:
            yield written
        yield ()
        yield _apart((*written, *self._folded(said)))

    def _named(self, phrase: str, said: Sequence[Token]) -> Iterator[NamedConditions]:
        """The values that stand in a phrase, written as in the data, longest first."""
        for length in range(min(_LONGEST_VALUE, len(said)), 0, -1):
            for first in range(len(said) - length + 1):
                start, end = said[first].start, said[first + length - 1].end
                bare = _POSSESSIVE.sub("", phrase[start:end])
                for text in dict.fromkeys((phrase[start:end], _with_marks(phrase, start, end), bare)):
                    value = " ".join(text.split())
                    fields = self._words.values.get(value, ())
                    if len(value) == 1:
                        fields = tuple(f for f in fields if self._beside(f, said, first))
                    if fields:
                        yield NamedConditions(
                            tuple(RowCondition(f, value) for f in fields), first, first + length
                        )
                        break

    def _beside(self, field: Field, said: Sequence[Token], place: int) -> bool:
        """True if a column's name stands before or after a place: a letter alone is a value in "status A"."""
        stems = [t.stem for t in said]
        return any(
            _same(stems[max(0, place - len(way)) : place], way)
            or _same(stems[place + 1 : place + 1 + len(way)], way)
            for way in self._words.column_words(field)
        )

    def _folded(self, said: Sequence[Token]) -> Iterator[NamedConditions]:
        """The values that stand in a phrase in any case and number, longest first."""
        for length in range(min(_LONGEST_VALUE, len(said)), 0, -1):
            for first in range(len(said) - length + 1):
                stems = tuple(t.stem for t in said[first : first + length])
                if found := self._words.folded_values.get(stems):
                    yield NamedConditions(tuple(RowCondition(f, v) for v, f in found), first, first + length)

    def _measures(
        self, said: Sequence[str], bare: Sequence[Function] = ("count",)
    ) -> Iterator[tuple[Measure, tuple[str, ...], int]]:
        """Measures that words may name, with the words left over, and a score."""
        if "per" in said:
            yield from self._averages(said)
            return
        for function, rest in _functions(said):
            yield from self._learned(function, rest)
            for table, stems in self._words.tables:
                of_table = _holds(rest, stems)
                if function is None and (counted := _first_held(rest, stems, _COUNTED)):
                    yield Measure("count", table), _without(rest, counted), 4
                elif function in {None, "count"} and of_table and (function or "count" in bare):
                    yield Measure("count", table), _without(rest, stems), 3 + (function == "count")
                    for amount in self._words.amounts(table) if function is None and "sum" in bare else ():
                        yield Measure("sum", table, amount.column), _without(rest, stems), 3
                for field in self._words.numbers:
                    if field.table != table or function == "count":
                        continue
                    for way in self._words.column_words(field):
                        if not _holds(rest, way):
                            continue
                        left = _without(rest, way)
                        both = _holds(left, stems)
                        chosen = function or ("sum" if self._words.adds_up(field) else "avg")
                        measure = Measure(chosen, table, field.column)
                        score = 2 * len(way) + 2 * both + (function is not None)
                        yield measure, _without(left, stems) if both else left, score

    def _learned(
        self, function: Function | None, rest: Sequence[str]
    ) -> Iterator[tuple[Measure, tuple[str, ...], int]]:
        """The measures whose words were learned: "revenue" is a price times a quantity."""
        for way, measures in self._words.learned.items():
            if not _holds(rest, way):
                continue
            for measure in measures:
                # "Total revenue", "the number of units sold": what adds up may be asked for by either word.
                if function in {None, measure.function} or (function != "avg" and measure.adds_up):
                    yield measure, _without(rest, way), 2 * len(way) + (function is not None)

    def _names_rows(self, field: Field, table: str) -> bool:
        return field.table == table and self._words.is_name_of_rows(field)

    def _averages(self, said: Sequence[str]) -> Iterator[tuple[Measure, tuple[str, ...], int]]:
        """ "Freight per order" is the average freight of orders; per anything else is no measure."""
        place = said.index("per")
        for table, stems in self._words.tables:
            end = place + 1 + len(stems)
            if tuple(said[place + 1 : end]) != stems:
                continue
            for measure, left, score in self._measures([*said[:place], *said[end:]]):
                if measure.table == table and measure.function in {"sum", "avg"}:
                    yield replace(measure, function="avg"), left, score

    def _conditions(
        self, measure: Measure, named: Sequence[NamedConditions], left: Sequence[str]
    ) -> Iterator[tuple[RowCondition, ...]]:
        """The conditions that named values may be for a measure, where these account for all words left."""
        ways = []
        for one in named:
            reach = self._words.queries.reachable
            far = [(d, c) for c in one.options if (d := reach(measure.table, c.field.table)) is not None]
            near = [c for _, c in sorted(far, key=lambda pair: (pair[0], pair[1].field))]
            if measure.function == "count":
                # There is one gold medal in a list of medals; nobody counts it.
                near = [c for c in near if not self._names_rows(c.field, measure.table)]
            said = [c for c in near if any(_holds(left, w) for w in self._words.column_words(c.field))]
            ways.append(said or near)
        for chosen in list(product(*ways))[:_MOST_READINGS]:
            naming = set(_FILLERS)
            values: dict[Field, list[str]] = {}
            for condition in chosen:
                values.setdefault(condition.field, []).append(condition.value)
            for field in values:
                naming |= {w for way in self._words.column_words(field) for w in way}
                naming |= set(next(stems for name, stems in self._words.tables if name == field.table))
            if all(w in naming or _akin(w, naming) for w in left):
                # No row has two values of one column: whoever names two means the rows with either.
                yield tuple(RowCondition(f, v[0] if len(v) == 1 else tuple(v)) for f, v in values.items())

    def _dated(self, measure: Measure, period: Period | None) -> Sequence[Field | None]:
        """The columns that may date a measure's rows: those of its own table, else the nearest."""
        found = self._words.dates_of(measure.table)
        if not found:
            return [None] if period is None else []
        own = [f for f in found if f.table == found[0].table]
        return own if period is not None else own[:1]


_AVERAGE = frozenset(
    w for said in (*WORDS["functions"]["avg"], "level", "amount", "number") for w in words(said)
)


def spans(text: str) -> Iterator[tuple[int, int, Period]]:
    """The months, quarters and years that stand in a text, each with its place."""
    for found in _PERIOD.finditer(text):
        if period := _period(found):
            yield found.start(), found.end(), period


def periods(phrase: str) -> Period | None:
    """The month, quarter or year that a phrase is."""
    found = _PERIOD.fullmatch(phrase.strip())
    return _period(found) if found else None


def _period(match: re.Match[str]) -> Period | None:
    if match["month"]:
        start = date(int(match["of"]), _MONTHS[match["month"].casefold()], 1)
        return Period(start, month_after(start, 1))
    if match["iso"]:
        month = int(match["iso"][5:])
        if not 1 <= month <= 12:
            return None
        start = date(int(match["iso"][:4]), month, 1)
        return Period(start, month_after(start, 1))
    if match["in"]:
        quarter = int(match["quarter"]) if match["quarter"] else _NTH[match["nth"].casefold()]
        start = date(int(match["in"]), 3 * quarter - 2, 1)
        return Period(start, month_after(start, 3))
    year = int(match["year"])
    return Period(date(year, 1, 1), date(year + 1, 1, 1))


def _functions(said: Sequence[str]) -> Iterator[tuple[Function | None, tuple[str, ...]]]:
    """A phrase without the function that it begins with, and as it is."""
    rest = list(said)
    while rest and rest[0] in {"a", "an", "the"}:
        rest.pop(0)
    for stems, function in _FUNCTIONS:
        bare = tuple(w for w in stems if w not in {"a", "an", "the"})
        if bare and tuple(rest[: len(bare)]) == bare:
            yield function, tuple(rest[len(bare) :])
    yield None, tuple(rest)


def _apart(named: Iterable[NamedConditions]) -> tuple[NamedConditions, ...]:
    """As many of the named parts as there are without overlap, the longest first."""
    chosen: list[NamedConditions] = []
    for one in sorted(named, key=lambda n: n.first - n.last):
        if all(one.last <= other.first or other.last <= one.first for other in chosen):
            chosen.append(one)
    return tuple(chosen)


def _first_held(said: Sequence[str], stems: Stems, endings: Iterable[str]) -> Stems | None:
    """Words that stand in a phrase with one of the endings after them: "order volume"."""
    return next((w for e in endings if _holds(said, w := (*stems, e))), None)


def _akin(word: str, names: Iterable[str]) -> bool:
    """True if a word is another form of a name: rated, rating. Cards and cars are not."""
    for name in names:
        root = len(commonprefix((word, name)))  # noqa: RUF071, letters are meant
        allowed = _ENDINGS | {"", "d", "s"} if root > _SHORT_ROOT else _ENDINGS
        if root >= _SHORT_ROOT and {word[root:], name[root:]} <= allowed:
            return True
    return False


_SHORT_ROOT = 3
_ENDINGS = {"e", "ed", "ing"}


def _same(said: Sequence[str], way: Stems) -> bool:
    return len(said) == len(way) and all(a == b or _akin(a, (b,)) for a, b in zip(said, way, strict=True))


def _holds(said: Sequence[str], stems: Stems) -> bool:
    """True if words stand in a phrase, one after the other."""
    size = len(stems)
    return size > 0 and any(tuple(said[i : i + size]) == stems for i in range(len(said) - size + 1))


def _without(said: Sequence[str], stems: Stems) -> tuple[str, ...]:
    size = len(stems)
    at = next(i for i in range(len(said) - size + 1) if tuple(said[i : i + size]) == stems)
    return (*said[:at], *said[at + size :])


def _with_marks(phrase: str, start: int, end: int) -> str:
    """Words with the marks that they are written with: `Dr. No!`, `(R&B)`."""
    while end < len(phrase) and not phrase[end].isspace() and phrase[end] not in _QUOTES + ",;":
        end += 1
    while start > 0 and not phrase[start - 1].isspace() and phrase[start - 1] not in _QUOTES:
        start -= 1
    return phrase[start:end]
