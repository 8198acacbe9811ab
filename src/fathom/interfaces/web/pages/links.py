"""Links that show one answer to whoever has them: made, ended, and opened without a session."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fathom.answering import as_json
from fathom.errors import InputError, MissingExtra
from fathom.interfaces.web.access import EMBEDDED, SHARED
from fathom.interfaces.web.chart import Theme, drawn
from fathom.interfaces.web.html import page
from fathom.interfaces.web.pages.answer import Nothing
from fathom.interfaces.web.routes import FAULTS, ActionDone, OfSite, done
from fathom.interfaces.web.site import Site
from fathom.records import Chart

router = APIRouter(tags=["answers"])
MOST_DAYS, ROWS = 365, 200
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors {}"
)
"""The policy of a page for strangers: no script, and a picture of its chart within itself."""


class NewLink(BaseModel):
    """How many days a link shows an answer, and whether pages of other sites may show it."""

    days: int = Field(7, ge=1, le=MOST_DAYS)
    embeds: bool = False


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link that was made: its address, which isn't told again.

    `embed` is the one for pages of other sites, "" without.
    """

    number: int
    url: str
    embed: str
    ends_at: datetime


@router.post("/api/a/{id}/links", status_code=201, responses=FAULTS)
def make_link(site: OfSite, request: Request, id: str, body: NewLink) -> MadeLink:
    """Make a link that shows one answer to whoever has it, until it ends or is ended."""
    return _made(site, request, id, body)


@router.post("/a/{id}/links", include_in_schema=False)
def make_link_by_form(site: OfSite, request: Request, id: str, body: Annotated[NewLink, Form()]) -> Response:
    """The same by a form; the page with the link is shown once."""
    made = _made(site, request, id, body)
    return page("link.html", content=made, id=id, site=site, path=f"/a/{id}", query="")


def _made(site: Site, request: Request, id: str, wanted: NewLink) -> MadeLink:
    if not site.may_link:
        raise InputError("your rights let you see answers, not show them to whoever has a link")
    if wanted.embeds and not site.rules.embed_in:
        raise InputError("no page may show answers of this server: start it with --embed-in and their origin")
    if site.store.get(id).answer is None:
        raise InputError("there is no answer to this question yet")
    secret, link = site.store.links.begin(id, timedelta(days=wanted.days), embeds=wanted.embeds)
    origin = f"{'https' if site.rules.secure else request.url.scheme}://{request.url.netloc}"
    embed = f"{origin}{EMBEDDED}{secret}" if wanted.embeds else ""
    return MadeLink(link.number, f"{origin}{SHARED}{secret}", embed, link.ends_at)


@done(router, "/a/{id}/links/{number}/end")
async def end_link(site: OfSite, id: str, number: int, body: Nothing) -> ActionDone:
    """End a link: who has it sees nothing from here on."""
    site.store.links.end(id, number)
    return ActionDone(f"/a/{id}", id)


# Opened by whoever has it


@router.get(f"{SHARED}{{secret}}", include_in_schema=False)
def shared_answer(site: OfSite, secret: str) -> Response:
    """One answer as it was given."""
    return _shown(site, secret, POLICY.format("'none'"), embedded=False)


@router.get(f"{EMBEDDED}{{secret}}", include_in_schema=False)
def embedded_answer(site: OfSite, secret: str) -> Response:
    """One answer for a page of another site."""
    return _shown(site, secret, POLICY.format(" ".join(site.rules.embed_in) or "'none'"), embedded=True)


def _shown(site: Site, secret: str, policy: str, *, embedded: bool) -> Response:
    id_ = site.store.links.answer(secret, embedded=embedded) if len(secret) <= 100 else ""
    kept = site.store.get(id_) if id_ else None
    headers = {"content-security-policy": policy, "x-robots-tag": "noindex"}
    if kept is None or (known := kept.answer) is None:
        told = {"title": "No such link", "why": "It has ended, or there never was one.", "login": False}
        return page("refused.html", status=HTTPStatus.NOT_FOUND, headers=headers, **told)
    return page(
        "shared.html",
        headers=headers,
        entry=kept.entry, answer=as_json(known), charts=_pictures(known.chart), embedded=embedded, most=ROWS,
    )  # fmt: skip


def _pictures(chart: Chart | None) -> dict[Theme, str]:
    """The chart in light and dark, as addresses that hold the whole picture."""
    themes: tuple[Theme, ...] = ("light", "dark") if chart else ()
    try:
        return {
            theme: f"data:image/svg+xml;base64,{b64encode(drawn(chart, '', theme).encode()).decode()}"
            for theme in themes
            if chart is not None
        }
    except MissingExtra:
        return {}
