"""Which tables of a database keep what was sold: orders, their lines, and the things that these are of."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.query import ColumnRef, TableRef
from fathom.records import Schema, TableProfile
from fathom.records.schema import Table
from fathom.text.identifiers import identifier_words

BUYERS = frozenset(map(stem, "customer client buyer member user guest account subscriber".split()))
"""The stems of what those are called who buy."""
_TRADE = frozenset(
    map(
        stem,
        "sale order invoice payment transaction purchase booking reservation rental bill receipt checkout"
        " subscription".split(),
    )
)
_SALES = frozenset(map(stem, "sale order invoice purchase transaction receipt bill checkout".split()))
QUANTITIES = frozenset(("quantity", "qty"))
UNITS = QUANTITIES | {"units", "copies", "pieces"}
OF_UNITS = UNITS | frozenset("number num of ordered sold item purchased".split())
_UNCLEAR = frozenset(("count", "amount", "volume", "items"))
"""Words in names of columns that may say how many, or how much, each row is of."""
_HEADERS = frozenset(map(stem, ("header", "head")))
_LINES = frozenset(map(stem, "line item detail entry position content product".split()))
_SUPPLIERS = frozenset(map(stem, "supplier vendor".split()))
_ELSE = (
    "employee staff clerk person salesperson seller agent rep representative cashier manager store shop"
    " branch outlet shipper carrier driver courier truck address location city region country warehouse"
    " status state type method code reference ref payment shipment delivery promotion coupon currency"
    " date calendar"
)
_OTHERS = BUYERS | _SALES | _SUPPLIERS | frozenset(map(stem, _ELSE.split()))
"""Words in names of tables of sellers, carriers and makers, and of places and kinds: nothing sold."""


@dataclass(frozen=True, slots=True)
class OrderLines:
    """Rows that say what was sold, each so many `units` of a thing, or one where no column says how many.

    `single` says that no row is of more than one. `things` are the tables of what was sold, `buyers` those
    of who bought it, and `beside` all that a row refers to but for its things, and what that refers to.
    """

    table: TableRef
    units: ColumnRef | None
    single: bool
    things: frozenset[str]
    buyers: frozenset[str]
    heads: frozenset[str]
    beside: frozenset[str]


def of_buyers(table: str) -> bool:
    """True if a table keeps those who buy."""
    return not BUYERS.isdisjoint(name_stems(table))


def of_trade(table: str) -> bool:
    """True if a table keeps what was sold."""
    return not _TRADE.isdisjoint(name_stems(table))


def sold_lines(
    schema: Schema, units_of: Callable[[Table], Sequence[ColumnRef]], profiles: Mapping[str, TableProfile]
) -> tuple[OrderLines, ...]:
    """The tables whose rows say what was sold: lines of orders, else orders that are of one thing each.

    `units_of` gives the columns of a table that hold a quantity.
    """
    found = {t.name: f for t in schema.tables if (f := _lines(t, schema, units_of(t), profiles)) is not None}
    heads = {h for lines in found.values() for h in lines.heads}
    return tuple(lines for name, lines in found.items() if name not in heads)


def _lines(
    table: Table, schema: Schema, units: Sequence[ColumnRef], profiles: Mapping[str, TableProfile]
) -> OrderLines | None:
    targets = frozenset(_targets(schema, table.name))
    heads = frozenset(t for t in targets if _keeps_sales(t))
    sides = heads.union(*(_targets(schema, h) for h in heads)) | targets
    things = frozenset(t for t in targets - heads if _OTHERS.isdisjoint(name_stems(t)))
    buyers = frozenset(t for t in sides if name_stems(t)[-1:] and name_stems(t)[-1] in BUYERS)
    delivered = any(_SUPPLIERS.intersection(name_stems(t)) for t in sides - things) and not buyers
    if not things or delivered or len(units) != _counts(table):
        return None
    own = {*name_stems(table.name)}
    listed = bool(own & _LINES) or any(name_stems(h)[-1] in own for h in heads)
    whole = _keeps_sales(table.name) and (units or (buyers and len(things) == 1))
    if not (heads and (units or listed)) and not (whole and not heads):
        return None
    column = units[0] if units else None
    return OrderLines(
        TableRef(table.name),
        column,
        column is None or _is_one(column, profiles),
        things,
        buyers,
        heads,
        sides - things,
    )


def _counts(table: Table) -> int | None:
    """How many columns of a table say how many units its rows are of: 0 or 1; None where it isn't clear."""
    named = [{*identifier_words(c.name)} for c in table.columns]
    counting = sum(bool(words & QUANTITIES) or bool(words & UNITS and words <= OF_UNITS) for words in named)
    unclear = any(words & _UNCLEAR and words <= _UNCLEAR | OF_UNITS for words in named)
    return None if counting > 1 or (unclear and not counting) else counting


def _targets(schema: Schema, table: str) -> Iterator[str]:
    return (k.target_table for k in schema.foreign_keys if k.table == table and k.target_table != table)


def _keeps_sales(table: str) -> bool:
    """True if a table's rows are orders, invoices and the like, as the last word of its name says."""
    words = [s for s in name_stems(table) if s not in _HEADERS]
    return bool(words) and words[-1] in _SALES


def _is_one(column: ColumnRef, profiles: Mapping[str, TableProfile]) -> bool:
    """True if a quantity is known to be one in every row."""
    profile = profiles.get(column.table.name)
    seen = profile.columns.get(column.name) if profile is not None else None
    return seen is not None and seen.minimum == seen.maximum == 1
