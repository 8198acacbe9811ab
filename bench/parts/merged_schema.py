"""One large schema out of many published ones, with the published questions that ask it."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fathom.records import Column, ForeignKey, Schema, Table

_SOURCES = [
    ("spider/tables.json", "spider/train_spider.json", "query"),
    ("bird/dev_tables.json", "bird/dev.json", "SQL"),
    ("bird/train_questions/train_tables.json", "bird/train_questions/train.json", "SQL"),
]
_AREAS = "archive north south retail staging partner legacy finance training europe asia pilot".split()
_AUDIT = (
    "created_at created_by updated_at updated_by is_deleted source_system batch_id row_version valid_from "
    "valid_to checksum tenant_id load_date remarks external_ref sort_order"
).split()


def merged(data: Path, tables: int, columns: int) -> Schema:
    """All databases side by side, each table's name after its database's, copied under the names of other
    areas and filled up with audit columns until there are so many tables and columns."""
    rng = random.Random(3)
    described = [d for source, *_ in _SOURCES for d in json.loads((data / source).read_text())]
    found: list[Table] = []
    keys: list[ForeignKey] = []
    for area in ["", *_AREAS]:
        for database in described:
            if len(found) + len(database["table_names_original"]) <= tables:
                own, joins = _read(database, f"{area}_" if area else "")
                found += own
                keys += joins
    while (missing := columns - sum(len(t.columns) for t in found)) > 0:
        number = rng.randrange(len(found))
        has = {c.name for c in found[number].columns}
        more = [Column(n, "TEXT", "text") for n in rng.sample(_AUDIT, 8) if n not in has][:missing]
        table = found[number]
        found[number] = Table(table.name, (*table.columns, *more))
    return Schema("sqlite", tuple(found), tuple(keys))


def questions(data: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Each question with the tables that its gold query reads, named as in `merged`."""
    for _, source, field in _SOURCES:
        for item in json.loads((data / source).read_text()):
            if gold := _tables_of(item[field], item["db_id"]):
                yield item["question"], gold


def _read(database: dict[str, Any], area: str) -> tuple[list[Table], list[ForeignKey]]:
    prefix = f"{area}{database['db_id']}."
    names = [prefix + n for n in database["table_names_original"]]
    columns = database["column_names_original"]
    tables = [
        Table(name, tuple(Column(c, "TEXT", "text") for of, c in columns if of == number))
        for number, name in enumerate(names)
    ]
    keys = [
        ForeignKey(names[columns[a][0]], (columns[a][1],), names[columns[b][0]], (columns[b][1],))
        for a, b in database["foreign_keys"]
    ]
    return tables, keys


def _tables_of(sql: str, database: str) -> frozenset[str]:
    import sqlglot
    from sqlglot import exp

    try:
        parsed = sqlglot.parse_one(sql, dialect="sqlite")
    except sqlglot.errors.SqlglotError:
        return frozenset()
    inner = {c.alias_or_name.casefold() for c in parsed.find_all(exp.CTE)}
    names = {t.name.casefold() for t in parsed.find_all(exp.Table)} - inner
    return frozenset(f"{database}.{n}".casefold() for n in names)
