"""The web app as one ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route

from fathom.answering.store import AnswerNotFound, Standing
from fathom.authoring.annotation.records import NotInReview, ReviewRefused
from fathom.errors import FathomError, InputErrors, RightsError, SchemaError, UnknownName
from fathom.interfaces.web.access import Access, RequestRefused, problem, wants_json
from fathom.interfaces.web.assistants import PATH, Assistants
from fathom.interfaces.web.desk import Desk
from fathom.interfaces.web.following import Following
from fathom.interfaces.web.html import page
from fathom.interfaces.web.jobs import Busy, Jobs, log
from fathom.interfaces.web.metrics import CountedStore, Metrics, RequestCounter
from fathom.interfaces.web.pages import ROUTERS
from fathom.interfaces.web.scheduler import Scheduler
from fathom.interfaces.web.shared_jobs import SharedJobs
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.trials import TrialNotFound, Trials
from fathom.knowledge.lessons import LessonContradicted, LessonNotFound
from fathom.text import without_secrets

_TITLES = {
    HTTPStatus.BAD_REQUEST: "That can't be done",
    HTTPStatus.UNPROCESSABLE_ENTITY: "That can't be used",
}
"""Where the words of HTTP would say that a person asked badly."""
_STATUS: dict[type[Exception], HTTPStatus] = {
    AnswerNotFound: HTTPStatus.NOT_FOUND,
    LessonNotFound: HTTPStatus.NOT_FOUND,
    TrialNotFound: HTTPStatus.NOT_FOUND,
    LessonContradicted: HTTPStatus.CONFLICT,
    UnknownName: HTTPStatus.NOT_FOUND,
    NotInReview: HTTPStatus.NOT_FOUND,
    ReviewRefused: HTTPStatus.CONFLICT,
    SchemaError: HTTPStatus.NOT_FOUND,
    RightsError: HTTPStatus.FORBIDDEN,
    Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    FathomError: HTTPStatus.BAD_REQUEST,
}


def make_app(site: Site, following: Following | None = None) -> FastAPI:
    """The pages and their JSON twins of a site. Its description is at `/openapi.json`.

    The files that administration changes are those that are followed; without them nothing is changed.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.jobs = jobs = Jobs(CountedStore(site.store, metrics), lambda answer: answer.ending.value)
        for standing in (Standing.WAITING, Standing.WORKING):
            metrics.watch_jobs(standing, partial(jobs.count, standing))
        app.state.shared = shared = SharedJobs(site, jobs)
        await shared.begin()
        scheduler = Scheduler(site, jobs)
        if not site.user:
            await scheduler.begin()
        app.state.trials = Trials()
        await asyncio.to_thread(desk.begin)
        yield
        await scheduler.close()
        await shared.close()
        await app.state.jobs.close()
        await app.state.trials.jobs.close()
        await assistants.close()
        await asyncio.to_thread(desk.close)
        site.close()

    app = FastAPI(
        title="Fathom",
        description="Ask databases in plain language, with evidence. Every page of the web app as JSON.",
        docs_url=None,  # these two load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.site, app.state.following = site, following
    app.state.metrics = metrics = Metrics()
    app.state.desk = desk = Desk(site.settings)
    assistants = Assistants(site)
    app.router.routes.append(Route(PATH, assistants))
    for router in ROUTERS:
        app.include_router(router)
    for error, handler in (
        (FathomError, _told),
        (RequestRefused, _refused),
        (HTTPException, _http_error),
        (RequestValidationError, _not_valid),
        (Exception, _failed),
    ):
        app.add_exception_handler(error, handler)  # type: ignore[arg-type]
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    app.add_middleware(Access, site=site, desk=desk)
    app.add_middleware(RequestCounter, metrics=metrics)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]  # slow to make, and rarely asked for
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The description of the API, with what lets programs in."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    described = FastAPI.openapi(app)
    described.setdefault("components", {})["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"}
    }
    described["security"] = [{"token": []}]
    return described


def _told(request: Request, error: FathomError) -> Response:
    status = next(s for kind, s in _STATUS.items() if isinstance(error, kind))
    problems = [without_secrets(str(p)) for p in error.problems] if isinstance(error, InputErrors) else []
    headers = {"retry-after": "5"} if isinstance(error, Busy) else {}
    fault = type(error).__name__, without_secrets(str(error))
    return _answer(request, status, fault, problems=problems, headers=headers)


def _refused(request: Request, error: RequestRefused) -> Response:
    return _answer(request, error.status, ("Refused", error.why), headers=error.headers)


def _http_error(request: Request, error: HTTPException) -> Response:
    status = HTTPStatus(error.status_code)
    why = "There is no such page." if status is HTTPStatus.NOT_FOUND else str(error.detail)
    return _answer(request, status, (status.phrase.replace(" ", ""), why), headers=error.headers)


def _not_valid(request: Request, error: RequestValidationError) -> Response:
    problems = [
        f"{'.'.join(str(part) for part in one['loc'][1:]) or 'request'}: {one['msg']}"
        for one in error.errors()
    ]
    fault = "NotValid", "That can't be used."
    return _answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, fault, problems=problems)


def _failed(request: Request, error: Exception) -> Response:
    log.error("%s %s failed: %s", request.method, request.url.path, type(error).__name__)  # uvicorn tells all
    why = "Something went wrong here. The log of the server tells more."
    return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, ("Failed", why))


def _answer(
    request: Request,
    status: HTTPStatus,
    fault: tuple[str, str],
    *,
    problems: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error as who asks wants it; `fault` is its kind and its message."""
    if wants_json(request.scope):
        return JSONResponse(problem(*fault, problems), status, headers=headers)
    return page(
        "error.html",
        status=status,
        headers=headers,
        title=_TITLES.get(status, status.phrase),
        why=fault[1],
        problems=problems,
        site=request.app.state.site,
        path=request.url.path,
    )
