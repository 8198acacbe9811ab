"""The schema files of Spider and BIRD: `tables.json`, `dev_tables.json`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.benchmarks.record_files import Record, json_records
from fathom.records import Column, ForeignKey, Schema, Table
from fathom.records.schema import ColumnKind

_KINDS: Mapping[str, ColumnKind] = {
    "text": "text",
    "number": "number",
    "integer": "integer",
    "real": "number",
    "time": "datetime",
    "date": "date",
    "datetime": "datetime",
    "boolean": "boolean",
}


def read_tables(file: Path) -> dict[str, Schema]:
    """The schemas of a file, by database name; descriptive names become comments.

    Raises `InputError` where an entry is malformed.
    """
    return {record.text("db_id"): _schema(record) for record in json_records(file)}


def as_tables_entry(name: str, schema: Schema) -> dict[str, Any]:
    """The entry of such a file for a database: its declared keys of one column each, comments as names."""
    tables = schema.tables
    columns = [(i, column) for i, table in enumerate(tables) for column in table.columns]
    # The first column of every such file is the star.
    place = {(tables[i].name, column.name): n for n, (i, column) in enumerate(columns, start=1)}
    keys = (k for k in schema.foreign_keys if not k.inferred)
    joins = [
        [place[key.table, own], place[key.target_table, other]]
        for key in keys
        for own, other in zip(key.columns, key.target_columns, strict=False)
    ]
    return {
        "db_id": name,
        "table_names_original": [t.name for t in tables],
        "table_names": [t.comment or t.name for t in tables],
        "column_names_original": [[-1, "*"], *([i, c.name] for i, c in columns)],
        "column_names": [[-1, "*"], *([i, c.comment or c.name] for i, c in columns)],
        "column_types": ["text", *(c.kind for _, c in columns)],
        "primary_keys": [place[t.name, name] for t in tables for name in t.primary_key],
        "foreign_keys": joins,
    }


def _schema(record: Record) -> Schema:
    names: Sequence[str] = record.texts("table_names_original", required=True)
    spoken = record.content.get("table_names") or names
    columns = record.content.get("column_names_original")
    if not isinstance(columns, list):
        raise record.wrong("is missing", "column_names_original")
    try:
        return _build(record.content, names, spoken, columns)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise record.wrong(f"doesn't fit the other fields: {error}", "column_names_original") from None


def _build(content: Mapping[str, Any], names: Sequence[str], spoken: Any, columns: list[Any]) -> Schema:
    types = content.get("column_types") or ["text"] * len(columns)
    comments = content.get("column_names") or columns
    by_table: dict[int, list[Column]] = {i: [] for i in range(len(names))}
    for (table, name), type_, (_, comment) in zip(columns, types, comments, strict=True):
        if table >= 0:
            kind = _KINDS.get(str(type_).lower(), "other")
            by_table[table].append(Column(name, str(type_), kind, comment=_other(comment, name)))
    primary: dict[int, list[str]] = {}
    for key in content.get("primary_keys") or ():
        for index in key if isinstance(key, list) else [key]:
            primary.setdefault(columns[index][0], []).append(columns[index][1])
    joins = tuple(
        ForeignKey(names[columns[a][0]], (columns[a][1],), names[columns[b][0]], (columns[b][1],))
        for a, b in content.get("foreign_keys") or ()
    )
    tables = tuple(
        Table(name, tuple(by_table[i]), tuple(primary.get(i, ())), comment=_other(spoken[i], name))
        for i, name in enumerate(names)
    )
    return Schema("sqlite", tables, joins)


def _other(comment: str, name: str) -> str | None:
    return comment if comment and comment.casefold() != name.casefold() else None
