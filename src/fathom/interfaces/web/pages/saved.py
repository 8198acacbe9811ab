"""Saved questions, and boards: their answers on one page, with one filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.answering.saved_queries import query_of
from fathom.answering.store import Origin, Saved
from fathom.interfaces.web.board_filters import common_filters, own_values
from fathom.interfaces.web.pages.answer import Nothing
from fathom.interfaces.web.pages.ask import Begin, OfRequest
from fathom.interfaces.web.pages.saved_question import (
    PREFIX,
    ParameterField,
    SavedCard,
    ValueName,
    ValueText,
    address_of,
    ask_saved,
    card_for,
    field_for,
    values_in,
)
from fathom.interfaces.web.routes import FAULTS, ActionDone, OfSite, done, shown
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
class BoardCard:
    """A saved question on a board, and the page of it with the board's values.

    `card` is null where it wasn't asked with these yet.
    """

    saved: Saved
    card: SavedCard | None
    url: str


@dataclass(frozen=True, slots=True)
class Board:
    """Saved questions of a tag with their answers; `left_out` counts those beyond what a page holds.

    `fields` are the values that two or more of them ask for; `values` those that are given.
    """

    cards: Sequence[BoardCard]
    tag: str
    left_out: int
    fields: Sequence[ParameterField]
    values: Mapping[str, str]


@shown(router, "/board", "board.html")
def board(site: OfSite, request: Request, tag: str = "") -> Board:
    """The answers to saved questions on one page, with one filter for what they ask for in common."""
    found = site.store.all_saved(tag)
    kept = found[:MOST_CARDS]
    filters = common_filters(kept)
    asked = values_in(request.query_params)
    given = {f.name: value for f in filters if (value := f.given_in(asked)) is not None}
    own = [own_values(s, filters, given) for s in kept]
    cards = [
        BoardCard(s, card_for(site, s, values), address_of(s, values))
        for s, values in zip(kept, own, strict=True)
    ]
    firsts = [(*f.members[0], f.name) for f in filters]
    fields = [
        field_for(site, one, replace(parameter, name=name), given.get(name, parameter.value))
        for one, parameter, name in firsts
    ]
    return Board(cards, tag, max(0, len(found) - MOST_CARDS), fields, given)


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
    return await _asked_all(site, begin, body.tag, {})


class BoardValues(Tag):
    """The values of a board's filter, by their names."""

    values: dict[ValueName, ValueText]


@router.post("/api/board/ask", response_model=ActionDone, status_code=201, responses=FAULTS)
async def filter_board(site: OfSite, begin: OfRequest, body: BoardValues) -> ActionDone:
    """Ask the saved questions of a tag with these values, each with those that it asks for."""
    return await _asked_all(site, begin, body.tag, body.values)


@router.post("/board/ask", include_in_schema=False)
async def filter_board_by_form(site: OfSite, request: Request, begin: OfRequest) -> Response:
    """The same by a form; what it leads to holds the values in its address."""
    form = await request.form()
    made = await _asked_all(site, begin, str(form.get("tag", "")), values_in(form))
    return RedirectResponse(made.url, HTTPStatus.SEE_OTHER)


async def _asked_all(site: Site, begin: Begin, tag: str, given: Mapping[str, str]) -> ActionDone:
    """Ask all of a tag again, with the values that are given; those under way already are left alone."""
    begin.check()
    kept = site.store.all_saved(tag)[:MOST_CARDS]
    filters = common_filters(kept)
    for saved in kept:
        own = own_values(saved, filters, given)
        known = site.store.find(site.store.filled.answer(saved.slug, own)) if own else saved.entry
        if known is not None and not known.is_finished:
            continue
        if own:
            await ask_saved(site, begin, saved, own, behind=True)
        else:
            await _renewed(site, begin, saved, behind=True)
    values = {f"{PREFIX}{name}": value for name, value in given.items()}
    return ActionDone(f"/board?{urlencode({'tag': tag, **values})}")


async def _renewed(site: Site, begin: Begin, saved: Saved, *, behind: bool = False) -> ActionDone:
    before = saved.entry
    question = Question(before.question, evidence=before.evidence)
    asked, origin = asked_again(site, before), Origin.AGAIN
    if saved.parameters:  # the query that its form fills, whatever words it came from
        dialect = (await run_in_threadpool(site.database, before.database)).dialect
        asked, origin = AnswerJob(query_of(saved, dialect)), Origin.EDITED
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
