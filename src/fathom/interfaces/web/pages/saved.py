"""Saved questions, and boards: their answers on one page, with one filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.answering.parameters import SavedParameter
from fathom.answering.saved_queries import query_of
from fathom.answering.store import Origin, Saved
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

    `fields` are the values that two or more of them ask for by one name; `values` those that are given.
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
    shared = _shared(kept)
    given = {name: v for name, v in values_in(request.query_params).items() if name.casefold() in shared}
    cards = [BoardCard(s, card_for(site, s, _own(s, given)), address_of(s, _own(s, given))) for s in kept]
    fields = [field_for(site, saved, p, _of(given, p.name) or p.value) for saved, p in shared.values()]
    return Board(cards, tag, max(0, len(found) - MOST_CARDS), fields, given)


def _shared(saved: Sequence[Saved]) -> dict[str, tuple[Saved, SavedParameter]]:
    """The parameters that two or more saved questions have by one name and kind, each as the first has it."""
    first: dict[str, tuple[Saved, SavedParameter]] = {}
    shared: dict[str, tuple[Saved, SavedParameter]] = {}
    for one in saved:
        for parameter in one.parameters:
            name = parameter.name.casefold()
            if name not in first:
                first[name] = (one, parameter)
            elif first[name][1].kind == parameter.kind:
                shared[name] = first[name]
    return shared


def _of(given: Mapping[str, str], name: str) -> str | None:
    """The value for a name, in any case; None where none is given."""
    return next((value for n, value in given.items() if n.casefold() == name.casefold()), None)


def _own(saved: Saved, given: Mapping[str, str]) -> dict[str, str]:
    """All values of a saved question where the board's filter gives one of them; else none."""
    if all(_of(given, p.name) is None for p in saved.parameters):
        return {}
    return {p.name: _of(given, p.name) or p.value for p in saved.parameters}


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
    for saved in site.store.all_saved(tag)[:MOST_CARDS]:
        own = _own(saved, given)
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
