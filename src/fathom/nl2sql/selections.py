"""Selections: read from what a model named, united, closed over keys."""

import re
from collections.abc import Iterable, Mapping

from fathom.databases.query_columns import items_of
from fathom.errors import QueryError
from fathom.records import ForeignKey, Schema, Selection

_UNQUOTED = re.compile(r'[`"\[\]]')
DOTTED = {"loses_dotted_names": "columns whose names hold a dot are lost when columns are selected"}
"""A quirk of several published methods."""


def everything(schema: Schema) -> Selection:
    """All tables with all of their columns."""
    return Selection({t.name: tuple(c.name for c in t.columns) for t in schema.tables})


def select(schema: Schema, named: Mapping[str, Iterable[str]]) -> Selection:
    """The tables and columns of these names, in any case and quoting, in schema order; others are dropped.

    A table without columns stays without: it is selected whole.
    """
    wanted = {_plain(t): [_plain(c) for c in columns] for t, columns in named.items()}
    found = {}
    for table in schema.tables:
        if (columns := wanted.get(_plain(table.name))) is not None:
            known = {_plain(c.name) for c in table.columns}
            # A dot belongs to the column's own name, or parts it from the table's.
            chosen = {c if c in known else c.rpartition(".")[2] for c in columns}
            found[table.name] = tuple(c.name for c in table.columns if _plain(c.name) in chosen)
    return Selection(found)


def from_items(schema: Schema, items: Iterable[str]) -> Selection:
    """The selection of `table.column` texts; a bare table name selects it whole, unless columns are named."""
    named: dict[str, list[str]] = {}
    known = {_plain(t.name): {_plain(c.name) for c in t.columns} for t in schema.tables}
    for item in items:
        plain = _plain(item)
        if plain in known:
            named.setdefault(plain, [])
            continue
        parts = _UNQUOTED.sub("", plain).split(".")  # names may hold dots themselves
        splits = [(".".join(parts[:i]), ".".join(parts[i:])) for i in range(len(parts) - 1, 0, -1)]
        table, column = next(((t, c) for t, c in splits if c in known.get(t, ())), plain.rpartition(".")[::2])
        named.setdefault(table, []).append(column)
    return select(schema, named)


def without_dotted(selection: Selection) -> Selection:
    """The same without columns whose names hold a dot, and without the tables that have no other."""
    kept = {t: tuple(c for c in columns if "." not in c) for t, columns in selection.tables.items()}
    return Selection({t: c for t, c in kept.items() if c or not selection.tables[t]})


def used_by(schema: Schema, sql: str) -> Selection:
    """Give the tables and columns that a query reads; none where it can't be parsed."""
    try:
        return select(schema, items_of(sql, schema).as_json())
    except QueryError:
        return Selection({})


def mentioned_in(schema: Schema, text: str, *, folded: bool = False) -> Selection:
    """Every table, and every column of a mentioned table, whose name is a substring of a text (TA-SQL).

    `folded` looks at names in any case and at columns of every table, mentioned or not (RSL-SQL).
    """
    said = text.casefold() if folded else text
    found = {}
    for table in schema.tables:
        is_there = (table.name.casefold() if folded else table.name) in said
        columns = tuple(c.name for c in table.columns if (c.name.casefold() if folded else c.name) in said)
        if is_there or (folded and columns):
            found[table.name] = columns
    return Selection(found)


def united(schema: Schema, *selections: Selection) -> Selection:
    """All that any of them selects, in schema order."""
    named: dict[str, set[str]] = {}
    for selection in selections:
        for table, columns in whole(schema, selection).tables.items():
            named.setdefault(table, set()).update(columns)
    return select(schema, named)


def whole(schema: Schema, selection: Selection) -> Selection:
    """The same with every column spelled out."""
    return Selection(
        {
            t: columns or tuple(c.name for c in schema.table(t).columns)
            for t, columns in selection.tables.items()
        }
    )


def with_keys(schema: Schema, selection: Selection) -> Selection:
    """The same with primary keys and the columns that join the selected tables."""
    named = {t: set(chosen) for t, chosen in whole(schema, selection).tables.items()}
    for table, columns in named.items():
        columns.update(schema.table(table).primary_key)
    for key in keys_between(schema, selection):
        named[key.table].update(key.columns)
        named[key.target_table].update(key.target_columns)
    return select(schema, named)


def keys_between(schema: Schema, selection: Selection | None) -> list[ForeignKey]:
    """The keys that join selected tables; all of them without a selection."""
    if selection is None:
        return list(schema.foreign_keys)
    return [
        k for k in schema.foreign_keys if k.table in selection.tables and k.target_table in selection.tables
    ]


def or_everything(schema: Schema, selection: Selection | None) -> Selection:
    """The selection, or all of the schema where nothing was selected: an empty prompt helps nobody."""
    return whole(schema, selection) if selection is not None and selection.tables else everything(schema)


def _plain(name: str) -> str:
    return name.strip().strip("`\"[]' ").replace('"."', ".").replace("`.`", ".").casefold()
