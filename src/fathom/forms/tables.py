"""The facts about the columns of a table: key, repeating names, currencies, history, dates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from fathom.records import ColumnProfile, Schema, Table, TableProfile
from fathom.records.schema import DATED, NUMERIC
from fathom.text.identifiers import identifier_words

_CURRENCIES = frozenset("currency ccy curr".split())
_AMOUNTS = frozenset(
    "amount amt price total cost fee value balance paid revenue salary sum charge cents subtotal net gross "
    "budget income spend discount tax refund".split()
)
_SMALL_UNITS = frozenset("cents cent pence minor".split())
_CURRENT = (frozenset(("is", "current")), frozenset(("current", "flag")), frozenset(("is", "latest")))
_UNTIL = (frozenset(("valid", "to")), frozenset(("effective", "to")), frozenset(("valid", "until")))
_MANY_CURRENCIES = 50
_NEVER = "9999-12-31"
"""The day that some programs write where there is no end."""
_SET = frozenset("1 y yes t true".split())


@dataclass(frozen=True, slots=True)
class TableForms:
    """The facts about one table that a query has to heed; names of columns in small letters.

    `key` is the only column of its primary key, or its first column where that tells all
    rows apart, "" for none. `repeating` are text columns in which rows share
    values, `nullable` those with rows that hold nothing. `currency` is the column that says in which currency
    the `amounts` are, where there are several: `currencies`. `history` are the columns that tell current rows
    from earlier ones, `current` is one of them with what it holds in current rows. `dates` are the columns of
    points in time. `columns` are the names as they are spelt.
    """

    name: str
    key: str = ""
    repeating: frozenset[str] = frozenset()
    nullable: frozenset[str] = frozenset()
    currency: str = ""
    currencies: tuple[str, ...] = ()
    amounts: frozenset[str] = frozenset()
    in_small_units: frozenset[str] = frozenset()
    history: tuple[str, ...] = ()
    current: tuple[str, object] | None = None
    dates: tuple[str, ...] = field(default=())
    columns: Mapping[str, str] = field(default_factory=dict, compare=False)


def tables_of(schema: Schema, profiles: Mapping[str, TableProfile]) -> Mapping[str, TableForms]:
    """Find the facts about all tables, by name in small letters."""
    return {
        table.name.casefold(): _table(table, profiles[table.name].columns)
        for table in schema.tables
        if table.name in profiles
    }


def _table(table: Table, seen: Mapping[str, ColumnProfile]) -> TableForms:
    words = {c.name.casefold(): frozenset(identifier_words(c.name)) for c in table.columns}
    kinds = {c.name.casefold(): c.kind for c in table.columns}
    profiles = {name.casefold(): profile for name, profile in seen.items()}
    currency = next((n for n, w in words.items() if w & _CURRENCIES and _is_mixed(profiles.get(n))), "")
    amounts = frozenset(n for n, w in words.items() if w & _AMOUNTS and kinds[n] in NUMERIC)
    return TableForms(
        table.name,
        key=_key(table, profiles),
        repeating=frozenset(n for n, p in profiles.items() if kinds[n] == "text" and _repeats(p)),
        nullable=frozenset(n for n, p in profiles.items() if p.null_share > 0 or p.placeholders),
        currency=currency if amounts else "",
        currencies=_values(profiles.get(currency)),
        amounts=amounts,
        in_small_units=frozenset(n for n in amounts if words[n] & _SMALL_UNITS),
        history=(history := _history(words)),
        current=_current(history, words, kinds, profiles),
        dates=tuple(
            n
            for n, p in profiles.items()
            if kinds[n] in DATED or p.format == "epoch" or (p.format == "date" and "%Y" in (p.pattern or ""))
        ),
        columns={c.name.casefold(): c.name for c in table.columns},
    )


def _key(table: Table, profiles: Mapping[str, ColumnProfile]) -> str:
    if table.primary_key or not table.columns:
        return table.primary_key[0].casefold() if len(table.primary_key) == 1 else ""
    first = table.columns[0].name.casefold()
    seen = profiles.get(first)
    tells = seen is not None and seen.exact and seen.null_share == 0 and seen.distinct == seen.rows_seen > 1
    return first if tells else ""


def _is_mixed(seen: ColumnProfile | None) -> bool:
    return seen is not None and 1 < (seen.distinct or 0) <= _MANY_CURRENCIES


def _values(seen: ColumnProfile | None) -> tuple[str, ...]:
    return tuple(str(value) for value, _ in seen.common) if seen is not None else ()


def _repeats(seen: ColumnProfile) -> bool:
    held = seen.rows_seen * (1 - seen.null_share)
    return seen.distinct is not None and seen.distinct < round(held)


def _current(
    history: tuple[str, ...],
    words: Mapping[str, frozenset[str]],
    kinds: Mapping[str, str],
    profiles: Mapping[str, ColumnProfile],
) -> tuple[str, object] | None:
    """The column that tells current rows, and what it holds in them: a flag that is set, or no end.

    None where there is no such column, or where neither is clear: an end that lies ahead isn't one yet.
    """
    for name in history:
        seen = profiles.get(name)
        if seen is None:
            continue
        if any(mark <= words[name] for mark in _UNTIL):
            if (last := str(seen.maximum or "")[:10]) == _NEVER:
                return name, last
            ended = seen.null_share > 0 and last <= date.today().isoformat()
            if ended and kinds[name] in DATED:
                return name, None
        elif kinds[name] == "boolean":
            return name, True
        else:
            held = [v for v, _ in seen.common if str(v).strip().casefold() in _SET]
            if len(held) == 1 and seen.distinct == 2:
                return name, held[0]
    return None


def _history(words: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    return tuple(n for n, w in words.items() if any(mark <= w for mark in (*_CURRENT, *_UNTIL)))
