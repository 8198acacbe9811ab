"""Parts of a schema: some of a table's columns, the keys that are whole among some tables, a fingerprint."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from fathom.databases.engine import Reflection
from fathom.records import ForeignKey, Table


def keys_among(keys: Iterable[ForeignKey], tables: Iterable[Table]) -> tuple[ForeignKey, ...]:
    """The keys of which all columns are there, on both sides."""
    there = {t.name: {c.name for c in t.columns} for t in tables}

    def is_there(table: str, columns: Collection[str]) -> bool:
        return there.get(table, set()).issuperset(columns)

    return tuple(
        k for k in keys if is_there(k.table, k.columns) and is_there(k.target_table, k.target_columns)
    )


def with_columns(table: Table, names: Collection[str]) -> Table:
    """A table with the columns of these names alone, and the keys that are whole among them."""
    there = set(names)
    primary = table.primary_key if there.issuperset(table.primary_key) else ()
    unique = tuple(u for u in table.unique if there.issuperset(u))
    columns = tuple(c for c in table.columns if c.name in there)
    return replace(table, columns=columns, primary_key=primary, unique=unique)


def narrowed(declared: Reflection, columns: Mapping[str, Collection[str]]) -> Reflection:
    """The tables named in `columns`, with these columns alone, by folded names, and the keys among them."""
    named = {t.name: columns.get(t.name.casefold()) for t in declared.tables}
    tables = tuple(_narrowed(t, kept) for t in declared.tables if (kept := named[t.name]) is not None)
    return Reflection(tables, keys_among(declared.foreign_keys, tables), declared.identifiers)


def _narrowed(table: Table, columns: Collection[str]) -> Table:
    """A table with some of its columns, by folded names; with none named it stays whole, as it is read."""
    if not columns:
        return table
    return with_columns(table, {c.name for c in table.columns if c.name.casefold() in columns})


def fingerprint(declared: Reflection, dialect: str, granted: str | None = None) -> str:
    """Sixteen hexadecimal digits of tables, columns and keys, and of what is `granted` of them."""
    shape = [
        (t.name, t.is_view, t.primary_key, t.unique, [(c.name, c.type, c.nullable) for c in t.columns])
        for t in sorted(declared.tables, key=lambda t: t.name)
    ]
    keys = sorted((k.table, k.columns, k.target_table, k.target_columns) for k in declared.foreign_keys)
    seen = () if granted is None else (granted,)
    return hashlib.sha256(repr((dialect, shape, keys, *seen)).encode()).hexdigest()[:16]
