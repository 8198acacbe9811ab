"""One client for the three providers: polite, patient, and bounded in time and memory."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from fathom.biotools.catalogue import SERVICES, EndpointCall, HttpRequest, check, request_for
from fathom.biotools.client.options import ClientOptions, read_options
from fathom.biotools.client.pace import RequestSpacing
from fathom.biotools.client.response import ApiResponse, failure, told_inside
from fathom.biotools.client.store import ResponseStore
from fathom.errors import (
    CallFailed,
    RequestRejected,
    ResponseTooLarge,
    ServiceDown,
)

if TYPE_CHECKING:
    import httpx2
    from tenacity import RetryCallState

T = TypeVar("T")
Begun: TypeAlias = "tuple[httpx2.Response, bytes, Iterator[bytes]]"
REDIRECTS = 3

MARGIN = 1.05
"""How much further apart requests start than the rate allows, since networks deliver unevenly."""

KEPT_HEADERS = ("content-type", "x-total-results", "link", "x-uniprot-release", "last-modified")

Progress = Callable[[str], None]


def _silent(_: str) -> None: ...


class Client:
    """Makes checked calls. Safe from several threads; close it, or use it as a context manager.

    Rates are kept together with every other client of the same `options.folder`.
    """

    def __init__(self, options: ClientOptions | None = None) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        import httpx2  # noqa: PLC0415, only calling needs it

        self.options = options or read_options()
        self._paces = {
            service: RequestSpacing(self.options.folder, service, MARGIN / self.options.rate(service))
            for service in ("eutils", "blast", "uniprot", "ensembl")
        }
        self._store = ResponseStore(
            self.options.folder / "responses.sqlite", seconds=self.options.keep_seconds
        )
        contact = f"; mailto:{self.options.email}" if self.options.email else ""
        self._http = httpx2.Client(
            timeout=self.options.timeout,
            headers={
                "User-Agent": f"fathom/{version('askfathom')} (askfathom{contact})",
                "Accept-Encoding": "gzip",
            },
        )

    def stand_in(self, service: str) -> str:
        """Name the address that answers in place of the public service; "" for the public one."""
        base, public = self.options.base(service), SERVICES[service]
        return "" if base == public else f"Answered by {base}, not by {public}."

    def call(
        self, name: str, arguments: Mapping[str, Any], *, fresh: bool = False, progress: Progress = _silent
    ) -> ApiResponse:
        """Check and make a call by its endpoint's name. Raises `CallRefused` before, `CallFailed` after."""
        return self.make(check(name, arguments), fresh=fresh, progress=progress)

    def make(self, call: EndpointCall, *, fresh: bool = False, progress: Progress = _silent) -> ApiResponse:
        """Make a checked call; a response kept from lately serves unless `fresh`. Raises `CallFailed`."""
        if call.endpoint.service == "blast":
            from fathom.biotools.client.blast import run_blast  # noqa: PLC0415, it needs this class

            return run_blast(self, call, progress)
        return self.get(call, request_for(call), fresh=fresh)

    def get(self, call: EndpointCall, request: HttpRequest, *, fresh: bool = False) -> ApiResponse:
        """Make one GET request for a call, from what is kept if possible."""
        base = self.options.base(request.service)
        if not fresh and (kept := self._store.get(request, base)):
            return ApiResponse(call, request.url(), kept[1], kept[0], from_cache=True)
        response = self.exchange(call, request)
        self._store.put(request, base, response.headers, response.body)
        return response

    def exchange(self, call: EndpointCall, request: HttpRequest) -> ApiResponse:
        """Make one request, again after passing failures, and check that the answer is whole."""
        return self._again(request, lambda: self._once(call, request))

    def pages(self, call: EndpointCall, *, most: int = 10) -> Iterator[ApiResponse]:
        """The pages of a paged call, at most so many; each is a response of its own."""
        from fathom.biotools.client.pages import next_page  # noqa: PLC0415

        request: HttpRequest | None = request_for(call)
        for _ in range(most):
            if request is None:
                return
            response = self.get(call, request)
            yield response
            request = next_page(request, response)

    def stream(self, call: EndpointCall) -> Iterator[bytes]:
        """The body piece by piece, in memory for one piece only, without a limit on its size.

        A failure before the first piece is tried again; one after it raises `ServiceDown`.
        """
        request = request_for(call)
        return self._rest(request, self._again(request, lambda: self._begun(request)))

    def _begun(self, request: HttpRequest) -> Begun:
        """An opened response with its first piece."""
        opened = self._opened(request)
        try:
            pieces = opened.iter_bytes()
            return opened, next(pieces, b""), pieces
        except BaseException:
            opened.close()
            raise

    def _rest(self, request: HttpRequest, begun: Begun) -> Iterator[bytes]:
        opened, first, pieces = begun
        try:
            yield first
            with self._told_as_down(request):
                yield from pieces
        finally:
            opened.close()

    def save(self, call: EndpointCall, file: Path) -> int:
        """Stream a body into a file, which appears only when it is whole. Returns its bytes."""
        request, partial = request_for(call), file.with_name(file.name + ".part")

        def whole() -> int:
            with partial.open("wb") as writing:
                return sum(writing.write(piece) for piece in self._rest(request, self._begun(request)))

        try:
            size = self._again(request, whole)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
        return size

    def _again(self, request: HttpRequest, attempt: Callable[[], T]) -> T:
        """Do it, and again after failures that may pass; a POST only when it surely had no effect."""
        from tenacity import Retrying, retry_if_exception, stop_after_attempt  # noqa: PLC0415, only calling

        def told() -> T:
            with self._told_as_down(request):
                return attempt()

        return Retrying(
            stop=stop_after_attempt(self.options.attempts),
            retry=retry_if_exception(lambda error: _may_pass(error, request)),
            wait=lambda state: self._pause(state, request),
            reraise=True,
        )(told)

    def _pause(self, state: "RetryCallState", request: HttpRequest) -> float:
        """Seconds until the next attempt: longer after each failure, half of them by chance.

        A pause that a service asks for with Retry-After is kept by all clients, before their next request.
        """
        from tenacity import wait_exponential, wait_random_exponential  # noqa: PLC0415

        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, CallFailed) and error.wait is not None:
            self._paces[request.service].pause(min(error.wait, self.options.longest_pause))
            return 0.0
        half = {"multiplier": self.options.first_pause / 2, "max": self.options.longest_pause / 2}
        return (wait_exponential(**half) + wait_random_exponential(**half))(state)

    def _once(self, call: EndpointCall, request: HttpRequest) -> ApiResponse:
        opened = self._opened(request)
        try:
            body = self._bounded(opened, request)
            headers = {name: opened.headers[name] for name in KEPT_HEADERS if name in opened.headers}
        finally:
            opened.close()
        response = ApiResponse(call, request.url(), body, headers)
        _check_whole(response, request)
        return response

    def _built(self, request: HttpRequest) -> "httpx2.Request":
        """The HTTP request with what tells the service who calls; waits for its turn."""
        self._paces[request.service].wait()
        query, form = list(request.query), list(request.form)
        if request.service in {"eutils", "blast"}:
            who = [("tool", "fathom"), ("email", self.options.email), ("api_key", self.options.api_key)]
            told = [pair for pair in who if pair[1] and (request.service, pair[0]) != ("blast", "api_key")]
            query, form = (query, form + told) if request.method == "POST" else (query + told, form)
        url = HttpRequest(request.service, "GET", request.path, tuple(query)).url(
            self.options.base(request.service)
        )
        return self._http.build_request(request.method, url, data=dict(form) if form else None)

    def _opened(self, request: HttpRequest) -> "httpx2.Response":
        """An opened response with status 200, after redirects inside the service: merged UniProt entries
        have moved. Raises what any other status stands for.
        """
        opened = self._http.send(self._built(request), stream=True)
        for _ in range(REDIRECTS):
            following = opened.next_request
            if following is None:
                break
            opened.close()
            if (following.url.host, following.url.port) != (opened.request.url.host, opened.request.url.port):
                raise RequestRejected(f"{request.url()} leads to another host.", url=request.url())
            self._paces[request.service].wait()
            opened = self._http.send(following, stream=True)
        if opened.status_code == 200:
            return opened
        try:
            body = b"".join(piece for piece, _ in zip(opened.iter_bytes(4096), range(4), strict=False))
        finally:
            opened.close()
        wait = opened.headers.get("retry-after", "")
        raise failure(opened.status_code, body, request.url(), retry_after=wait)

    def _bounded(self, opened: "httpx2.Response", request: HttpRequest) -> bytes:
        pieces, size = [], 0
        for piece in opened.iter_bytes():
            size += len(piece)
            if size > self.options.most_bytes:
                raise ResponseTooLarge(self.options.most_bytes, url=request.url())
            pieces.append(piece)
        return b"".join(pieces)

    @contextmanager
    def _told_as_down(self, request: HttpRequest) -> Iterator[None]:
        """Failures of the network become `ServiceDown`."""
        import httpx2  # noqa: PLC0415

        try:
            yield
        except httpx2.HTTPError as error:
            what = (
                "didn't answer in time" if isinstance(error, httpx2.TimeoutException) else "can't be reached"
            )
            base = self.options.base(request.service)
            detail = str(error) or type(error).__name__
            raise ServiceDown(f"{base} {what}: {detail}", url=request.url()) from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _may_pass(error: BaseException, request: HttpRequest) -> bool:
    """True for a failure after which the same request may work, and does nothing twice."""
    if not isinstance(error, CallFailed):
        return False
    return error.retryable and (request.method == "GET" or error.status in {429, 503})


def _check_whole(response: ApiResponse, request: HttpRequest) -> None:
    """Raise `ServiceDown` for another kind of answer than asked for, `RequestRejected` for a told error."""
    asked = dict(request.query)
    json_wanted = request.service in {"uniprot", "ensembl"} or asked.get("retmode") == "json"
    text_report = response.call.endpoint.name == "efetch"  # its retmode=json answers text
    if json_wanted and not text_report:
        if "json" not in response.media_type:
            raise ServiceDown(
                f"{response.url} answered with {response.media_type or 'no type'} instead of JSON.",
                url=response.url,
            )
        if said := told_inside(response.json):
            raise RequestRejected(f"The service refused {response.url}. It says: {said}", url=response.url)
    elif request.service == "eutils" and response.media_type == "text/html":
        raise ServiceDown(f"{response.url} answered with a web page.", url=response.url)
