"""Asking: the box, and what is done with what stands in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from fathom.answering.store import Origin, StoredQuestion
from fathom.answering.store.store import new_id
from fathom.errors import InputError
from fathom.interfaces.web.access import RequestRefused
from fathom.interfaces.web.examples import examples_of
from fathom.interfaces.web.jobs import Busy
from fathom.interfaces.web.pages.home import DatabaseLine, database_line
from fathom.interfaces.web.routes import ActionDone, OfSite, done, shown
from fathom.interfaces.web.site import QUESTION_LETTERS
from fathom.interfaces.web.work import AnswerJob, work_on
from fathom.records import Question

router = APIRouter(tags=["ask"])


@dataclass(frozen=True, slots=True)
class AskPage:
    """A box for a question. `question` only fills it: looking at a page never asks. `key` marks this form."""

    database: DatabaseLine
    question: str
    examples: Sequence[str]
    latest: Sequence[StoredQuestion]
    key: str


@shown(router, "/ask/{database}", "ask.html")
def ask_page(site: OfSite, database: str, q: str = "") -> AskPage:
    """The box for a question to a database, with questions to begin with."""
    line = database_line(
        site, database if database in site.databases else site.asking(database).database.name
    )
    latest = site.store.history(database=database, most=6)
    return AskPage(line, q[:QUESTION_LETTERS], examples_of(site, database), latest, new_id())


class Ask(BaseModel):
    """A question. `conversation` is the one that it goes on with; `key` keeps it from being asked twice."""

    question: str = Field(min_length=1, max_length=QUESTION_LETTERS)
    evidence: str = Field("", max_length=QUESTION_LETTERS)
    conversation: str = Field("", max_length=40)
    key: str = Field("", max_length=40)


async def begin(request: Request) -> "Begin":
    """Start a question: is there room for one more, and who asks it?"""
    return Begin(request)


class Begin:
    """Begins questions of one request. Raises `Busy` and `RequestRefused` where there are too many."""

    def __init__(self, request: Request) -> None:
        self._site, self._jobs = request.app.state.site, request.app.state.jobs
        self._session: str = request.scope["state"].get("session", "")
        self.client: str = request.headers.get("user-agent", "")

    def check(self) -> None:
        """Raise where no question may be begun now."""
        if not self._jobs.has_room():
            raise Busy
        self.check_pace()

    def check_pace(self) -> None:
        """Raise where too much was asked within the last minute."""
        most = self._site.rules.jobs_a_minute
        if not self._site.store.shared.allows(self._session, most):
            why = f"More than {most} questions a minute aren't taken. Wait a little."
            raise RequestRefused(HTTPStatus.TOO_MANY_REQUESTS, why, **{"retry-after": "10"})

    def start(self, asked: AnswerJob, entry: StoredQuestion, *, behind: bool = False) -> ActionDone:
        """Work on a question that the store holds; `behind` after others that are begun with it."""
        job = replace(asked, client=self.client)
        self._jobs.start(entry.id, lambda watch: work_on(self._site, job, entry, watch), behind=behind)
        return ActionDone(f"/a/{entry.id}", entry.id)


OfRequest = Annotated[Begin, Depends(begin)]


class AskOf(Ask):
    """A question with the name of the database that it is asked of."""

    database: str = Field(min_length=1, max_length=200)


@router.post("/ask", include_in_schema=False)
async def ask_of(site: OfSite, begin: OfRequest, body: Annotated[AskOf, Form()]) -> Response:
    """Ask a question of the database that was chosen in the box."""
    done = await ask(site, begin, body.database, body)
    return RedirectResponse(done.url, HTTPStatus.SEE_OTHER)


@done(router, "/ask/{database}")
async def ask(site: OfSite, begin: OfRequest, database: str, body: Ask) -> ActionDone:
    """Ask a question; the answer is worked on, and its page tells how far it is."""
    if database not in site.databases:
        site.asking(database)  # tells what there is
    if not body.question.strip():
        raise InputError("there are no words in the question")
    begin.check()
    entry, is_new = site.store.begin(
        Question(body.question.strip(), evidence=body.evidence.strip()),
        database,
        conversation=body.conversation,
        origin=Origin.ASKED,
        key=body.key or None,
    )
    return begin.start(AnswerJob(), entry) if is_new else ActionDone(f"/a/{entry.id}", entry.id)
