"""Which rows a question points at by a key's number, or by what they do: "order 10248", "did Ann Lee buy"."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from fathom.offline.checks.account import names_table
from fathom.offline.grammars.amounts import asked_money
from fathom.offline.grammars.sales_tables import OrderLines
from fathom.offline.grammars.sold import trade_verbs
from fathom.offline.linking import ColumnKey, LinkedValue, Linking, NumberMention, Span
from fathom.offline.linking.row_names import names_many
from fathom.offline.linking.text import stem
from fathom.offline.linking.value_match import SPELT
from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import RowNames
from fathom.records import TableProfile

_CALLED = frozenset("number no . nr id #".split())
_SELL = stem("sell")
_SPEND = stem("spend")
_INTO = frozenset(("in", "to", "into", "within", "across"))
_REACH = 5
"""Words among which "by" stands before the names of several who bought."""
_MEANT = 0.95
_DOUBTED = 0.3


def keys_first(linking: Linking, names: RowNames, profiles: Mapping[str, TableProfile]) -> Linking:
    """The linking with numbers right behind a table's name taken for the keys of its rows: "order 10248".

    Only where such a key may be held there, and nothing else is called so.
    """
    meant = {n.span: key for n in linking.numbers if (key := _key(linking, n, names, profiles)) is not None}
    if not meant:
        return linking
    return _with_values(linking, tuple(_pointed(v, meant.get(v.span)) for v in linking.values))


def _pointed(value: LinkedValue, key: ColumnKey | None) -> LinkedValue:
    """A value as it is where its words are the key of a row: for sure that, or hardly anything else."""
    if key is None:
        return value
    if value.column == key:
        return replace(value, match="exact", probability=max(value.probability, _MEANT))
    return replace(value, probability=_DOUBTED * value.probability)


def _key(
    linking: Linking, number: NumberMention, names: RowNames, profiles: Mapping[str, TableProfile]
) -> ColumnKey | None:
    """The key of the one table that is named right before a plain number, if it may hold that."""
    place = number.span.first - 1
    figures = linking.tokens[number.span.first].kind == "number"
    if not figures or number.comparison != "=" or number.ordinal or number.percent or number.upper:
        return None
    while place > 0 and linking.tokens[place].lower in _CALLED:
        place -= 1
    named = {m.table for m in linking.table_mentions if m.span.end == place + 1 and names_table(linking, m)}
    if len(named) != 1 or names_many(linking.tokens[place]):
        return None
    own = names.key_of(TableRef(named.pop()))
    if not own or any(v.span == number.span and v.match in SPELT for v in linking.values):
        return None
    profile = profiles.get(own[0].table.name)
    seen = profile.columns.get(own[0].name) if profile is not None else None
    match (seen.minimum, seen.maximum) if seen is not None else (None, None):
        case (int() as least, int() as most) if least <= number.value <= most:
            return ColumnKey.of(own[0])
    return None


def buyers_first(linking: Linking, lines: Sequence[OrderLines], names: RowNames) -> Linking:
    """The linking with names of those who buy as such alone, and places as those of buyers and orders.

    "Did Ann Lee buy" isn't about an order that is shipped to somebody of that name, nor "sold in France"
    about those who make things there.
    """
    buyers = {t for one in lines for t in one.buyers}
    homes = buyers.union(*(one.heads | {one.table.name} for one in lines))
    called = {ColumnKey.of(c) for t in buyers for c in names.of_table(TableRef(t))}
    verbs = trade_verbs(linking, lines, names)
    values: Sequence[LinkedValue] = linking.values
    for value in linking.values:
        if value.match not in SPELT or value.column.table not in buyers:
            continue
        if value.column in called and _buys(linking, value.span, verbs):
            values = _within(values, value, buyers)
        elif value.column not in called and _sold_there(linking, value.span, verbs):
            values = _within(values, value, homes)
    return linking if values is linking.values else _with_values(linking, values)


def _within(
    values: Sequence[LinkedValue], meant: LinkedValue, tables: Collection[str]
) -> Sequence[LinkedValue]:
    """The values without those of a span that other tables hold; what is meant is as likely as these."""
    kept = [
        v
        for v in values
        if not v.span.overlaps(meant.span) or (v.span == meant.span and v.column.table in tables)
    ]
    others = max((v.probability for v in values if v.span == meant.span and v not in kept), default=0.0)
    return [replace(v, probability=max(v.probability, others)) if _same(v, meant) else v for v in kept]


def _same(one: LinkedValue, other: LinkedValue) -> bool:
    return (one.column, one.span, one.value) == (other.column, other.span, other.value)


def _buys(linking: Linking, span: Span, verbs: Sequence[int]) -> bool:
    """True if a name is that of who buys or spends, or to whom something is sold."""
    tokens = linking.tokens
    spent = [i for i, t in enumerate(tokens) if t.stem == _SPEND and not t.evidence]
    before = [t.lower for t in tokens[max(span.first - _REACH, 0) : span.first]]
    sold = any(tokens[i].stem == _SELL for i in verbs)
    buying = [i for i in verbs if tokens[i].stem != _SELL] + spent
    return (sold and before[-1:] == ["to"]) or any(span.end <= i or "by" in before for i in buying)


def _sold_there(linking: Linking, span: Span, verbs: Sequence[int]) -> bool:
    """True if a place is where something is sold, and not that of things of a table named right before it."""
    words = [t.lower for t in linking.tokens[: span.first]]
    while words and words[-1] == "the":
        words.pop()
    if not words or words[-1] not in _INTO or not (verbs or asked_money(linking, averaged=True) is not None):
        return False
    own = {m.table for m in linking.table_mentions if m.span.end == len(words) - 1}
    # "In 2010" is no postal code.
    named = all(t.kind == "word" for t in linking.tokens[span.first : span.end])
    return named and not any(v.span == span and v.column.table in own for v in linking.values)


def _with_values(linking: Linking, values: Sequence[LinkedValue]) -> Linking:
    return replace(linking, values=tuple(sorted(values, key=lambda v: -v.probability)))
