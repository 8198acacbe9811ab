"""Who is let in, and what every response tells browsers: exact hosts, known origins, a token or a cookie."""

import hmac
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.answering.store.file import SESSION_AGE
from fathom.authoring.annotation.records import Person
from fathom.errors import FathomError
from fathom.interfaces.web.desk import Desk
from fathom.interfaces.web.html import page
from fathom.interfaces.web.site import Rules, Site
from fathom.interfaces.web.uploads import MOST_BYTES

BODY_BYTES = 1_000_000
UPLOAD_BYTES = MOST_BYTES + BODY_BYTES
_UPLOADING = frozenset(("/files", "/api/files"))
LOGINS_A_MINUTE = 5
_OPEN = frozenset(("/healthz", "/login"))
_STATIC = "/static/"
"""The paths that are served without a session: they show nothing of the data."""
SHARED, EMBEDDED = "/s/", "/embed/"
"""Where links are opened that show one answer: their secret lets in, to that answer alone."""
_FOR_USERS = frozenset(
    (
        "",
        "home",
        "ask",
        "a",
        "history",
        "c",
        "saved",
        "board",
        "db",
        "help",
        "static",
        "healthz",
        "tools",
        "mcp",
    )
)
REVIEW = "/review"
_ALL = "bearer"
"""The session of a program that shows the server's own token."""
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass
class RateLimit:
    """So many times in a minute, each under its own name."""

    most: int
    _times: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def allows(self, name: str) -> bool:
        """True if there may be one more now; it counts then."""
        now, times = time.monotonic(), self._times[name]
        while times and times[0] < now - 60:
            times.popleft()
        if len(times) >= self.most:
            return False
        times.append(now)
        return True


class RequestRefused(FathomError):
    """A request that goes no further."""

    def __init__(self, status: HTTPStatus, why: str, **headers: str) -> None:
        self.status, self.why, self.headers = status, why, headers
        super().__init__(why)


def marking(send: Send) -> Send:
    """Sends what every response tells browsers as well."""

    async def send_marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            marked = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                marked.setdefault(name, value)  # a page for strangers has a policy of its own
            marked.setdefault("cache-control", "no-store")
        await send(message)

    return send_marked


def check_host(headers: Headers, rules: Rules) -> None:
    """Only names that are ours: a page elsewhere can't reach us under a name of its own.

    Raises `RequestRefused`.
    """
    if headers.getlist("host") not in [[host] for host in rules.hosts]:
        raise RequestRefused(HTTPStatus.MISDIRECTED_REQUEST, "This server doesn't answer under that name.")


class Access:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, site: Site, desk: Desk) -> None:
        self._app, self._site, self._desk = app, site, desk
        self._logins = RateLimit(LOGINS_A_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        send_marked = marking(send)
        try:
            check_host(headers, self._site.rules)
            answer = self._let_in(scope, headers)
            if answer is None:
                most = UPLOAD_BYTES if scope["path"] in _UPLOADING else BODY_BYTES
                await self._app(scope, _bounded(headers, receive, most), send_marked)
                return
        except RequestRefused as refused:
            answer = told(scope, refused)
        await answer(scope, receive, send_marked)

    def _let_in(self, scope: Scope, headers: Headers) -> Response | None:
        """None where the request may go on; else the answer to it. Raises `RequestRefused`."""
        scope.setdefault("state", {})["access"] = self
        if self._site.user:
            self._let_user_in(scope, headers)
            return None
        bearer = self._bearer(headers)
        session = bearer or self._session(headers)
        person = None if session == _ALL else self._person(headers, session)
        if person is not None and not session:
            session = person.id
            bearer = bearer or ("bearer" if bearer_token(headers) else "")
        if scope["method"] not in _SAFE and not bearer:
            self._check_origin(headers)
        if scope["method"] == "GET" and (shown := shown_token(scope)) is not None:
            return self._begin(scope, shown)
        if scope["path"] in _OPEN or scope["path"].startswith(_STATIC) or is_link(scope):
            return None
        if not session:
            raise RequestRefused(
                HTTPStatus.UNAUTHORIZED,
                "Open the address that `fathom serve` printed: it holds the token that lets you in.",
                **{"www-authenticate": "Bearer"},
            )
        scope["state"] |= {"session": session, "person": person}
        if person is None or _is_review(scope["path"]):
            return None
        if scope["path"] == "/":
            return RedirectResponse(REVIEW, HTTPStatus.SEE_OTHER)
        # The rest would tell annotators what others have asked and answered.
        raise RequestRefused(HTTPStatus.FORBIDDEN, "Your token lets you into /review, and nowhere else.")

    def _let_user_in(self, scope: Scope, headers: Headers) -> None:
        """Let the user in whose site it is, whom the gate before it knows. Raises `RequestRefused`."""
        if scope["state"].get("user") != self._site.user:
            raise RequestRefused(
                HTTPStatus.UNAUTHORIZED, "This page is another user's. Open the address that you were given."
            )
        if scope["method"] not in _SAFE and not scope["state"].get("bearer"):
            self._check_origin(headers)
        if not _is_for_users(scope["path"]):
            raise RequestRefused(HTTPStatus.FORBIDDEN, "This page is for those who may see all.")
        scope["state"] |= {"session": self._site.user, "person": None}

    def _person(self, headers: Headers, session: str) -> Person | None:
        """Who it is that takes part in a review: by their token, or logged in."""
        if token := bearer_token(headers):
            return self._desk.person_of(token)
        secret = cookie_parser(headers.get("cookie", "")).get(self._site.rules.cookie, "")
        return self._desk.logged_in(secret) if secret and secret != session else None

    def _bearer(self, headers: Headers) -> str:
        token = bearer_token(headers)
        return _ALL if token and self.is_token(token) else ""

    def _session(self, headers: Headers) -> str:
        secret = cookie_parser(headers.get("cookie", "")).get(self._site.rules.cookie, "")
        return secret if secret and self._site.store.knows_session(secret) else ""

    def is_token(self, given: str) -> bool:
        """True if this is the token; takes as long for any other of its length."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._site.rules.token.encode())

    def _check_origin(self, headers: Headers) -> None:
        """Check that a request to change something comes from our own pages: browsers tell its origin."""
        fetched = headers.get("sec-fetch-site")
        if fetched is not None:
            allowed = fetched in ("same-origin", "none")
        else:
            allowed = headers.get("origin") in self._site.rules.origins
        if not allowed:
            raise RequestRefused(HTTPStatus.FORBIDDEN, "This request didn't come from a page of this server.")

    def _begin(self, scope: Scope, token: str) -> Response:
        """Turn a token in an address into a cookie, and the address into one without it."""
        return self.log_in(token, without_token(scope))

    def log_in(self, token: str, url: str = "/") -> Response:
        """A cookie for a browser that shows the token, and where to go on. Raises `RequestRefused`.

        The token stays good while the server runs, as that of a notebook server does: the line that a
        terminal shows opens a second browser too, and looking whether the server is up doesn't use it up.
        """
        person = None if self.is_token(token) else self._desk.person_of(token)
        if person is None and not self.is_token(token):
            if not self._logins.allows("all"):
                raise RequestRefused(
                    HTTPStatus.TOO_MANY_REQUESTS, "Too many wrong tokens.", **{"retry-after": "60"}
                )
            raise RequestRefused(HTTPStatus.FORBIDDEN, "That is not the token of this server.")
        secret, rules = secrets.token_urlsafe(32), self._site.rules
        if person is None:
            self._site.store.begin_session(secret)
        else:
            self._desk.reviews.begin_login(person, secret)
            url = url if _is_review(url) else REVIEW
        return with_cookie(url, secret, rules)


def _bounded(headers: Headers, receive: Receive, most: int) -> Receive:
    """Give a receiver of the body that stops at the limit. Raises `RequestRefused`."""
    if int(_digits(headers.get("content-length"))) > most:
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"More than {most:,} bytes are not taken.")
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            return {"type": "http.disconnect"}
        return message

    return bounded


def is_link(scope: Scope) -> bool:
    """True for a request that opens a link which shows one answer."""
    return scope["method"] in ("GET", "HEAD") and scope["path"].startswith((SHARED, EMBEDDED))


def _is_for_users(path: str) -> bool:
    """True if a page is for those who may see a part: neither packs and lessons as written, nor runs."""
    first, _, rest = path.removeprefix("/api").strip("/").partition("/")
    of_database = rest.partition("/")[2].partition("/")[0]
    return first in _FOR_USERS and (first != "db" or of_database in ("", "t", "sql", "estimate"))


def shown_token(scope: Scope) -> str | None:
    """The token in an address; None where there is none."""
    query = parse_qsl(scope["query_string"].decode("latin-1"))
    return next((value for name, value in query if name == "t"), None)


def without_token(scope: Scope) -> str:
    """The address without the token in it."""
    query = [(n, v) for n, v in parse_qsl(scope["query_string"].decode("latin-1")) if n != "t"]
    path = "/" if scope["path"] == "/login" else scope["path"]
    return f"{_quoted(path)}{'?' + urlencode(query) if query else ''}"


def with_cookie(url: str, secret: str, rules: Rules) -> Response:
    """The way on to a page, with a cookie that lets in from here on."""
    answer = RedirectResponse(url, HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        rules.cookie,
        secret,
        max_age=int(SESSION_AGE.total_seconds()),
        httponly=True,
        samesite="strict",
        path="/",
        secure=rules.secure,
    )
    return answer


def bearer_token(headers: Headers) -> str:
    """The token that a program shows."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return _sent(token.strip()) if kind.casefold() == "bearer" else ""


def _is_review(path: str) -> bool:
    """True if a path is one of those for people who take part in a review."""
    return any(path.partition("?")[0] == p or path.startswith(f"{p}/") for p in (REVIEW, f"/api{REVIEW}"))


def _sent(text: str) -> str:
    """A header's text as it was sent: HTTP reads bytes as Latin-1, people write UTF-8."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _digits(text: str | None) -> str:
    return text if text and text.isdecimal() and text.isascii() else "0"


def _quoted(path: str) -> str:
    """A path that stays on this server: not `//elsewhere`."""
    return "/" + quote(path.lstrip("/\\"))


def wants_json(scope: Scope) -> bool:
    """True if who asks is a program."""
    accepts = Headers(scope=scope).get("accept", "")
    return (
        scope["path"].startswith("/api/")
        or scope["path"].endswith(".json")
        or ("application/json" in accepts and "text/html" not in accepts)
    )


def told(scope: Scope, refused: RequestRefused) -> Response:
    """The answer to a request that goes no further."""
    if wants_json(scope):
        content = problem("Refused", refused.why)
        return JSONResponse(content, refused.status, headers=refused.headers)
    return page(
        "refused.html", status=refused.status, headers=refused.headers, title=refused.status.phrase,
        why=refused.why, login=refused.status is HTTPStatus.UNAUTHORIZED,
    )  # fmt: skip


def problem(kind: str, message: str, problems: Iterable[str] = ()) -> dict[str, Any]:
    """The one shape of every error that is told as JSON."""
    return {"error": {"kind": kind, "message": message, "problems": list(problems)}}
