"""The tools of NCBI, UniProt and Ensembl: a form for each endpoint, made from its parameters; questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.answering.calls import CITATIONS, AnswerCall, ToolAnswer, call
from fathom.answering.facts import MOST_FACTS, facts_of
from fathom.biotools.catalogue import Endpoint, Parameter, check, endpoint, endpoints, search
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import CallRefused, InputError, ToolError
from fathom.interfaces.web.html import page
from fathom.interfaces.web.pages.ask import OfRequest
from fathom.interfaces.web.routes import FAULTS, OfSite, shown
from fathom.interfaces.web.site import QUESTION_LETTERS, Site
from fathom.text import without_secrets

router = APIRouter(tags=["tools"])
ARGUMENT_LETTERS = 20_000
EXAMPLES = (
    "Which phenotypes are associated with the gene BRCA2 in human?",
    "What is the protein sequence of the mouse orthologue of human BRCA2?",
)
_ARGUMENT = "argument."
"""Before the names of arguments in forms, so that none of them is taken for something else."""
Name = Annotated[str, Path(max_length=100)]


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One endpoint in a list."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """The endpoints of one tool of a provider."""

    provider: str
    tool: str
    endpoints: Sequence[ToolLine]


@dataclass(frozen=True, slots=True)
class ToolsPage:
    """The endpoints, all of them or those that fit the words. `found` counts them.

    `made_up` says here and below that the records are those of the demo, not of the services.
    """

    words: str
    found: int
    groups: Sequence[ToolGroup]
    examples: Sequence[str]
    notes: Sequence[str]
    made_up: bool


@shown(router, "/tools", "tools.html")
def tools_page(site: OfSite, q: Annotated[str, Query(max_length=QUESTION_LETTERS)] = "") -> ToolsPage:
    """The endpoints of NCBI, UniProt and Ensembl."""
    found = search(q) if q.strip() else list(endpoints().values())
    places = {(e.provider, e.tool): number for number, e in reversed(list(enumerate(found)))}
    found = sorted(found, key=lambda e: places[e.provider, e.tool])
    groups = [
        ToolGroup(provider, tool, [ToolLine(e.name, e.summary) for e in these])
        for (provider, tool), these in groupby(found, key=lambda e: (e.provider, e.tool))
    ]
    return ToolsPage(q, len(found), groups, EXAMPLES, *_origin(site, (e.service for e in found)))


def _origin(site: Site, services: Iterable[str]) -> tuple[list[str], bool]:
    """Where another server answers in place of a public service, and whether the demo's records are shown."""
    client = site.tools
    told = [text for s in dict.fromkeys(services) if client and (text := client.stand_in(s))]
    return ([], bool(told)) if site.rules.is_demo else (told, False)


@dataclass(frozen=True, slots=True)
class ArgumentField:
    """One argument as a form asks for it: a choice where there are few, else a text as `example` shows."""

    name: str
    about: str
    takes: str
    required: bool
    choices: Sequence[str]
    example: str


@dataclass(frozen=True, slots=True)
class Called:
    """The result of a call. `facts` are read from the observation; `kept` means an answer from lately."""

    url: str
    facts: Sequence[str]
    observation: Any
    left_out: Sequence[str]
    citation: str
    kept: bool
    made_up: bool


@dataclass(frozen=True, slots=True)
class ToolPage:
    """One endpoint with its form, and what stands in it."""

    name: str
    provider: str
    tool: str
    summary: str
    method: str
    path: str
    arguments: Sequence[ArgumentField]
    example: Mapping[str, str]
    notes: Sequence[str]
    made_up: bool
    given: Mapping[str, str] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    called: Called | None = None


@shown(router, "/tools/{name}", "tool.html")
def tool_page(site: OfSite, request: Request, name: Name) -> ToolPage:
    """An endpoint, with a form that what stands in the address fills; looking at it calls nothing."""
    known = endpoint(name)
    given = {
        n: v[:ARGUMENT_LETTERS] for n, v in request.query_params.items() if n in known.callable_parameters
    }
    return _page(site, known, given)


def _page(site: Site, known: Endpoint, given: Mapping[str, str]) -> ToolPage:
    return ToolPage(
        known.name, known.provider, known.tool, known.summary, known.method, known.path,
        [_argument(p, known.example.get(p.name)) for p in known.callable_parameters.values()],
        {name: _text(value) for name, value in known.example.items()},
        *_origin(site, [known.service]), given,
    )  # fmt: skip


def _argument(parameter: Parameter, example: Any) -> ArgumentField:
    choices = [_text(v) for v in parameter.enum] or (["true", "false"] if parameter.type == "boolean" else [])
    takes = [parameter.kind.replace("_", " ") if parameter.kind else "" if choices else parameter.type]
    if parameter.items_enum:
        takes = ["one or more of " + ", ".join(parameter.items_enum)]
    if parameter.minimum is not None:
        takes.append(f"from {parameter.minimum:g}")
    if parameter.maximum is not None:
        takes.append(f"up to {parameter.maximum:g}")
    if parameter.default is not None:
        takes.append(f"{_text(parameter.default)} unless set")
    shown_example = example if example is not None else next(iter(parameter.examples), "")
    return ArgumentField(
        parameter.name, parameter.description, ", ".join(t for t in takes if t), parameter.required,
        choices, _text(shown_example),
    )  # fmt: skip


def _text(value: Any) -> str:
    """A value as a form holds it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


# Calling


class Arguments(BaseModel):
    """The arguments of a call by their names; those that are empty aren't sent."""

    arguments: dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=ARGUMENT_LETTERS)]]


def _call(site: Site, name: str, given: Mapping[str, str]) -> Called:
    client, checked = _client(site), check(name, {n: v for n, v in given.items() if v.strip()})
    response = client.make(checked)
    found = observe(response)
    facts = [f.text for f, _ in zip(facts_of(found.content), range(MOST_FACTS), strict=False)]
    service = checked.endpoint.service
    _, made_up = _origin(site, [service])
    citation = "" if made_up else CITATIONS[service]
    return Called(response.url, facts, found.content, found.left_out, citation, response.from_cache, made_up)


def _client(site: Site) -> Client:
    if site.tools is None:
        raise InputError("there are no tools here")
    return site.tools


@router.post("/api/tools/{name}", response_model=Called, responses=FAULTS, name="call tool")
def call_tool(site: OfSite, begin: OfRequest, name: Name, body: Arguments) -> Any:
    """Call an endpoint. Arguments are checked first; nothing is sent when one is wrong."""
    begin.check()
    return _call(site, endpoint(name).name, body.arguments)


@router.post("/tools/{name}", include_in_schema=False)
async def call_tool_form(site: OfSite, request: Request, begin: OfRequest, name: Name) -> Response:
    """The same by a form, which is shown again with what the call gave, or what is wrong."""
    begin.check()
    form = await request.form()
    given = {n.removeprefix(_ARGUMENT): str(v) for n, v in form.items() if n.startswith(_ARGUMENT)}
    shown_page = _page(site, endpoint(name), given)
    try:
        called = await run_in_threadpool(_call, site, name, given)
        shown_page = replace(shown_page, called=called)
    except CallRefused as error:
        shown_page = replace(shown_page, problems=error.problems)
    except ToolError as error:
        shown_page = replace(shown_page, problem=without_secrets(str(error)))
    return page("tool.html", content=shown_page, site=site, path=request.url.path)


# Asking


class ToolQuestion(BaseModel):
    """A question to the tools, in plain language."""

    question: str = Field(min_length=1, max_length=QUESTION_LETTERS)


@dataclass(frozen=True, slots=True)
class CallLine:
    """One call that was made for an answer; `problem` says why it gave nothing."""

    endpoint: str
    arguments: Mapping[str, str]
    assumed: Mapping[str, str]
    url: str
    facts: Sequence[str]
    observation: Any
    problem: str


@dataclass(frozen=True, slots=True)
class ToolsReply:
    """The tools' answer to a question; `declined` where they have none."""

    question: str
    answer: str
    declined: bool
    confidence: float
    calls: Sequence[CallLine]
    notes: Sequence[str]
    citations: Sequence[str]
    made_up: bool


def _ask(site: Site, question: str) -> ToolsReply:
    client = _client(site)
    given: ToolAnswer = call(question.strip(), client=client, model=site.model)
    asked = [endpoint(one.endpoint).service for one in given.calls]
    _, made_up = _origin(site, asked)
    stand_ins = {client.stand_in(service) for service in asked} if made_up else set()
    return ToolsReply(
        question, given.text, given.refusal is not None, given.confidence,
        [_line(one) for one in given.calls], [without_secrets(n) for n in given.notes if n not in stand_ins],
        [] if made_up else list(dict.fromkeys(one.citation for one in given.calls if one.citation)), made_up,
    )  # fmt: skip


def _line(one: AnswerCall) -> CallLine:
    return CallLine(
        one.endpoint,
        {n: _text(v) for n, v in one.arguments.items()},
        {n: _text(v) for n, v in one.assumed.items()},
        one.url,
        [fact.text for fact in one.facts],
        one.observation.content if one.observation else None,
        without_secrets(one.problem),
    )


@router.post("/api/tools", response_model=ToolsReply, responses=FAULTS, name="ask tools")
def ask_tools(site: OfSite, begin: OfRequest, body: ToolQuestion) -> Any:
    """Answer a question by calls of NCBI, UniProt or Ensembl."""
    begin.check()
    if not body.question.strip():
        raise InputError("there are no words in the question")
    return _ask(site, body.question)


@router.post("/tools", include_in_schema=False)
async def ask_tools_form(
    site: OfSite, request: Request, begin: OfRequest, body: Annotated[ToolQuestion, Form()]
) -> Response:
    """The same by a form."""
    begin.check()
    if not body.question.strip():
        raise InputError("there are no words in the question")
    reply = await run_in_threadpool(_ask, site, body.question)
    return page("tool_answer.html", content=reply, site=site, path="/tools")
