"""Earlier questions: a list to search, and whole conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from fathom.answering import as_json
from fathom.answering.documents import as_html
from fathom.answering.markdown import conversation_as_markdown
from fathom.answering.store import StoredQuestion
from fathom.answering.store.store import new_id
from fathom.interfaces.web.routes import OfSite, attached, shown
from fathom.interfaces.web.site import QUESTION_LETTERS, Site
from fathom.records import Answer

router = APIRouter(tags=["history"])
PAGE = 30
STATUSES = ("sure", "unsure", "unknown", "cancelled", "failed", "interrupted")


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Questions, the latest first. `more` is the number to go on before, null at the end."""

    entries: Sequence[StoredQuestion]
    words: str
    database: str
    status: str
    databases: Sequence[str]
    more: int | None


@shown(router, "/history", "history.html")
def history(
    site: OfSite,
    q: Annotated[str, Query(max_length=QUESTION_LETTERS)] = "",
    db: str = "",
    status: str = "",
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> HistoryPage:
    """Search earlier questions by words of question, answer and SQL."""
    statuses = [status] if status in STATUSES else []
    found = site.store.history(q, database=db, statuses=statuses, before=before, most=PAGE + 1)
    more = found[PAGE - 1].number if len(found) > PAGE else None
    return HistoryPage(found[:PAGE], q, db, status, list(site.databases), more)


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """One question of a conversation with its answer."""

    entry: StoredQuestion
    answer: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: each question with its answer, null where there is none yet.

    `key` marks the form for the next question.
    """

    id: str
    database: str
    turns: Sequence[ThreadTurn]
    key: str


@shown(router, "/c/{id}", "conversation.html")
def conversation(site: OfSite, id: str) -> Talk:
    """The questions of a conversation with their answers, in order."""
    kept = site.store.conversation(id)
    turns = [ThreadTurn(k.entry, as_json(known) if (known := k.answer) else None) for k in kept]
    return Talk(id, kept[0].database, turns, new_id())


@router.get("/c/{id}/conversation.json", include_in_schema=False)
def take_json(site: OfSite, id: str) -> Response:
    """The conversation as a JSON file."""
    answers = [as_json(a, trace=True) for a in _answers(site, id)]
    return JSONResponse({"conversation": id, "answers": answers}, headers=attached(id, "json"))


@router.get("/c/{id}/conversation.md", include_in_schema=False)
def take_markdown(site: OfSite, id: str) -> Response:
    """The conversation as Markdown."""
    answers, database = _answers(site, id), site.store.conversation(id)[0].database
    text = conversation_as_markdown(f"Questions to {database}", answers)
    return Response(text, media_type="text/markdown; charset=utf-8", headers=attached(id, "md"))


@router.get("/c/{id}/conversation.html", include_in_schema=False)
def take_html(site: OfSite, id: str) -> Response:
    """The conversation as one HTML file."""
    return Response(as_html(_answers(site, id)), media_type="text/html", headers=attached(id, "html"))


def _answers(site: Site, id: str) -> list[Answer]:
    return [known for kept in site.store.conversation(id) if (known := kept.answer) is not None]
