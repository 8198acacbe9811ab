"""The amounts behind words for money: "sales", "revenue", "spent" seldom are a column of that name.

Two customs keep what was sold: a total with every order, invoice or payment, and lines of a quantity and a
price each. Both add up to the same where a database has both; lines alone know what was sold.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce

from fathom.offline.grammars.sales_tables import BUYERS, OF_UNITS, QUANTITIES, UNITS, of_trade, sold_lines
from fathom.offline.linking import Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Arithmetic, ColumnRef, Expression, Literal, Query, TableRef, columns
from fathom.records import Schema, TableProfile
from fathom.records.schema import Table
from fathom.text.identifiers import identifier_words

_MONEY = frozenset(map(stem, "sales revenue turnover proceeds spending spend expenditure".split()))
_PAY = stem("pay")
_BEST = frozenset(("best", "top"))
_FORM = frozenset(map(stem, "total overall generate make bring take earn place our have".split()))
"""Words that say no more than that a sum or a count is asked for."""
_WORTH = frozenset(map(stem, ("value", "worth", "total")))
_OF = frozenset(("of", "for"))
_ALL = frozenset("the an a all our every each this these".split())
_OF_MONEY = _FORM | frozenset(map(stem, ("sum", "money", "amount", "value")))
_TOTALS = frozenset(("total", "amount", "subtotal", "revenue", "turnover"))
_OF_TOTALS = frozenset(
    "total amount subtotal sub grand revenue turnover sales sale price paid value usd eur gross net"
    " payment".split()
)
_OF_QUANTITIES = frozenset(("quantity", "qty", "ordered", "sold", "item", "purchased"))
_OF_PRICES = frozenset(("unit", "price", "each", "item", "sale", "sales", "selling", "list", "usd", "eur"))


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money: an expression over the rows of one table, which keeps a `total` or lines."""

    expression: Expression
    table: TableRef
    total: bool


class Amounts:
    """The amounts of money that the tables of one database keep, and the `lines` of what was sold."""

    def __init__(self, planner: JoinPlanner, profiles: Mapping[str, TableProfile]) -> None:
        self._planner, self._profiles = planner, profiles
        schema = planner.schema
        self._keys = {(t.name, c) for t in schema.tables for c in t.primary_key}
        self._keys |= {(k.table, c) for k in schema.foreign_keys for c in k.columns}
        traded = [t for t in schema.tables if of_trade(t.name)]
        totals = [a for t in traded for a in self._totals(t)]
        lines = [a for t in schema.tables if (a := self._line(t, schema)) is not None]
        self.all = (*totals, *lines)
        self.lines = sold_lines(schema, lambda t: self._called(t, UNITS, OF_UNITS), profiles)

    def _totals(self, table: Table) -> list[Amount]:
        """The columns of a table that hold what one of its rows comes to."""
        own = name_stems(table.name)
        found = []
        for column in table.columns:
            words = [w for w in identifier_words(column.name) if stem(w) not in own]
            if self._is_amount(table, column.name) and _TOTALS & set(words) and set(words) <= _OF_TOTALS:
                found.append(
                    Amount(ColumnRef(TableRef(table.name), column.name), TableRef(table.name), total=True)
                )
        return found

    def _line(self, table: Table, schema: Schema) -> Amount | None:
        """Give the amount of a line: its quantity times its price, or times that of the row it refers to."""
        counts = self._called(table, QUANTITIES, _OF_QUANTITIES)
        sold = of_trade(table.name) or any(
            k.table == table.name and of_trade(k.target_table) for k in schema.foreign_keys
        )
        if len(counts) != 1 or not sold:
            return None
        targets = [k.target_table for k in schema.foreign_keys if k.table == table.name]
        for tables in ([table], [schema.table(t) for t in dict.fromkeys(targets)]):
            prices = [p for t in tables for p in self._called(t, frozenset(("price",)), _OF_PRICES)]
            if len(prices) == 1:
                factors = (counts[0], prices[0], *self._discount(table))
                return Amount(reduce(_times, factors), TableRef(table.name), total=False)
        return None

    def _discount(self, table: Table) -> tuple[Expression, ...]:
        """Give the factor that a discount leaves of a price, where it is kept as a share of it."""
        profile = self._profiles.get(table.name)
        for seen in () if profile is None else profile.columns.values():
            match seen.minimum, seen.maximum:
                case (int() | float() as least, int() | float() as most) if 0 <= least <= most <= 1:
                    if seen.column.casefold() == "discount":
                        return (Arithmetic("-", Literal(1), ColumnRef(TableRef(table.name), seen.column)),)
        return ()

    def _called(self, table: Table, one: frozenset[str], all_of: frozenset[str]) -> list[ColumnRef]:
        """The amounts of a table whose names hold one word of some, and no other words but its own."""
        own = name_stems(table.name)
        names = {c.name: [w for w in identifier_words(c.name) if stem(w) not in own] for c in table.columns}
        return [
            ColumnRef(TableRef(table.name), name)
            for name, words in names.items()
            if one & set(words) and set(words) <= all_of and self._is_amount(table, name)
        ]

    def _is_amount(self, table: Table, column: str) -> bool:
        return table.column(column).kind in {"integer", "number"} and (table.name, column) not in self._keys


def asked_money(linking: Linking, *, averaged: bool = False) -> int | None:
    """The place of the word that asks for money; None where it names a column or a value, or is counted.

    Nor is it a sum where an average of it is asked for, which is for those who ask for that: `averaged`.
    Where nothing else is said of them, the best customers are those who spent the most. Orders have a value.
    """
    columns = {s for c in linking.columns for s in name_stems(c.column)}
    values = [v.span for v in linking.values if v.match in {"exact", "folded", "stem"}]
    for place, token in enumerate(linking.tokens):
        paid = token.stem == _PAY and any(q.aggregate == "sum" for q in linking.quantities)
        if (token.stem in _MONEY or paid) and not token.evidence and not token.quoted:
            others = {"count"} if averaged else {"count", "avg"}
            counted = any(q.aggregate in others and q.span.end == place for q in linking.quantities)
            named = token.stem in columns and not paid
            valued = any(s.first <= place < s.end for s in values)  # "the sales manager"
            return None if counted or named or valued else place
    if (worth := _worth(linking, columns)) is not None:
        averages = any(q.aggregate == "avg" and q.span.end == worth for q in linking.quantities)
        return worth if averaged or not averages else None
    if linking.quantities or len(linking.superlatives) != 1:
        return None
    best = linking.superlatives[0].span.first
    things = linking.tokens[best + 1 : best + 3]
    buyers = any(t.stem in BUYERS for t in things if t.kind == "word")
    return best if linking.tokens[best].lower in _BEST and buyers else None


def _worth(linking: Linking, columns: Collection[str]) -> int | None:
    """The place of a word that asks what orders come to, where no column is called so: "value of order 5"."""
    traded = {m.span.first for m in linking.table_mentions if m.whole and of_trade(m.table)}
    for place, token in enumerate(linking.tokens[:-2]):
        if token.stem in _WORTH and token.stem not in columns and linking.tokens[place + 1].lower in _OF:
            behind = (i for i in range(place + 2, len(linking.tokens)) if linking.tokens[i].lower not in _ALL)
            if next(behind, None) in traded:
                return place
    return None


def said_of_money(linking: Linking) -> frozenset[int]:
    """The places of the word for money and of those that only ask for a sum or a count."""
    place = asked_money(linking)
    form = (i for i, t in enumerate(linking.tokens) if t.stem in _OF_MONEY)
    return frozenset((*form, *(() if place is None else (place,))))


def said_of_counts(linking: Linking) -> frozenset[int]:
    """The places of words that only ask for a number of rows, or for a sum."""
    return frozenset(i for i, t in enumerate(linking.tokens) if t.stem in _FORM)


def adds_money(query: Query, amounts: Amounts) -> bool:
    """True if a query says anything of what adds up to money."""
    held = {e for a in amounts.all for e in columns(Query((a.expression,)))}
    return not amounts.all or not held.isdisjoint(columns(query))


def _times(left: Expression, right: Expression) -> Expression:
    return Arithmetic("*", left, right)
