"""Saved questions, and a page of their answers one under the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.answering.store import Origin, Saved
from fathom.interfaces.web.pages.answer import Nothing
from fathom.interfaces.web.pages.ask import Begin, OfRequest
from fathom.interfaces.web.pages.saved_question import SavedCard, card, filled_query, values_of
from fathom.interfaces.web.routes import ActionDone, OfSite, done, shown
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.work import AnswerJob, asked_again
from fathom.records import Question

router = APIRouter(tags=["saved"])
MOST_CARDS = 30


@dataclass(frozen=True, slots=True)
class SavedList:
    """Saved questions by title; of one tag, or all."""

    saved: Sequence[Saved]
    tags: Sequence[str]
    tag: str


@shown(router, "/saved", "saved.html")
def saved_list(site: OfSite, tag: str = "") -> SavedList:
    """The saved questions."""
    everything = site.store.all_saved()
    tags = sorted({s.tag for s in everything if s.tag})
    return SavedList(site.store.all_saved(tag), tags, tag)


@dataclass(frozen=True, slots=True)
class Board:
    """Saved questions with their answers; `left_out` counts those beyond what a page holds."""

    cards: Sequence[SavedCard]
    tag: str
    left_out: int


@shown(router, "/board", "board.html")
def board(site: OfSite, tag: str = "") -> Board:
    """The answers to saved questions, one under the other."""
    found = site.store.all_saved(tag)
    return Board([card(site, s) for s in found[:MOST_CARDS]], tag, max(0, len(found) - MOST_CARDS))


@done(router, "/saved/{slug}/again")
async def renew(site: OfSite, begin: OfRequest, slug: str, body: Nothing) -> ActionDone:
    """Ask a saved question of the data as they are now; it shows the new answer from here on."""
    begin.check()
    return await _renewed(site, begin, site.store.saved(slug))


class Tag(BaseModel):
    """The tag of saved questions; empty for all."""

    tag: str = Field("", max_length=60)


@done(router, "/board/again")
async def renew_all(site: OfSite, begin: OfRequest, body: Tag) -> ActionDone:
    """Ask all saved questions of a page of the data as they are now, one after the other."""
    begin.check()
    for saved in site.store.all_saved(body.tag)[:MOST_CARDS]:
        if saved.entry.is_finished:
            await _renewed(site, begin, saved, behind=True)
    return ActionDone(f"/board?{urlencode({'tag': body.tag})}")


async def _renewed(site: Site, begin: Begin, saved: Saved, *, behind: bool = False) -> ActionDone:
    before = saved.entry
    question = Question(before.question, evidence=before.evidence)
    asked, origin = asked_again(site, before), Origin.AGAIN
    if saved.parameters:  # the query that its form fills, whatever words it came from
        dialect = (await run_in_threadpool(site.database, before.database)).dialect
        asked, origin = AnswerJob(filled_query(saved, dialect, values_of(saved, {}))), Origin.EDITED
    entry, _ = site.store.begin(
        question,
        before.database,
        conversation=before.conversation,
        parent=before.id,
        origin=origin,
        sql=asked.sql,
    )
    site.store.renew(saved.slug, entry.id)
    return begin.start(asked, entry, behind=behind)


@done(router, "/saved/{slug}/delete")
async def unsave(site: OfSite, slug: str, body: Nothing) -> ActionDone:
    """Forget a saved question; its answers stay."""
    site.store.unsave(slug)
    return ActionDone("/saved")
