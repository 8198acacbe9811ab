"""The pages of experts and owners: the responses to an item side by side, and people's agreement."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from fathom.answering.explain import explain
from fathom.authoring.annotation.bodies import queries
from fathom.authoring.annotation.decisions import Ruling, comparisons
from fathom.authoring.annotation.figures import figures
from fathom.authoring.annotation.history import AnnotationHistory, lines
from fathom.authoring.annotation.records import (
    Execution,
    GivenResponse,
    NotInReview,
    Person,
    PersonRole,
    ReviewItem,
    WorkKind,
)
from fathom.authoring.annotation.responses import comments, executions
from fathom.authoring.annotation.sheets import lettered
from fathom.errors import DatabaseError, InputError
from fathom.evaluation.difference import differences
from fathom.interfaces.web.desk import Desk
from fathom.interfaces.web.pages.review import OfDesk, OfPerson
from fathom.interfaces.web.routes import ActionDone, done, shown
from fathom.interfaces.web.site import SQL_LETTERS

router = APIRouter(tags=["review"])


@dataclass(frozen=True, slots=True)
class LetteredResponse:
    """One of the responses to an item, called A, B and so on: nobody's name is told.

    `results` are what its queries gave on the database, `words` what they retrieve; `odd` numbers the rows
    that the other response doesn't have.
    """

    letter: str
    body: Mapping[str, Any]
    results: Sequence[Execution]
    words: Sequence[str]
    odd: Sequence[int]


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """The parts of one clause that A's query lacks and has too much against B's."""

    clause: str
    missing: Sequence[str]
    extra: Sequence[str]


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """How the first two responses compare, on the database or a changed copy."""

    place: str
    equal: bool
    note: str


@dataclass(frozen=True, slots=True)
class PastDecision:
    """Something that was decided about the item."""

    kind: str
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ReviewItemPage:
    """An item with all that was said about it, for whoever decides. `role` is one's own."""

    id: str
    project: str
    kind: WorkKind
    role: PersonRole
    state: str
    question: str
    evidence: str
    database: str
    shown: Mapping[str, Any]
    why: str
    responses: Sequence[LetteredResponse]
    clauses: Sequence[ClauseLine]
    verdicts: Sequence[VerdictLine]
    decisions: Sequence[PastDecision]
    comments: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """How far people agree in a project; `figures` as `fathom review figures --json` prints them."""

    project: str
    title: str
    figures: Mapping[str, Any]


def _check(person: Person, what: str, id: str) -> None:
    """Annotators don't learn whether there is such a thing."""
    if not person.decides:
        raise NotInReview(what, id)


@shown(router, "/review/p/{project}/figures", "review_figures.html")
def review_figures(desk: OfDesk, person: OfPerson, project: str) -> ReviewFigures:
    """How far people agree: by results, by labels, by annotator; for experts and owners."""
    _check(person, "project", project)
    found = desk.reviews.project(project)
    return ReviewFigures(project, found.title, figures(AnnotationHistory.of(lines(desk.reviews, found))))


@shown(router, "/review/i/{item}", "review_item.html")
def review_item(desk: OfDesk, person: OfPerson, item: str) -> ReviewItemPage:
    """The responses to an item side by side, for an expert to decide."""
    _check(person, "item", item)
    found = desk.reviews.item(item)
    project = desk.reviews.project(found.project)
    dialect = _dialect(desk, found)
    given = lettered(desk.reviews, found)
    shown_responses = [_response(desk, k, r, project.kind, dialect) for k, r in given.items()]
    return ReviewItemPage(
        id=item,
        project=project.id,
        kind=project.kind,
        role=person.role,
        state=found.state,
        question=found.question,
        evidence=found.evidence,
        database=found.database,
        shown=found.shown,
        why=found.decision.reason if found.decision else "",
        responses=_with_odd_rows(shown_responses),
        clauses=_clauses(shown_responses, dialect),
        verdicts=_verdicts(desk, found, given),
        decisions=[
            PastDecision(d.kind, "a person" if d.person else "the machine", d.reason, d.created_at)
            for d in desk.reviews.decisions(item)
        ],
        comments=[c.text for c in comments(desk.reviews, item)],
    )


def _dialect(desk: Desk, item: ReviewItem) -> str:
    try:
        return desk.bench.database(desk.reviews.project(item.project), item.database).dialect
    except DatabaseError:
        return "sqlite"


def _response(
    desk: Desk, letter: str, given: GivenResponse, kind: WorkKind, dialect: str
) -> LetteredResponse:
    ran = [e for e in executions(desk.reviews, given.submission.id) if e.copy == 0]
    words = [explain(sql, dialect) for sql in queries(kind, given.submission.body)]
    return LetteredResponse(letter, given.submission.body, ran, words, ())


def _with_odd_rows(responses: Sequence[LetteredResponse]) -> list[LetteredResponse]:
    """Mark the rows of each of two responses that the other lacks."""
    if len(responses) != 2 or not all(len(r.results) == 1 for r in responses):
        return list(responses)
    rows = [[repr(row) for row in r.results[0].rows] for r in responses]
    marked = []
    for place, one in enumerate(responses):
        others = set(rows[1 - place])
        odd = [n for n, row in enumerate(rows[place]) if row not in others]
        marked.append(LetteredResponse(one.letter, one.body, one.results, one.words, odd))
    return marked


def _clauses(responses: Sequence[LetteredResponse], dialect: str) -> list[ClauseLine]:
    texts = [str(r.body.get("sql") or "") for r in responses[:2]]
    if len(texts) != 2 or not all(texts):
        return []
    found = differences(texts[0], texts[1], dialect) or ()
    return [ClauseLine(d.clause, d.missing, d.extra) for d in found]


def _verdicts(desk: Desk, item: ReviewItem, given: Mapping[str, GivenResponse]) -> list[VerdictLine]:
    letters = {r.submission.id: letter for letter, r in given.items()}
    places = ("the database", "a copy with fewer rows", "a copy with repeated rows and empty values")
    last = {}
    for number, one in comparisons(desk.reviews, item.id):
        if number == item.round and one.left in letters and one.right in letters:
            last[one.left, one.right, one.copy] = one
    return [
        VerdictLine(
            f"{letters[one.left]} and {letters[one.right or 0]} on {places[one.copy]}", one.equal,
            one.note or one.kind.replace("_", " "),
        )
        for one in last.values()
    ]  # fmt: skip


class RulingForm(BaseModel):
    """A decision about an item: choose a letter, or write a query, drop it, or change its question; and why.

    `action` is choose, write, drop, change or reopen.
    """

    action: str
    letter: str = ""
    sql: Annotated[str, Field(max_length=SQL_LETTERS)] = ""
    unanswerable: Annotated[str, Field(max_length=2_000)] = ""
    question: Annotated[str, Field(max_length=2_000)] = ""
    evidence: Annotated[str, Field(max_length=2_000)] = ""
    decision: str = ""
    note: Annotated[str, Field(max_length=2_000)] = ""
    reason: Annotated[str, Field(max_length=2_000)]


@done(router, "/review/i/{item}/decide")
async def decide_item(desk: OfDesk, person: OfPerson, item: str, body: RulingForm) -> ActionDone:
    """Decide an item, or have it decided again; earlier decisions stay to be read."""
    _check(person, "item", item)
    found = desk.reviews.item(item)
    await asyncio.to_thread(_rule, desk, found, person, body)
    url = f"/review/i/{item}" if body.action == "reopen" else f"/review/p/{found.project}"
    return ActionDone(url, item)


def _rule(desk: Desk, item: ReviewItem, person: Person, form: RulingForm) -> None:
    ruling = Ruling(desk.reviews, item, person, form.reason)
    if form.action == "choose":
        given = lettered(desk.reviews, item)
        if form.letter not in given:
            raise InputError(f"there is no response {form.letter!r}; there is: {', '.join(given)}")
        ruling.choose(desk.bench, given[form.letter].submission.id)
    elif form.action == "write":
        kind = desk.reviews.project(item.project).kind
        ruling.write(desk.bench, _written(kind, form))
    elif form.action == "drop":
        ruling.drop()
    elif form.action == "change":
        ruling.change_question(form.question, form.evidence)
    elif form.action == "reopen":
        ruling.reopen()
    else:
        raise InputError(f"{form.action!r} is no action: choose, write, drop, change or reopen")


def _written(kind: WorkKind, form: RulingForm) -> dict[str, Any]:
    """Read an expert's own ruling, given in place of either response."""
    if kind is WorkKind.SQL:
        return {"sql": form.sql, "unanswerable": form.unanswerable, "note": form.note}
    told: dict[str, Any] = {"decision": form.decision, "note": form.note or form.reason}
    if kind is WorkKind.QUESTION:
        return told | {"question": form.question}
    return told | {"sql": form.sql}
