"""A database: its tables with what they hold, how they join, what can be asked."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from fathom.answering import cell_as_json
from fathom.forms.evidence import form_in_words
from fathom.interfaces.web.examples import examples_of
from fathom.interfaces.web.html import LETTERS
from fathom.interfaces.web.pages.home import DatabaseLine, database_line
from fathom.interfaces.web.pages.table_rows import RowsShown, RowsWanted, rows_of
from fathom.interfaces.web.routes import ActionDone, OfSite, done, shown
from fathom.knowledge import KnowledgePack
from fathom.records import ColumnProfile, ForeignKey, Table
from fathom.records.schema import NUMERIC, TIMED

router = APIRouter(tags=["databases"])
MOST_TABLES = 500
MOST_VALUES = 8


@dataclass(frozen=True, slots=True)
class Databases:
    """The databases that can be asked."""

    databases: Sequence[DatabaseLine]


@shown(router, "/db", "databases.html")
def databases(site: OfSite) -> Databases:
    """The databases that can be asked; nothing is opened for this list."""
    return Databases([database_line(site, name) for name in site.databases])


@dataclass(frozen=True, slots=True)
class TableLine:
    """One table in a list; `rows` is null where nobody counted, `estimated` where nobody did so exactly."""

    name: str
    is_view: bool
    rows: int | None
    estimated: bool
    columns: Sequence[str]
    about: str


@dataclass(frozen=True, slots=True)
class DatabaseJoin:
    """Columns of two tables that belong together; declared in the database, or inferred from the values."""

    table: str
    columns: Sequence[str]
    target_table: str
    target_columns: Sequence[str]
    inferred: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class DatabasePage:
    """The content of a database. `found` counts the tables that fit; `known` the notes of its packs.

    `read_at` is when its tables were read; `remarks` say what reading its files left out or guessed.
    """

    name: str
    dialect: str
    tables: Sequence[TableLine]
    found: int
    joins: Sequence[DatabaseJoin]
    examples: Sequence[str]
    known: Mapping[str, int]
    words: str
    sql_allowed: bool
    read_at: datetime | None
    remarks: Sequence[str]
    is_upload: bool


@shown(router, "/db/{database}", "database.html")
def database_page(site: OfSite, database: str, q: str = "") -> DatabasePage:
    """The tables of a database, how they join, and what can be asked."""
    opened = site.database(database)
    pack = site.asking(database).context.knowledge
    schema, words = opened.schema, q.casefold().split()
    fitting = [t for t in schema.tables if all(w in _text(t, pack) for w in words)]
    shown_tables = fitting[:MOST_TABLES]
    names = {t.name for t in shown_tables}
    return DatabasePage(
        name=database,
        dialect=schema.dialect,
        tables=[_line(t, pack) for t in shown_tables],
        found=len(fitting),
        joins=[_join(k) for k in schema.foreign_keys if k.table in names or k.target_table in names],
        examples=examples_of(site, database),
        known={
            "tables": len(pack.tables), "terms": len(pack.glossary),
            "conventions": len(pack.conventions), "solved questions": len(pack.examples),
        },
        words=q,
        sql_allowed=site.rules.sql,
        read_at=opened.read_at,
        remarks=[text for texts in opened.remarks.values() for text in texts],
        is_upload=site.uploads is not None and database in site.uploads.databases(),
    )  # fmt: skip


@done(router, "/db/{database}/read-again")
async def read_again(site: OfSite, database: str) -> ActionDone:
    """Read the tables of a database and what they hold again, also where no change was noticed."""
    opened = await asyncio.to_thread(site.database, database)
    await asyncio.to_thread(opened.refresh, anew=True)
    return ActionDone(f"/db/{database}", database)


def _text(table: Table, pack: KnowledgePack) -> str:
    return " ".join((table.name, *(c.name for c in table.columns), _about(table, pack))).casefold()


def _about(table: Table, pack: KnowledgePack) -> str:
    note = pack.table(table.name)
    return (note.description if note else "") or table.comment or ""


def _line(table: Table, pack: KnowledgePack) -> TableLine:
    return TableLine(
        table.name, table.is_view, table.row_count, table.rows_estimated,
        [c.name for c in table.columns], _about(table, pack),
    )  # fmt: skip


def _join(key: ForeignKey) -> DatabaseJoin:
    return DatabaseJoin(
        key.table, key.columns, key.target_table, key.target_columns, key.inferred, key.confidence
    )


@dataclass(frozen=True, slots=True)
class CommonValue:
    """A value that stands in many rows; `share` of the rows that were looked at."""

    value: Any
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """One column and what it holds, as far as that was looked at; `exact` says that every row was.

    `ordered` tells that from the smallest to the largest says something, which it doesn't of texts.
    """

    name: str
    type: str
    is_key: bool
    leads_to: Sequence[str]
    about: str
    synonyms: Sequence[str]
    missing: float | None
    distinct: int | None
    exact: bool
    smallest: Any
    largest: Any
    common: Sequence[CommonValue]
    format: str
    ordered: bool


@dataclass(frozen=True, slots=True)
class TablePage:
    """A table: its columns with their values, and its rows, a page at a time.

    `looking` says that the values are still being looked at; `problem` why they couldn't be.
    """

    database: str
    table: TableLine
    synonyms: Sequence[str]
    columns: Sequence[ColumnLine]
    joins: Sequence[DatabaseJoin]
    shown: RowsShown
    looking: bool
    problem: str


@shown(router, "/db/{database}/t/{table:path}", "table.html")
def table_page(site: OfSite, database: str, table: str, wanted: Annotated[RowsWanted, Query()]) -> TablePage:
    """The columns of a table, what they hold, and its rows: sorted, filtered and paged by the database."""
    opened = site.database(database)
    described = opened.schema.table(table)
    pack = site.asking(database).context.knowledge
    keys = [k for k in opened.schema.foreign_keys if described.name in (k.table, k.target_table)]
    rows = rows_of(opened, described, wanted)
    looked, why = site.profile(database)
    seen = looked[described.name].columns if looked and described.name in looked else {}
    note = pack.table(described.name)
    return TablePage(
        database=database,
        table=_line(described, pack),
        synonyms=note.synonyms if note else (),
        columns=[_column(described, c.name, keys, pack, seen.get(c.name)) for c in described.columns],
        joins=[_join(k) for k in keys],
        shown=replace(rows, rows=[[_cell(cell) for cell in row] for row in rows.rows]),
        looking=looked is None and not why,
        problem=why or rows.problem,
    )


def _cell(value: Any) -> Any:
    shown_as = cell_as_json(value)
    return f"{shown_as[:LETTERS]}…" if isinstance(shown_as, str) and len(shown_as) > LETTERS else shown_as


def _column(
    table: Table, name: str, keys: Sequence[ForeignKey], pack: KnowledgePack, seen: ColumnProfile | None
) -> ColumnLine:
    column, note = table.column(name), pack.column(table.name, name)
    rows = seen.rows_seen if seen else 0
    common = seen.common[:MOST_VALUES] if seen else ()
    return ColumnLine(
        name=name,
        type=column.type,
        is_key=name in table.primary_key,
        leads_to=[
            f"{k.target_table}.{to}"
            for k in keys if k.table == table.name
            for at, to in zip(k.columns, k.target_columns, strict=True) if at == name
        ],
        about=(note.description if note else "") or column.comment or "",
        synonyms=note.synonyms if note else (),
        missing=seen.null_share if seen else None,
        distinct=seen.distinct if seen else None,
        exact=bool(seen and seen.exact),
        smallest=_cell(seen.minimum) if seen else None,
        largest=_cell(seen.maximum) if seen else None,
        common=[CommonValue(_cell(v), n, n / rows if rows else 0.0) for v, n in common],
        format=form_in_words(seen) if seen else "",
        ordered=column.kind in NUMERIC or column.kind in TIMED,
    )  # fmt: skip
