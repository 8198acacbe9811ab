"""The schema files of Spider and BIRD: `tables.json`, `dev_tables.json`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.benchmarks.reading import Record, json_records
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
