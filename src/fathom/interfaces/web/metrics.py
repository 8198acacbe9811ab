"""Measurements of a server for its operator, in Prometheus' text form, and a log line for each request.

Neither tells what was asked, of what, or by whom: labels are the routes' own patterns, never paths.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.answering.store import Standing, Store
from fathom.records import Answer

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
REQUEST_SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30)
ANSWER_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 100, 300)
"""Upper ends of the histograms' classes: pages take hundredths of seconds, answers by models minutes."""
_NO_ROUTE = "none"
_requests = logging.getLogger("fathom.requests")


class Metrics:
    """The counts of one process since it started."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        made = partial(Counter, registry=self._registry)
        self._requests = made("fathom_requests", "Requests answered.", ["method", "route", "status"])
        self._seconds = Histogram(
            "fathom_request_seconds", "Seconds until a request was answered whole.", ["route"],
            buckets=REQUEST_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._answers = made("fathom_answers", "Questions worked on, by how that ended.", ["ending"])
        self._answer_seconds = Histogram(
            "fathom_answer_seconds", "Seconds of work on a question.",
            buckets=ANSWER_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._tokens = made("fathom_model_tokens", "Tokens that models read and wrote.", ["kind"])
        self._dollars = made("fathom_model_dollars", "What models cost, in US$, where their price is known.")
        self._jobs = Gauge("fathom_jobs", "Questions that wait or are worked on.", ["standing"],
                           registry=self._registry)  # fmt: skip

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_answer(self, ending: str, seconds: float) -> None:
        """Work on one question has ended."""
        self._answers.labels(ending).inc()
        self._answer_seconds.observe(seconds)

    def count_usage(self, answer: Answer) -> None:
        """Add the usage of an answer's models."""
        used = answer.trace.usage
        self._tokens.labels("prompt").inc(used.prompt_tokens)
        self._tokens.labels("completion").inc(used.completion_tokens)
        self._dollars.inc(float(used.cost_usd or 0))

    def watch_jobs(self, standing: Standing, count: Callable[[], int]) -> None:
        """Have the number of questions that stand so asked for whenever somebody looks."""
        self._jobs.labels(standing.value).set_function(count)

    def text(self) -> bytes:
        """All of it, in Prometheus' text form."""
        return generate_latest(self._registry)


class CountedStore:
    """The store, as those use it that keep answers; counts what it keeps."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store, self._metrics = store, metrics

    def working(self, id: str) -> None:
        """Work has begun."""
        self._store.working(id)

    def finish(self, id: str, answer: Answer, *, seconds: float, state: str = "") -> None:
        """This was found."""
        self._store.finish(id, answer, seconds=seconds, state=state)
        self._metrics.count_answer(answer.ending.value, seconds)
        self._metrics.count_usage(answer)

    def fail(self, id: str, standing: Standing, why: str, *, seconds: float) -> None:
        """Nothing was found; a question that only this server's end interrupts is left to others."""
        if standing is Standing.INTERRUPTED and self._store.shared.hand_over(id):
            return
        self._store.fail(id, standing, why, seconds=seconds)
        self._metrics.count_answer(standing.value, seconds)


class RequestCounter:
    """ASGI middleware around everything: counts requests and logs them."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and note what came of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            seconds = time.perf_counter() - started
            method, route = _method(scope), _route(scope)
            self._metrics.count_request(method, route, status, seconds)
            told = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
            _requests.info("%s %s %s", method, route, status, extra={"fields": told})


def _route(scope: Scope) -> str:
    """The pattern that a request's path fits: paths hold the names of databases and answers."""
    route: Any = scope.get("route")
    return str(getattr(route, "path", _NO_ROUTE))


def _method(scope: Scope) -> str:
    """The method, of those that there are: a label is never what somebody made up."""
    return scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other"
