"""SQL written by hand: a box that names tables and columns, lays a query out, and tells of it unrun."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import BaseModel, Field
from sqlglot.errors import ParseError

from fathom.answering import explain
from fathom.answering.audit_log import logged_estimate, logged_run, logging_as
from fathom.answering.store import Origin
from fathom.answering.store.store import new_id
from fathom.databases import Database
from fathom.databases.completion import Completions, completions
from fathom.databases.parsing import laid_out, parsed, tables_of
from fathom.databases.plans import plan_in_lines, plan_query
from fathom.databases.query_faults import QueryFault, fault_of
from fathom.databases.sizes import estimate_in_words
from fathom.databases.statements import is_query
from fathom.errors import QueryError, QueryRefused
from fathom.interfaces.web.html import page
from fathom.interfaces.web.pages.ask import Begin, OfRequest
from fathom.interfaces.web.routes import FAULTS, ActionDone, OfSite, done, shown
from fathom.interfaces.web.site import QUESTION_LETTERS, SQL_LETTERS, Site
from fathom.interfaces.web.work import AnswerJob
from fathom.records import Limits, Question
from fathom.text import without_secrets

router = APIRouter(tags=["databases"])
MOST_TABLES = 500
FIRST_LETTERS = 80
DRAFT_LETTERS = 20_000
"""The longest query that is looked at while it is typed."""
PLANNED = Limits(seconds=10, rows=500)


@dataclass(frozen=True, slots=True)
class TableNames:
    """A table with the names of its columns."""

    name: str
    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class FaultShown:
    """A fault of a query, and its line in three parts: the faulty part is the one in the middle."""

    text: str
    line: int
    column: int
    start: int
    end: int
    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class QueryTold:
    """A query that wasn't run: in words, the tables with their rows, how much it reads, the engine's plan.

    `plan` is "" where the engine or the rights give none; `problem` says why the query can't run.
    """

    words: str
    tables: Sequence[str]
    size: str
    plan: str
    problem: str


@dataclass(frozen=True, slots=True)
class SqlPage:
    """A box for a query. `fault` is what its text shows, `told` what was found out about it, if asked."""

    database: str
    dialect: str
    sql: str
    title: str
    tables: Sequence[TableNames]
    allowed: bool
    key: str
    fault: FaultShown | None
    told: QueryTold | None


@shown(router, "/db/{database}/sql", "write_sql.html")
def sql_page(site: OfSite, database: str, sql: str = "", title: str = "") -> SqlPage:
    """A box for a query; looking at this page runs nothing."""
    return _sql_page(site, database, sql[:SQL_LETTERS], title[:QUESTION_LETTERS])


def _sql_page(site: Site, database: str, sql: str, title: str = "") -> SqlPage:
    opened = site.database(database)
    tables = [TableNames(t.name, [c.name for c in t.columns]) for t in opened.schema.tables[:MOST_TABLES]]
    fault = fault_shown(sql, opened) if sql.strip() else None
    return SqlPage(database, opened.dialect, sql, title, tables, site.rules.sql, new_id(), fault, None)


def fault_shown(sql: str, database: Database) -> FaultShown | None:
    """The first fault that a query's text shows, with its line; None where it shows none."""
    fault = fault_of(sql[:DRAFT_LETTERS], database.schema) if len(sql) <= DRAFT_LETTERS else None
    return None if fault is None else _with_line(sql, fault)


def _with_line(sql: str, fault: QueryFault) -> FaultShown:
    start = sql.rfind("\n", 0, fault.start) + 1
    ends = sql.find("\n", fault.end)
    line_end = len(sql) if ends < 0 else ends
    placed = fault.end > fault.start
    parts = (sql[start : fault.start], sql[fault.start : fault.end], sql[fault.end : line_end])
    before, marked, after = parts if placed else ("", "", "")
    return FaultShown(
        str(fault), fault.line if placed else 0, fault.column, fault.start, fault.end,
        before[-80:], marked, after[:80],
    )  # fmt: skip


class WrittenQuery(BaseModel):
    """A query, and in words what it is to show; `key` keeps it from being run twice."""

    sql: str = Field(min_length=1, max_length=SQL_LETTERS)
    title: str = Field("", max_length=QUESTION_LETTERS)
    key: str = Field("", max_length=40)


@done(router, "/db/{database}/sql")
async def write_sql(site: OfSite, begin: OfRequest, database: str, body: WrittenQuery) -> ActionDone:
    """Run a query written by hand, within the guard and the limits; its result is kept as an answer."""
    _check_allowed(site, database)
    begin.check()
    question = Question(body.title.strip() or _first_line(body.sql))
    entry, is_new = site.store.begin(
        question, database, origin=Origin.EDITED, sql=body.sql, key=body.key or None
    )
    return begin.start(AnswerJob(body.sql), entry) if is_new else ActionDone(f"/a/{entry.id}", entry.id)


def _first_line(sql: str) -> str:
    """The beginning of a query, which names it where no note does."""
    line = next((line.strip() for line in sql.splitlines() if line.strip()), sql.strip()) or "SQL"
    return line if len(line) <= FIRST_LETTERS else f"{line[: FIRST_LETTERS - 1]}…"


# While it is typed


class DraftPlace(BaseModel):
    """A query that is being typed, and the place of the caret in it."""

    sql: str = Field(max_length=DRAFT_LETTERS)
    at: int = Field(ge=0, le=DRAFT_LETTERS)


@router.post("/api/db/{database}/sql/names", responses=FAULTS)
def complete(site: OfSite, database: str, body: DraftPlace) -> Completions:
    """Give names of tables and columns that go on from a place of a query; nothing runs."""
    _check_allowed(site, database)
    return completions(body.sql, body.at, site.database(database).schema)


class DraftQuery(BaseModel):
    """A query that isn't to be run."""

    sql: str = Field(max_length=SQL_LETTERS)


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """The first fault that the text of a query shows, null where it shows none."""

    fault: FaultShown | None


@router.post("/api/db/{database}/sql/check", responses=FAULTS)
def check_draft(site: OfSite, database: str, body: DraftQuery) -> DraftCheck:
    """Find the first fault of a query, with its place and the nearest name; nothing runs."""
    _check_allowed(site, database)
    return DraftCheck(fault_shown(body.sql, site.database(database)) if body.sql.strip() else None)


# Laid out, and told


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A query with its clauses on lines of their own."""

    sql: str


@router.post("/api/db/{database}/sql/format", responses=FAULTS)
def format_sql(site: OfSite, database: str, body: DraftQuery) -> LaidOut:
    """Lay a query out; it stays as it is where it can't be read."""
    _check_allowed(site, database)
    return LaidOut(_laid_out(body.sql, site.database(database).dialect))


def _laid_out(sql: str, dialect: str) -> str:
    try:
        return laid_out(sql, dialect)
    except ParseError:
        return sql


@router.post("/db/{database}/sql/format", include_in_schema=False)
def show_format(site: OfSite, database: str, body: Annotated[WrittenQuery, Form()]) -> Response:
    """The page of the query again, laid out."""
    _check_allowed(site, database)
    sql = _laid_out(body.sql, site.database(database).dialect)
    return _again(site, database, _sql_page(site, database, sql, body.title))


@router.post("/api/db/{database}/sql/explain", responses=FAULTS)
def explain_sql(site: OfSite, begin: OfRequest, database: str, body: DraftQuery) -> QueryTold:
    """Tell what a query does, the tables that it reads, how much of them, and the engine's plan; unrun."""
    return _told(site, begin, database, body.sql)


@router.post("/db/{database}/sql/explain", include_in_schema=False)
def show_explain(
    site: OfSite, begin: OfRequest, database: str, body: Annotated[WrittenQuery, Form()]
) -> Response:
    """The page of the query again, with the same below it."""
    told = _told(site, begin, database, body.sql)
    return _again(site, database, replace(_sql_page(site, database, body.sql, body.title), told=told))


def _again(site: Site, database: str, content: SqlPage) -> Response:
    return page("write_sql.html", content=content, site=site, path=f"/db/{database}/sql", query="")


def _told(site: Site, begin: Begin, database: str, sql: str) -> QueryTold:
    _check_allowed(site, database)
    begin.check_pace()
    opened = site.database(database)
    problem, size, plan = "", "", ""
    try:
        with logging_as("browser", client=begin.client):
            opened.check(sql)
            if not is_query(sql, opened.dialect):
                raise QueryRefused("statement", "only a query is explained.", sql=sql)
            if opened.tells_size:
                size = estimate_in_words(opened, logged_estimate(opened, sql))
            plan = _plan(opened, sql)
    except QueryError as error:
        problem = without_secrets(str(error))
    return QueryTold(explain(sql, opened.dialect), _tables_read(sql, opened), size, plan, problem)


def _plan(database: Database, sql: str) -> str:
    """The engine's plan; none under rights, for a plan tells of rows that are hidden."""
    asked = plan_query(sql, database.dialect)
    if not asked or database.granted is not None:
        return ""
    return plan_in_lines(logged_run(database, asked, PLANNED), database.dialect)


def _tables_read(sql: str, database: Database) -> list[str]:
    """The tables that a query reads, each with the number of its rows where that is known."""
    tree, schema = parsed(sql, database.dialect), database.schema
    found = [schema.table(name) for name in (tables_of(tree) if tree is not None else ()) if name in schema]
    return [
        t.name if t.row_count is None else f"{t.name} ({'~' if t.rows_estimated else ''}{t.row_count:,} rows)"
        for t in found
    ]


@dataclass(frozen=True, slots=True)
class QuerySize:
    """The amount that a query would read: bytes, null where the engine can't tell."""

    bytes: int | None


@router.post("/api/db/{database}/estimate", responses=FAULTS)
def estimate(site: OfSite, begin: OfRequest, database: str, body: WrittenQuery) -> QuerySize:
    """How much a query would read, told by the engine; nothing runs."""
    _check_allowed(site, database)
    begin.check_pace()
    with logging_as("browser", client=begin.client):
        return QuerySize(logged_estimate(site.database(database), body.sql))


def _check_allowed(site: Site, database: str) -> None:
    site.rules.check_sql()
    if database not in site.databases:
        site.database(database)  # tells what there is
