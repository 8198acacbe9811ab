"""The numbers that a question wants of many rows: "number of orders", "total sales", "min and max price"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal as Choice

from fathom.offline.grammars.amounts import Amounts, asked_money
from fathom.offline.grammars.groups import JOINING, PARTICIPLES, ThingNaming, called_in_full, covers
from fathom.offline.grammars.held_numbers import held_number
from fathom.offline.grammars.measures import (
    PASSED,
    Function,
    MeasureSource,
    MeasureWords,
    asked_quantities,
    compares,
)
from fathom.offline.grammars.sales_tables import of_trade
from fathom.offline.grammars.sold import sold_readers
from fathom.offline.grammars.usual import Usual
from fathom.offline.linking import ColumnKey, Linking, NumberMention, Span
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.query import ColumnRef, Star, TableRef
from fathom.offline.queries.rows import RowNames

_ALIKE = 0.01
"""Difference up to which two columns fit words equally well."""
_OF_TABLE = 0.05
"""The bonus of a column whose table is named, on how well it fits: less than the penalty of a word that isn't
said."""
_CALLED = {"min": stem("minimum"), "max": stem("maximum"), "avg": stem("average")}
SPREAD = frozenset(map(stem, ("difference", "gap", "spread", "range")))
_RANKING = frozenset("top best bottom worst first last latest newest".split())
_MOST = frozenset(("most", "fewest", "least"))
SPENDING = frozenset(map(stem, ("spend", "pay", "earn")))
_SPENT = frozenset(("on", "in", "for"))
_VALUE = frozenset(map(stem, ("value", "total", "size", "amount", "worth")))


class MeasureReader:
    """Reads the measures that one question asks for."""

    def __init__(self, linking: Linking, names: RowNames, amounts: Amounts, naming: ThingNaming) -> None:
        self._linking, self._names, self._amounts, self._naming = linking, names, amounts, naming
        self._usual = Usual(linking)
        asked = (q for q in asked_quantities(linking) if not self._usual.holds(q.span))
        self._starts = {q.span.first: q for q in asked}
        self._money = asked_money(linking)
        self._values = tuple(v.span for v in linking.values if v.match in {"exact", "folded", "stem"})
        self._sold = sold_readers(linking, amounts.lines, names, self._phrase)

    def read(self) -> tuple[MeasureWords, ...]:
        """The measures, in the order of their words."""
        found: list[MeasureWords] = []
        place = 0
        while place < len(self._linking.tokens):
            made = self._at(place)
            if (said := self._usual.at(place)) and not any(place in m.also for m in found):
                made = made or self._usually(said)
            found += made
            place = max([place + 1, *(m.span.end for m in made)])
        if any(m.sold for m in found):  # "top customers by units bought" are not those of the most money
            found = [m for m in found if not (m.money and self._ranks(m.span.first))]
        return tuple(found)

    def _ranks(self, place: int) -> bool:
        return any(s.span.first == place for s in self._linking.superlatives)

    def _at(self, place: int) -> list[MeasureWords]:
        token = self._linking.tokens[place]
        if token.evidence or token.quoted:
            return []
        sold = [found for reader in self._sold if (found := reader.at(place)) is not None]
        return sold[:1] or self._called_or_told(place)

    def _called_or_told(self, place: int) -> list[MeasureWords]:
        """The measures of what columns and tables are called, of money, and of rows."""
        token = self._linking.tokens[place]
        if place in self._starts or self._spreads(place) or self._ways(place):
            return self._asked(place)
        if usual := self._usual.how(place, self._names) or self._usual.extreme(place, self._naming):
            return [usual]
        if token.stem in SPENDING and (spent := self._spent_on(place)):
            return [spent]
        if place == self._money or (token.lower == "totals" and self._amounts.all):
            return [self._of_money("sum", Span(place, place + 1))]
        return self._of_rows(place)

    def _of_rows(self, place: int) -> list[MeasureWords]:
        """The number of rows that things have the most of, or that is compared: "more than 3 orders"."""
        word = self._linking.tokens[place].lower
        found: MeasureWords | None = None
        most: Choice["", "asc", "desc"] = ""
        start, number = place, self._compared(place)
        if word in _MOST and not compares(self._linking, place):
            most = "desc" if word == "most" else "asc"
            found = self._done_to(place + 1) or self._rows_after(place + 1) or self._added_up(place + 1)
        elif number is not None:
            start = number.span.end
            found = self._rows_after(start)
        return [replace(found, span=Span(start, found.span.end), most=most)] if found else []

    def _done_to(self, place: int) -> MeasureWords | None:
        """The rows that a participle says of things: "the most reviewed businesses" have the most reviews."""
        linking = self._linking
        if place + 1 >= len(linking.tokens) or not linking.tokens[place].lower.endswith(PARTICIPLES):
            return None
        rows = linking.table_alignment[:, place]
        best = float(rows.max(initial=0))
        tables = [
            TableRef(t) for t, near in zip(linking.tables, rows, strict=True) if near >= max(best, NAMED)
        ]
        things = self._naming.phrase(place + 1)
        if not tables or things is None or things.first != place + 1:
            return None
        return MeasureWords(
            "count", tuple(MeasureSource(Star(), t, best) for t in tables), Span(place, place + 1)
        )

    def _added_up(self, place: int) -> MeasureWords | None:
        """The sum of a column that counts something, as it is called in the plural: "the most passengers"."""
        named = self._phrase(place)
        if named is None or not self._linking.tokens[named.end - 1].lower.endswith("s"):
            return None
        found = self._of_columns("sum", named)
        alike = all(
            c.argument.name.casefold().endswith("s")
            for m in found
            for c in m.sources
            if isinstance(c.argument, ColumnRef)
        )
        return found[0] if found and alike else None

    def _spent_on(self, place: int) -> MeasureWords | None:
        """Read money spent on something that a column holds: "spends the most on salaries", "paid in
        fees"."""
        tokens = self._linking.tokens
        near = range(place + 1, min(place + 4, len(tokens)))
        on = next((i for i in near if tokens[i].lower in _SPENT), None)
        named = self._naming.phrase(on + 1) if on is not None else None
        found = self._of_columns("sum", named) if named is not None else []
        return (
            replace(found[0], span=Span(place, named.end), most=self._most_in(place, named.first))
            if found and named
            else None
        )

    def _most_in(self, first: int, end: int) -> Choice["", "asc", "desc"]:
        words = {t.lower for t in self._linking.tokens[first:end]}
        return "desc" if "most" in words else "asc" if "least" in words else ""

    def _asked(self, place: int) -> list[MeasureWords]:
        """Read the measures that one or several words for aggregates ask of the thing that they name
        together."""
        functions, end = self._functions(place)
        if not functions:
            return []
        if self._money == place:  # "the total of order 5"
            return [self._of_money("sum", Span(place, end))] if functions == ["sum"] else []
        if self._money is not None and end <= self._money and self._only_passed(end, self._money):
            return [self._of_money("sum", Span(place, self._money + 1))] if functions == ["sum"] else []
        words = Span(place, end)
        usual = self._usual.said_of(words) if functions in (["count"], ["sum"]) else None
        if usual is not None:
            counted = self._rows_after(end) is not None  # of rows there are only so many for each of others
            found = [MeasureWords("avg", (), words)] if counted else self._calculated(["avg"], words)
            return [replace(m, also=frozenset(range(*usual))) for m in found]
        if functions[-1] == "count":
            return self._counted(functions, words)
        return self._calculated(functions, words)

    def _usually(self, said: Span) -> list[MeasureWords]:
        """The average that words ask for by themselves, but for those that a quantity right behind takes."""
        taken = self._usual.leads_to(said) in self._starts
        return [] if taken else [MeasureWords("avg", (), said)]

    def _ways(self, place: int) -> bool:
        """True if a place holds the first of several words for the highest, lowest and others of a number."""
        tokens = self._linking.tokens
        after = place + 1
        while after < len(tokens) and tokens[after].lower in JOINING | PASSED:
            after += 1
        joined = any(t.lower in JOINING for t in tokens[place + 1 : after])
        return (
            joined
            and self._way(place) is not None
            and (after in self._starts or self._way(after) is not None)
        )

    def _way(self, place: int) -> Function | None:
        """Read a superlative other than "most" and "best": the maximum or the minimum of numbers."""
        if place >= len(self._linking.tokens) or self._linking.tokens[place].lower in _MOST | _RANKING:
            return None
        match superlative_direction(self._linking.tokens[place]):
            case "desc":
                return "max"
            case "asc":
                return "min"
        return None

    def _counted(self, functions: Sequence[Function], words: Span) -> list[MeasureWords]:
        """How many rows there are of what is named behind some words; nothing where it is no table."""
        held = held_number(self._linking, self._names, words.end) if len(functions) == 1 else None
        if held is not None:
            return [replace(held, span=Span(words.first, held.span.end))]
        total = any(t.lower == "total" for t in self._linking.tokens[max(words.first - 1, 0) : words.end])
        counted = self._rows_after(words.end) or (self._added_up(words.end) if total else None)
        if counted is None or len(functions) > 1:
            return [MeasureWords(f, (), words) for f in functions]
        return [replace(counted, span=Span(words.first, counted.span.end))]

    def _calculated(self, functions: Sequence[Function], words: Span) -> list[MeasureWords]:
        """Functions of the column that is named behind their words, or a number: "under four stars"."""
        named = self._phrase(words.end)
        behind = None if named is not None else self._behind_number(words.end)
        span = named or behind
        several = len(functions) > 1
        found = [m for f in functions for m in self._of_columns(f, span, several=several)] if span else []
        if len(found) < len(functions) or (several and behind is not None):
            return [
                MeasureWords(f, (), Span(words.first, named.end if named else words.end)) for f in functions
            ]
        return [replace(m, span=Span(words.first, m.span.end if named else words.end)) for m in found]

    def _behind_number(self, place: int) -> Span | None:
        """Find the words right behind the next number: "average under four stars"."""
        number = next((n for n in self._linking.numbers if place <= n.span.first <= place + 3), None)
        return self._naming.phrase(number.span.end) if number is not None else None

    def _functions(self, place: int) -> tuple[list[Function], int]:
        """The functions that are asked for from a place on, and where their words end."""
        tokens, functions, end = self._linking.tokens, list[Function](), place
        spread = self._spreads(place)
        while end < len(tokens):
            after = end
            while functions and after < len(tokens) and tokens[after].lower in JOINING | PASSED:
                after += 1
            joined = not functions or any(t.lower in JOINING for t in tokens[end:after])
            quantity = self._starts.get(after)
            if quantity is not None and functions[-1:] != ["count"]:
                if not joined:
                    return [], end  # "highest average": the first orders by the second
                functions.append(quantity.aggregate)
                end = quantity.span.end
            elif not spread and joined and functions[-1:] != ["count"] and (own := self._way(after)):
                functions.append(own)
                end = after + 1
            elif spread and after < len(tokens) and (way := superlative_direction(tokens[after])):
                functions.append("max" if way == "desc" else "min")
                end = after + 1
            elif spread and not functions:
                end += 1
            else:
                break
        if spread and {*functions} == {"min", "max"}:
            return ["spread"], end
        return functions, end

    def _spreads(self, place: int) -> bool:
        """True if a place holds the word for a difference, and the word for the highest or lowest follows."""
        tokens = self._linking.tokens[place : place + 5]
        return tokens[0].stem in SPREAD and any(superlative_direction(t) for t in tokens)

    def _of_columns(self, function: Function, named: Span, *, several: bool = False) -> list[MeasureWords]:
        """A function of the numbers in a column that words name; of money where they name what was sold."""
        fits = {
            c: fit + _OF_TABLE * self._near(c)
            for c, fit in self._naming.fits(named).items()
            if self._names.measures(c)
        }
        called = _CALLED.get(function)
        if not several and any(called in name_stems(c.column) for c in fits):
            return []  # "minimum salary" may be a column's name
        best = max(fits.values(), default=0.0)
        sources = tuple(
            MeasureSource(c.in_query(), TableRef(c.table), fit)
            for c, fit in fits.items()
            if fit >= best - _ALIKE
        )
        return [MeasureWords(function, sources, named)] if sources else self._of_trade(function, named)

    def _of_trade(self, function: Function, named: Span) -> list[MeasureWords]:
        """Read the worth of one row of sales: "average order value"."""
        tokens = self._linking.tokens
        end = named.end
        worth = end < len(tokens) and tokens[end].stem in _VALUE
        held = [
            a
            for a in self._amounts.all
            if of_trade(a.table.name)
            and self._linking.table_fit(a.table.name, named.end - 1) >= NAMED
            and a.total
        ]
        sources = tuple(MeasureSource(a.expression, a.table, 1.0) for a in held)
        return (
            [MeasureWords(function, sources, Span(named.first, end + 1), money=True)]
            if worth and sources
            else []
        )

    def _near(self, column: ColumnKey) -> float:
        """How well the question names a column's table, anywhere."""
        return float(self._linking.table_alignment[self._linking.tables.index(column.table)].max(initial=0))

    def _of_money(self, function: Function, span: Span) -> MeasureWords:
        """A function of what the word for money may mean: the amounts of the table that it names, if any."""
        word = self._linking.tokens[span.end - 1].stem
        named = [a for a in self._amounts.all if word in name_stems(a.table.name)]
        sources = (MeasureSource(a.expression, a.table, 0.0, a.total) for a in named or self._amounts.all)
        return MeasureWords(function, tuple(sources), span, money=True)

    def _rows_after(self, place: int) -> MeasureWords | None:
        """The number of rows of the table that the words from a place on name; "times" of any table."""
        span = self._phrase(place)
        if span is None:
            return None
        rows = self._linking.table_alignment[:, span.end - 1]
        best = float(rows.max(initial=0))
        if best < max(NAMED, self._naming.column_fit(span.end - 1)):
            return None
        tables = [t for t, near in zip(self._linking.tables, rows, strict=True) if near >= best]
        tables = [*called_in_full(self._linking, span)] or tables
        counted = tuple(MeasureSource(Star(), TableRef(t), best) for t in tables)
        return MeasureWords("count", counted, Span(place, span.end))

    def _phrase(self, place: int) -> Span | None:
        """The words that name what is measured, values ahead of them passed over: "cancelled orders"."""
        tokens = self._linking.tokens
        while place < len(tokens) and (tokens[place].lower in PASSED or covers(self._values, place)):
            named = self._naming.phrase(place)
            if covers(self._values, place) and named is not None and named.end > place + 1:
                break
            place += 1
        stops = (q for q in (*self._starts, self._money) if q is not None and q > place)
        return self._naming.phrase(place, min(stops, default=None))

    def _only_passed(self, first: int, end: int) -> bool:
        return all(self._linking.tokens[i].lower in PASSED | {"total", "amount"} for i in range(first, end))

    def _compared(self, place: int) -> NumberMention | None:
        """The number at a place, where counts may be compared with it."""
        number = next((n for n in self._linking.numbers if n.span.first == place), None)
        if number is None or number.percent:
            return None
        before = self._linking.tokens[place - 1].lower if place else ""
        return number if number.comparison != "=" or before == "exactly" else None


def asked_units(linking: Linking, names: RowNames, amounts: Amounts) -> tuple[MeasureWords, ...]:
    """The numbers of what was sold that a question asks for; without sources where it isn't clear of what."""
    measures = MeasureReader(linking, names, amounts, ThingNaming(linking, names)).read()
    return tuple(m for m in measures if m.sold)
