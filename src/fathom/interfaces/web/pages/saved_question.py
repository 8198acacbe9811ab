"""One saved question: its answer, and the form for the values that it asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.answering import as_json
from fathom.answering.parameters import (
    MOST_PARAMETERS,
    NAME_LETTERS,
    VALUE_LETTERS,
    ConditionValue,
    ParameterKind,
    SavedParameter,
    checked,
    condition_values,
)
from fathom.answering.saved_queries import query_of, values_of
from fathom.answering.store import Origin, Saved
from fathom.errors import InputError
from fathom.interfaces.web.pages.ask import Begin, OfRequest
from fathom.interfaces.web.pages.schedules import ScheduleShown, schedules_of
from fathom.interfaces.web.routes import FAULTS, ActionDone, OfSite, done, shown
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.work import AnswerJob
from fathom.records import Question

router = APIRouter(tags=["saved"])
PREFIX = "v."
"""Before the names of values in addresses and forms, so that none is a field of the page."""
MOST_CHOICES = 20


@dataclass(frozen=True, slots=True)
class SavedCard:
    """A saved question with its answer as it was given last."""

    saved: Saved
    answer: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A value as the form asks for it. `choices` are the column's values, where it has few."""

    name: str
    key: str
    kind: ParameterKind
    value: str
    choices: Sequence[str]


@dataclass(frozen=True, slots=True)
class ParameterPlace:
    """A value in a condition of the query that may be asked for, with the name that it has, if it is."""

    value: ConditionValue
    name: str
    kind: ParameterKind


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A saved question. `card` has the answer for the values in the form, null where there is none.

    `given` says that the address names values; `places` are those that the query could ask for;
    `destinations` the names of where its answers may be sent.
    """

    saved: Saved
    card: SavedCard | None
    fields: Sequence[ParameterField]
    given: bool
    places: Sequence[ParameterPlace]
    schedules: Sequence[ScheduleShown]
    destinations: Sequence[str]


@shown(router, "/saved/{slug}", "saved_question.html")
def saved_question(site: OfSite, request: Request, slug: str) -> SavedPage:
    """A saved question with its answer, or the one for the values in the address; looking runs nothing."""
    saved = site.store.saved(slug)
    asked = values_in(request.query_params)
    given = {p.name: asked[p.name] for p in saved.parameters if p.name in asked}
    values = {p.name: given.get(p.name, p.value) for p in saved.parameters}
    return SavedPage(
        saved,
        card_for(site, saved, values if given else {}),
        [field_for(site, saved, p, values[p.name]) for p in saved.parameters],
        bool(given),
        _places(site, saved),
        schedules_of(site, saved),
        list(site.settings.destinations) if site.may_link else [],
    )


def values_in(form: Mapping[str, Any]) -> dict[str, str]:
    """The values that stand in an address or a form, by their names."""
    return {n.removeprefix(PREFIX): str(v)[:VALUE_LETTERS] for n, v in form.items() if n.startswith(PREFIX)}


def card_for(site: Site, saved: Saved, values: Mapping[str, str]) -> SavedCard | None:
    """The saved question with its answer for these values, or its own; None where these weren't asked for."""
    if not values:
        return card(site, saved)
    found = site.store.find(site.store.filled.answer(saved.slug, values))
    return None if found is None else card(site, replace(saved, entry=found))


def card(site: Site, saved: Saved) -> SavedCard:
    """A saved question with its answer."""
    known = site.store.get(saved.entry.id).answer
    return SavedCard(saved, as_json(known) if known else None)


def field_for(site: Site, saved: Saved, parameter: SavedParameter, value: str) -> ParameterField:
    """A parameter as a form asks for it, with a value in it."""
    choices = _choices(site, saved.entry.database, parameter) if parameter.kind == "choice" else []
    if choices and value not in choices:
        choices = [value, *choices]
    return ParameterField(parameter.name, f"{PREFIX}{parameter.name}", parameter.kind, value, choices)


def _choices(site: Site, database: str, parameter: SavedParameter) -> list[str]:
    """The values of a parameter's column, as they were seen; none where they are many."""
    if site.looked_at(database) is None:
        return []
    looked, _ = site.profile(database)
    table = (looked or {}).get(parameter.table)
    column = table.columns.get(parameter.column) if table else None
    if column is None or column.distinct is None or column.distinct > min(len(column.common), MOST_CHOICES):
        return []
    return sorted((str(value) for value, _ in column.common), key=str.casefold)


def _places(site: Site, saved: Saved) -> list[ParameterPlace]:
    sql, asking = saved.sql or saved.entry.sql, site.looked_at(saved.entry.database)
    if not sql or asking is None:
        return []
    known = {p.place: p for p in saved.parameters}
    return [
        ParameterPlace(v, known[v.place].name, known[v.place].kind)
        if v.place in known
        else ParameterPlace(v, "", v.kind)
        for v in condition_values(sql, asking.database.schema)
    ]


# Defining


class NamedValues(BaseModel):
    """The values that a saved question asks for: places in its query, each with a name and a kind.

    A place without a name keeps its value. A text may be given as a choice among its column's values.
    """

    place: list[Annotated[int, Field(ge=0, le=100_000)]] = Field([], max_length=200)
    name: list[Annotated[str, Field(max_length=NAME_LETTERS)]] = Field([], max_length=200)
    kind: list[ParameterKind] = Field([], max_length=200)


@done(router, "/saved/{slug}/parameters")
async def define_parameters(site: OfSite, slug: str, body: NamedValues) -> ActionDone:
    """Let a saved question ask for values of its conditions; for none where none has a name."""
    saved = site.store.saved(slug)
    database = await run_in_threadpool(site.database, saved.entry.database)
    sql = saved.sql or saved.entry.sql
    known = {v.place: v for v in condition_values(sql, database.schema)}
    if not len(body.place) == len(body.name) == len(body.kind):
        raise InputError("each place has one name and one kind")
    wanted = [
        (p, n.strip(), k) for p, n, k in zip(body.place, body.name, body.kind, strict=True) if n.strip()
    ]
    names = [name.casefold() for _, name, _ in wanted]
    if len(set(names)) < len(names):
        raise InputError("each value needs a name of its own")
    if len(wanted) > MOST_PARAMETERS:
        raise InputError(f"a form has at most {MOST_PARAMETERS} values")
    if strange := [place for place, _, _ in wanted if place not in known]:
        raise InputError(f"the query has no value at place {strange[0]}")
    site.store.filled.define(slug, sql, [_parameter(known[p], n, k) for p, n, k in wanted])
    return ActionDone(f"/saved/{slug}", saved.entry.id)


def _parameter(found: ConditionValue, name: str, kind: ParameterKind) -> SavedParameter:
    kind = found.kind if found.kind == "number" and kind != "choice" else kind
    checked("text" if kind == "choice" else kind, found.value)  # a kind that its own value isn't of fits none
    return SavedParameter(name, kind, found.place, found.value, found.table, found.column, found.said)


# Asking


ValueName = Annotated[str, Field(max_length=NAME_LETTERS)]
ValueText = Annotated[str, Field(max_length=VALUE_LETTERS)]


class GivenValues(BaseModel):
    """Values by the names of a saved question's parameters; those left out are as when it was saved."""

    values: dict[
        Annotated[str, Field(max_length=NAME_LETTERS)], Annotated[str, Field(max_length=VALUE_LETTERS)]
    ]


@router.post("/api/saved/{slug}/ask", response_model=ActionDone, status_code=201, responses=FAULTS)
async def ask_with_values(site: OfSite, begin: OfRequest, slug: str, body: GivenValues) -> ActionDone:
    """Ask a saved question with other values of the data as they are now."""
    begin.check()
    return await ask_saved(site, begin, site.store.saved(slug), body.values)


@router.post("/saved/{slug}/ask", include_in_schema=False)
async def ask_with_form(site: OfSite, request: Request, begin: OfRequest, slug: str) -> Response:
    """The same by a form; what it leads to holds the values in its address."""
    begin.check()
    given = values_in(await request.form())
    made = await ask_saved(site, begin, site.store.saved(slug), given)
    return RedirectResponse(made.url, 303)


async def ask_saved(
    site: Site, begin: Begin, saved: Saved, given: Mapping[str, str], *, behind: bool = False
) -> ActionDone:
    """Ask a saved question with values; those of no parameter of its are refused. Raises `InputError`."""
    if not saved.parameters:
        raise InputError("this saved question asks for no values")
    values = values_of(saved, given)
    dialect = (await run_in_threadpool(site.database, saved.entry.database)).dialect
    sql = query_of(saved, dialect, values)
    question = Question(f"{saved.title}: {', '.join(f'{name} {value}' for name, value in values.items())}")
    entry, _ = site.store.begin(question, saved.entry.database, origin=Origin.EDITED, sql=sql)
    site.store.filled.keep(saved.slug, values, entry.id)
    made = begin.start(AnswerJob(sql), entry, behind=behind)
    return replace(made, url=address_of(saved, values))


def address_of(saved: Saved, values: Mapping[str, str]) -> str:
    """The address of a saved question with values."""
    query = urlencode({f"{PREFIX}{name}": value for name, value in values.items()})
    return f"/saved/{saved.slug}{'?' if query else ''}{query}"
