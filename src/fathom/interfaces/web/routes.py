"""Every page twice, as HTML and as JSON, from one function; every form likewise."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from fathom.interfaces.web.html import page
from fathom.interfaces.web.site import Site

Gather = Callable[..., Any]


class Fault(BaseModel):
    """A fault: `kind` for programs, `message` for people, `problems` one by one."""

    kind: str
    message: str
    problems: list[str] = []


class ErrorReply(BaseModel):
    """Every error as JSON."""

    error: Fault


FAULTS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 409, 413, 421, 422, 429, 503)
}


@dataclass(frozen=True, slots=True)
class ActionDone:
    """Something was done; `url` is the page that shows what came of it, `id` the answer if there is one."""

    url: str
    id: str = ""


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    found: Site = request.app.state.site
    return found


OfSite = Annotated[Site, Depends(site_of)]


def shown(router: APIRouter, path: str, template: str) -> Callable[[Gather], Gather]:
    """Show what a function gathers: as a page at `path`, and as JSON at `/api` + `path`."""

    def register(gather: Gather) -> Gather:
        gathered = Depends(gather)

        def html(request: Request, content: Any = gathered) -> Response:
            path, query = request.url.path, request.url.query
            return page(template, content=content, site=site_of(request), path=path, query=query)

        def json(content: Any = gathered) -> Any:
            return content

        made = get_type_hints(gather, include_extras=True)["return"]
        router.get(path, include_in_schema=False)(html)
        router.get(
            f"/api{path.rstrip('/')}" if path != "/" else "/api/home",
            response_model=made,
            responses=FAULTS,
            name=gather.__name__.replace("_", " "),
            description=inspect.getdoc(gather),
        )(json)
        return gather

    return register


def done(router: APIRouter, path: str) -> Callable[[Gather], Gather]:
    """Let a function do something: by a form at `path`, which leads on, and by JSON at `/api` + `path`."""

    def register(perform: Gather) -> Gather:
        hints = get_type_hints(perform, include_extras=True)

        def body_of(parameter: inspect.Parameter) -> type[BaseModel] | None:
            hint = hints[parameter.name]
            return hint if isinstance(hint, type) and issubclass(hint, BaseModel) else None

        def annotated(parameter: inspect.Parameter) -> inspect.Parameter:
            body, hint = body_of(parameter), hints[parameter.name]
            return parameter.replace(annotation=hint if body is None else Annotated[body, Form()])

        def with_default(parameter: inspect.Parameter) -> inspect.Parameter:
            """A body without fields needn't be sent."""
            body = body_of(parameter)
            needed = body is None or body.model_fields
            default = parameter.default if needed or body is None else body()
            return parameter.replace(default=default, kind=inspect.Parameter.KEYWORD_ONLY)

        @wraps(perform)
        async def json(**given: Any) -> Any:
            return await perform(**given)

        @wraps(perform)
        async def form(**given: Any) -> Response:
            made = await perform(**given)
            return RedirectResponse(made.url, HTTPStatus.SEE_OTHER)

        signature = inspect.signature(perform)
        parameters = [annotated(p) for p in signature.parameters.values()]
        form.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        parameters = [with_default(p) for p in signature.parameters.values()]
        json.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        router.post(path, include_in_schema=False)(form)
        router.post(
            f"/api{path}",
            response_model=ActionDone,
            status_code=HTTPStatus.CREATED,
            responses=FAULTS,
            name=perform.__name__.replace("_", " "),
            description=inspect.getdoc(perform),
        )(json)
        return perform

    return register


def proposed(router: APIRouter, path: str, template: str, leads_to: str) -> Callable[[Gather], Gather]:
    """Let a function propose a change: by a form at `path` that is shown again until it is written.

    What was typed stays in it. Once it is written, the form leads on; the same by JSON at `/api` + `path`.
    """

    def register(propose: Gather) -> Gather:
        (body,) = (
            hint
            for hint in get_type_hints(propose, include_extras=True).values()
            if isinstance(hint, type) and issubclass(hint, BaseModel)
        )

        async def form(request: Request, site: OfSite, draft: Annotated[body, Form()]) -> Response:  # type: ignore[valid-type]
            made = await run_in_threadpool(propose, request, draft)
            if made.change.written:
                return RedirectResponse(leads_to, HTTPStatus.SEE_OTHER)
            status = HTTPStatus.UNPROCESSABLE_ENTITY if made.change.problems else HTTPStatus.OK
            return page(template, status=status, content=made, site=site, path=request.url.path)

        async def json(request: Request, draft: body) -> Any:  # type: ignore[valid-type]
            return await run_in_threadpool(propose, request, draft)

        router.post(path, include_in_schema=False)(form)
        router.post(
            f"/api{path}",
            response_model=get_type_hints(propose)["return"],
            responses=FAULTS,
            name=propose.__name__.replace("_", " "),
            description=inspect.getdoc(propose),
        )(json)
        return propose

    return register


def attached(id: str, ending: str) -> dict[str, str]:
    """Headers of a file to keep, such as `fathom-ID.csv`."""
    return {"content-disposition": f'attachment; filename="fathom-{id}.{ending}"'}
