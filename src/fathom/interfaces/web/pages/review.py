"""The annotators' pages: their projects, their own work, and nothing of anybody else's."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from fathom.authoring.annotation import queue
from fathom.authoring.annotation.bodies import DIMENSIONS, QUALITIES, previewed
from fathom.authoring.annotation.records import NotInReview, Person, PersonRole, Project, WorkKind
from fathom.authoring.annotation.responses import all_submitted, comment, keep_executions, save
from fathom.authoring.annotation.view import ProjectView, WorkView, project_view, work_view
from fathom.errors import DatabaseError, InputError
from fathom.evaluation.answers.relation import SCORES
from fathom.interfaces.web.desk import Desk
from fathom.interfaces.web.routes import ActionDone, done, shown
from fathom.interfaces.web.site import SQL_LETTERS

router = APIRouter(tags=["review"])
READINGS = 4
"""Readings of one question that the form has room for."""
MOST_TABLES = 60


def desk_of(request: Request) -> Desk:
    """Where people's work is done."""
    found: Desk = request.app.state.desk
    return found


def person_of(request: Request) -> Person:
    """Who asks; whoever holds the server's own token is the owner."""
    person: Person | None = request.state.person
    return desk_of(request).reviews.owner() if person is None else person


OfDesk = Annotated[Desk, Depends(desk_of)]
OfPerson = Annotated[Person, Depends(person_of)]


@dataclass(frozen=True, slots=True)
class ReviewProjectLine:
    """A project in a list; the counts are of one's own work, or for experts and owners of all items."""

    id: str
    title: str
    kind: WorkKind
    closed: bool
    is_exam: bool
    mine: bool
    states: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReviewHome:
    """The projects that somebody may see."""

    name: str
    role: PersonRole
    projects: Sequence[ReviewProjectLine]


@dataclass(frozen=True, slots=True)
class ConflictLine:
    """An item that waits for an expert."""

    id: str
    question: str
    why: str


@dataclass(frozen=True, slots=True)
class ReviewProjectPage:
    """A project: one's own work in it, and for experts and owners what waits for them.

    `done_by` tells owners who did how much.
    """

    id: str
    title: str
    kind: WorkKind
    role: PersonRole
    own: ProjectView | None
    states: Mapping[str, int]
    conflicts: Sequence[ConflictLine]
    done_by: Mapping[str, int]
    nothing_left: bool


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table with its columns, to write queries by."""

    name: str
    columns: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class WorkPage:
    """One's own piece of work, and what its database holds. `problem` is what a response lacked."""

    work: WorkView
    problem: str
    role: PersonRole
    tables: Sequence[TableShape]
    has_database: bool
    dimensions: Sequence[str]
    qualities: Sequence[str]
    scores: Sequence[float]
    readings: int


@shown(router, "/review", "review.html")
def review_home(desk: OfDesk, person: OfPerson) -> ReviewHome:
    """The projects that one works in; experts and owners see all."""
    lines = [line for p in desk.reviews.projects() if (line := _line(desk, p, person)) is not None]
    return ReviewHome(person.name, person.role, lines)


def _line(desk: Desk, project: Project, person: Person) -> ReviewProjectLine | None:
    mine = person.role is project.done_by
    if person.decides:
        states = dict(Counter(item.state for item in desk.reviews.items(project.id)))
    elif mine:
        own = project_view(desk.reviews, project.id, person)
        states = {"done": own.done, "begun": own.drafts}
    else:
        return None
    return ReviewProjectLine(
        project.id, project.title, project.kind, project.closed, project.is_exam, mine, states
    )


@shown(router, "/review/p/{project}", "review_project.html")
def review_project(
    desk: OfDesk, person: OfPerson, project: str, nothing_left: bool = False
) -> ReviewProjectPage:
    """One's own work in a project, or how all of it stands."""
    found = desk.reviews.project(project)
    own = project_view(desk.reviews, project, person) if person.role is found.done_by else None
    if own is None and not person.decides:
        raise NotInReview("project", project)
    states: Mapping[str, int] = {}
    conflicts: list[ConflictLine] = []
    done_by: dict[str, int] = {}
    if person.decides:
        items = desk.reviews.items(project)
        states = dict(Counter(item.state for item in items))
        conflicts = [
            ConflictLine(i.id, i.question, i.decision.reason if i.decision else "")
            for i in items if i.is_conflict
        ]  # fmt: skip
    if person.role is PersonRole.OWNER:
        names = {one.id: one.name for one in desk.reviews.people()}
        done_by = dict(Counter(names[r.person] for r in all_submitted(desk.reviews, project)))
    return ReviewProjectPage(
        project, found.title, found.kind, person.role, own, states, conflicts, done_by, nothing_left
    )


class Press(BaseModel):
    """A form with a button alone."""


@done(router, "/review/p/{project}/next")
async def next_item(desk: OfDesk, person: OfPerson, project: str, body: Press) -> ActionDone:
    """Get the next item to work on: what was begun, else a new one."""
    found = desk.reviews.project(project)
    given = await asyncio.to_thread(queue.next_work, desk.reviews, found, person)
    if given is None:
        return ActionDone(f"/review/p/{project}?nothing_left=true")
    return ActionDone(f"/review/w/{given.id}", given.id)


@shown(router, "/review/w/{work}", "review_work.html")
def review_work(desk: OfDesk, person: OfPerson, work: str, problem: str = "") -> WorkPage:
    """One's own piece of work: the question, what goes with it, and what one has written so far."""
    view = work_view(desk.reviews, work, person)
    tables = _tables(desk, desk.reviews.project(view.project), view.database)
    return WorkPage(
        view, problem[:500], person.role, tables, bool(view.database), DIMENSIONS, QUALITIES, SCORES, READINGS
    )


def _tables(desk: Desk, project: Project, database: str) -> list[TableShape]:
    if not database:
        return []
    try:
        schema = desk.bench.database(project, database).schema
    except DatabaseError:  # running a query tells why
        return []
    return [
        TableShape(t.name, [f"{c.name} ({c.type})" if c.type else c.name for c in t.columns[:40]],
                   max(0, len(t.columns) - 40))
        for t in schema.tables[:MOST_TABLES]
    ]  # fmt: skip


Sql = Annotated[str, Field(max_length=SQL_LETTERS)]
Words = Annotated[str, Field(max_length=2_000)]


class WorkForm(BaseModel):
    """A person's text on an item; the fields depend on the kind of work.

    `seconds` is how long they worked on it since it was kept last.
    """

    sql: Sql = ""
    scratch: Sql = ""
    evidence: Words = ""
    unanswerable: Words = ""
    reading_1: Words = ""
    reading_2: Words = ""
    reading_3: Words = ""
    reading_4: Words = ""
    reading_sql_1: Sql = ""
    reading_sql_2: Sql = ""
    reading_sql_3: Sql = ""
    reading_sql_4: Sql = ""
    difficulty_question: str = ""
    difficulty_knowledge: str = ""
    difficulty_data: str = ""
    difficulty_sql: str = ""
    decision: str = ""
    question: Words = ""
    tables: Words = ""
    factual_correctness: str = ""
    answerability: str = ""
    relevance: str = ""
    presentation: str = ""
    bioscore: str = ""
    verdict: str = ""
    note: Words = ""
    seconds: float = 0.0

    def body(self, kind: WorkKind) -> dict[str, Any]:
        """The response of that kind, without what was left empty."""
        told: dict[str, Any] = {"note": self.note, "scratch": self.scratch}
        if kind is WorkKind.SQL:
            told |= {"sql": self.sql, "evidence": self.evidence, "unanswerable": self.unanswerable}
            told["readings"] = self._readings()
        elif kind is WorkKind.QUESTION:
            tables = [name.strip() for name in self.tables.split(",") if name.strip()]
            told |= {"decision": self.decision, "question": self.question, "tables": tables}
        elif kind is WorkKind.ANSWER:
            told |= {name: _number(getattr(self, name)) for name in (*QUALITIES, "bioscore")}
        elif kind is WorkKind.PREFERENCE:
            told["verdict"] = self.verdict
        elif kind is WorkKind.SUSPECT:
            told |= {"decision": self.decision, "sql": self.sql}
        elif kind is WorkKind.WRITING:
            told |= {"question": self.question, "evidence": self.evidence}
        ratings = [getattr(self, f"difficulty_{name}") for name in DIMENSIONS]
        if kind in (WorkKind.SQL, WorkKind.DIFFICULTY) and any(ratings):
            told["difficulty"] = [int(r) if r.isdecimal() else r for r in ratings]
        return {name: value for name, value in told.items() if value not in ("", None, [])}

    def _readings(self) -> list[dict[str, str]]:
        pairs = (
            (getattr(self, f"reading_{n}"), getattr(self, f"reading_sql_{n}")) for n in range(1, READINGS + 1)
        )
        return [{"reading": reading, "sql": sql} for reading, sql in pairs if reading.strip() or sql.strip()]


def _number(text: str) -> float | str | None:
    """A score as it was chosen; what is no number is told as such when it is checked."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


@done(router, "/review/w/{work}/save")
async def save_work(desk: OfDesk, person: OfPerson, work: str, body: WorkForm) -> ActionDone:
    """Keep what was written so far; it keeps the item for its annotator as well."""
    await asyncio.to_thread(_save, desk, person, work, body, submit=False)
    return ActionDone(f"/review/w/{work}", work)


@done(router, "/review/w/{work}/run")
async def run_work(desk: OfDesk, person: OfPerson, work: str, body: WorkForm) -> ActionDone:
    """Keep what was written, and run its queries with the guard and limits of every query."""
    await asyncio.to_thread(_run, desk, person, work, body)
    return ActionDone(f"/review/w/{work}#results", work)


@done(router, "/review/w/{work}/submit")
async def submit_work(
    request: Request, desk: OfDesk, person: OfPerson, work: str, body: WorkForm
) -> ActionDone:
    """Give a response; it can be given anew while the project is open, except in an exam."""
    try:
        project = await asyncio.to_thread(_save, desk, person, work, body, submit=True)
    except InputError as error:
        if request.url.path.startswith("/api/"):
            raise
        return ActionDone(f"/review/w/{work}?{urlencode({'problem': str(error)})}", work)
    desk.advance([project])
    return ActionDone(f"/review/p/{project}", work)


@done(router, "/review/w/{work}/skip")
async def skip_work(desk: OfDesk, person: OfPerson, work: str, body: Press) -> ActionDone:
    """Give an item back undone."""
    given = queue.assignment(desk.reviews, work, person)
    await asyncio.to_thread(queue.skip, desk.reviews, given)
    return ActionDone(f"/review/p/{desk.reviews.item(given.item).project}", work)


class CommentForm(BaseModel):
    """Something to write beside an item."""

    text: Words


@done(router, "/review/w/{work}/comment")
async def comment_work(desk: OfDesk, person: OfPerson, work: str, body: CommentForm) -> ActionDone:
    """Write something beside an item; others read it once the item is decided."""
    given = queue.assignment(desk.reviews, work, person)
    await asyncio.to_thread(comment, desk.reviews, given, body.text)
    return ActionDone(f"/review/w/{work}#comments", work)


def _save(desk: Desk, person: Person, work: str, form: WorkForm, *, submit: bool) -> str:
    """The project's name."""
    given = queue.assignment(desk.reviews, work, person)
    project = desk.reviews.project(desk.reviews.item(given.item).project)
    said = form.body(project.kind)
    if submit:
        # First as a draft, so that a response that lacks something isn't lost.
        save(desk.reviews, given, said, active_seconds=form.seconds)
        save(desk.reviews, given, said, submit=True)
    else:
        save(desk.reviews, given, said, active_seconds=form.seconds)
    return project.id


def _run(desk: Desk, person: Person, work: str, form: WorkForm) -> None:
    given = queue.assignment(desk.reviews, work, person)
    item = desk.reviews.item(given.item)
    project = desk.reviews.project(item.project)
    said = form.body(project.kind)
    saved = save(desk.reviews, given, said, active_seconds=form.seconds)
    wanted = previewed(project.kind, said)
    if wanted:
        found = desk.bench.preview(project, item.database, wanted)
        keep_executions(desk.reviews, saved.id, found)
