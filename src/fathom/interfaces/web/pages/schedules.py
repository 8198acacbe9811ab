"""Schedules of a saved question: when it is asked, where its answer is sent, and what it waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from fathom.answering.due_times import Every
from fathom.answering.store import Saved
from fathom.answering.store.schedules import Needs, Schedule, Sending
from fathom.errors import InputError, UnknownName
from fathom.interfaces.web.pages.answer import Nothing
from fathom.interfaces.web.routes import ActionDone, OfSite, done
from fathom.interfaces.web.site import Site

router = APIRouter(tags=["saved"])
ScheduleNumber = Annotated[int, Path(ge=1, le=2**63 - 1)]
"""As the store counts them; SQLite has no greater numbers."""
MOST_SCHEDULES = 10
"""Of one saved question."""


@dataclass(frozen=True, slots=True)
class ScheduleShown:
    """A schedule, and what became of its latest due times."""

    schedule: Schedule
    at: str
    sendings: Sequence[Sending]


def schedules_of(site: Site, saved: Saved) -> list[ScheduleShown]:
    """The schedules of a saved question."""
    found = site.store.schedules
    return [
        ScheduleShown(s, f"{s.minute // 60:02}:{s.minute % 60:02}", found.sendings(s.number))
        for s in found.of(saved.slug)
    ]


class NewSchedule(BaseModel):
    """When a saved question is asked, in UTC; where its answer goes; what it waits for.

    `needs` is always, rows (there are any), over or under (a number of the column `heading`, or of any where
    that is empty, is over or under `bound`). `weekday` counts from Monday, 0.
    """

    destination: str = Field(min_length=1, max_length=100)
    every: Every = "day"
    at: str = Field("07:00", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    weekday: int = Field(0, ge=0, le=6)
    needs: Needs = "always"
    heading: str = Field("", max_length=300)
    bound: float = 0.0


@done(router, "/saved/{slug}/schedules")
async def add_schedule(site: OfSite, slug: str, body: NewSchedule) -> ActionDone:
    """Let a saved question be asked and its answer sent from here on."""
    saved = site.store.saved(slug)
    if not site.may_link:
        raise InputError("your rights let you see answers, not send them")
    if body.destination not in site.settings.destinations:
        raise UnknownName("destination", body.destination, site.settings.destinations)
    if not saved.sql and not saved.entry.sql:
        raise InputError("there is no query to ask again: this question has no answer")
    if not isfinite(body.bound):
        raise InputError("the bound is no number")
    if len(site.store.schedules.of(slug)) >= MOST_SCHEDULES:
        raise InputError(f"a saved question has at most {MOST_SCHEDULES} schedules")
    hour, minute = body.at.split(":")
    site.store.schedules.add(
        slug, body.destination, every=body.every, minute=60 * int(hour) + int(minute), weekday=body.weekday,
        needs=body.needs, heading=body.heading, bound=body.bound,
    )  # fmt: skip
    return ActionDone(f"/saved/{slug}")


@done(router, "/saved/{slug}/schedules/{number}/now")
async def send_now(site: OfSite, slug: str, number: ScheduleNumber, body: Nothing) -> ActionDone:
    """Let a schedule be due now, beside its times."""
    site.store.schedules.be_due(slug, number)
    return ActionDone(f"/saved/{slug}")


@done(router, "/saved/{slug}/schedules/{number}/remove")
async def remove_schedule(site: OfSite, slug: str, number: ScheduleNumber, body: Nothing) -> ActionDone:
    """Send a saved question so no more."""
    site.store.schedules.remove(slug, number)
    return ActionDone(f"/saved/{slug}")
