"""Several users, each with a site of what they may see: who asks is told by a token, or by a proxy."""

import asyncio
import hashlib
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.answering.store import Store
from fathom.databases import Database
from fathom.errors import RightsError
from fathom.interfaces.web.access import (
    RequestRefused,
    bearer_token,
    check_host,
    is_link,
    marking,
    shown_token,
    told,
    with_cookie,
    without_token,
)
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.following import Following
from fathom.interfaces.web.site import Site, stem
from fathom.rights import Granted, Rights

FOLDER = "seen"
"""Beside the store of answers: those of users who may see a part, one file for all who may see the same."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """How the server knows who asks: by a header that proxies at these addresses set, and by tokens.

    `file` is that of the rights; without it the settings name one, or there are no users.
    """

    file: Path | None = None
    header: str = ""
    proxies: frozenset[str] = frozenset()


NO_USERS = Entrance()


@dataclass(eq=False)
class SeenSite(Site):
    """The site of one user: the databases that they have grants for, as these show them."""

    whole: Site = field(kw_only=True)
    granted: dict[str, Granted] = field(kw_only=True)

    def opened(self, name: str) -> Database:
        """A database as the user may see it, over the connections of the whole one. Raises `RightsError`."""
        return self.whole.database(name).restricted(self.granted[name])

    @property
    def may_link(self) -> bool:
        """False: an answer of theirs is for those who may see the same."""
        return False

    @property
    def uploads(self) -> None:
        """None: answers are seen by all who may see the same databases, and a file is its owner's alone."""

    def close(self) -> None:
        """Close the store; the databases are those of the whole site."""
        self.store.close()


def site_for(user: str, rights: Rights, whole: Site) -> SeenSite:
    """The site of a user. Answers are shared with those alone who may see the same of all databases."""
    granted = _granted(user, rights, whole)
    digest = hashlib.sha256(repr(sorted((n, g.digest) for n, g in granted.items())).encode()).hexdigest()
    settings = replace(whole.settings, store=whole.settings.store.parent / FOLDER / f"{digest[:16]}.sqlite")
    rules = replace(
        whole.rules,
        token=secrets.token_urlsafe(32),
        runs=settings.store.with_name("no-runs"),
        sql=_may_write(whole, granted),
        why_no_sql=(
            "Your rights let you ask questions, not write queries by hand."
            if whole.rules.sql
            else whole.rules.why_no_sql
        ),
        teaching=False,
        administration=False,
    )
    return SeenSite(
        settings,
        rules,
        Store(settings.store, user),
        {name: whole.served[name] for name in granted},
        whole.model,
        whole.tools,
        user,
        whole=whole,
        granted=granted,
    )


def _granted(user: str, rights: Rights, whole: Site) -> dict[str, Granted]:
    """The grants of a user, by the names that the databases are served by."""
    granted: dict[str, Granted] = {}
    for name, address in whole.served.items():
        try:
            granted[name] = rights.granted(user, address, stem(address))
        except RightsError:
            continue
    return granted


def _may_write(whole: Site, granted: dict[str, Granted]) -> bool:
    """True if queries may be written by hand under these grants."""
    return whole.rules.sql and all(g.sql for g in granted.values())


@dataclass(frozen=True, slots=True)
class _UserApp:
    """The application of one user's site, until `open` is closed."""

    app: FastAPI
    site: SeenSite
    open: AsyncExitStack


class Gate:
    """ASGI in front of the sites: leads each user to theirs, and who shows the server's token to the whole.

    Each user's site is an application of its own, so that nothing which one holds is in another. Where the
    settings or the rights have changed, the next request is answered by them.
    """

    def __init__(self, site: Site, entrance: Entrance = NO_USERS) -> None:
        self._site, self._entrance = site, entrance
        self._following = Following(site, entrance.file)
        self._whole = make_app(site, self._following)
        self._apps: dict[str, _UserApp] = {}
        self._making = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lead a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        app: ASGIApp = self._whole
        if scope["type"] == "http":
            try:
                if self._following.has_changed:
                    await self._renew()
                app = await self._app_for(scope, Headers(scope=scope))
            except RequestRefused as refused:
                app = told(scope, refused)
        await app(scope, receive, marking(send) if isinstance(app, Response) else send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Begin with the whole site, and end all."""
        await receive()
        try:
            whole = await _begun(self._whole)
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for user in list(self._apps):
            await self._apps.pop(user).open.aclose()
        await whole.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _renew(self) -> None:
        """Use what has changed, and end the sites of users that aren't as they would be now."""
        async with self._making:
            closed = await asyncio.to_thread(self._following.renew)
            for user in list(self._apps) if closed is not None else ():
                if self._is_stale(user, closed or set()):
                    await self._apps.pop(user).open.aclose()

    def _is_stale(self, user: str, closed: set[str]) -> bool:
        rights, site = self._following.rights, self._apps[user].site
        if rights is None or closed.intersection(site.granted):
            return True
        served = {name: self._site.served.get(name) for name in site.granted}
        return _granted(user, rights, self._site) != site.granted or served != site.served

    async def _app_for(self, scope: Scope, headers: Headers) -> ASGIApp:
        state = scope.setdefault("state", {})
        state.pop("user", None)
        check_host(headers, self._site.rules)
        if is_link(scope):
            return self._whole
        rights = self._following.rights
        if rights is None:
            return self._whole
        token = shown_token(scope) if scope["method"] == "GET" else None
        if token is not None and (user := rights.of_token(token)):
            return self._begin_session(user, token, scope)
        user = self._told_by_proxy(scope, headers, rights) or ""
        if not user:
            user = rights.of_token(bearer_token(headers)) or ""
            state["bearer"] = bool(user)
        user = user or await asyncio.to_thread(self._of_session, headers, rights)
        if not user:
            return self._whole
        state["user"] = user
        return await self._app_of(user, rights)

    @property
    def _cookie(self) -> str:
        return self._site.rules.cookie

    def _of_session(self, headers: Headers, rights: Rights) -> str:
        """Whose browser it is, "" where that isn't known: of this server or another one over the store."""
        secret = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        found = self._site.store.shared.user_of_session(secret) if secret else None
        user, token = found or ("", "")
        # Their token may have been changed since, or they may be in the file no more.
        return user if user and rights.tokens.get(token) == user else ""

    def _begin_session(self, user: str, token: str, scope: Scope) -> Response:
        secret = secrets.token_urlsafe(32)
        self._site.store.shared.begin_user_session(secret, user, token)
        return with_cookie(without_token(scope), secret, self._site.rules)

    def _told_by_proxy(self, scope: Scope, headers: Headers, rights: Rights) -> str | None:
        """Who asks, as the proxy says; None where no proxy says it. Raises `RequestRefused`."""
        entrance = self._entrance
        said = headers.getlist(entrance.header) if entrance.header else []
        if not said:
            return None
        client = scope.get("client") or ("", 0)
        if client[0] not in entrance.proxies:
            raise RequestRefused(
                HTTPStatus.FORBIDDEN, "Only the proxy may say who asks. Open the address that it serves."
            )
        if len(said) != 1 or said[0] not in rights.users:
            raise RequestRefused(HTTPStatus.FORBIDDEN, "Nothing is shown to you here: you have no rights.")
        return said[0]

    async def _app_of(self, user: str, rights: Rights) -> FastAPI:
        """The application of a user's site, made when they first come."""
        async with self._making:
            if user not in self._apps:
                site = await asyncio.to_thread(site_for, user, rights, self._site)
                app = make_app(site)
                self._apps[user] = _UserApp(app, site, await _begun(app))
            return self._apps[user].app


async def _begun(app: FastAPI) -> AsyncExitStack:
    """Begin an application, and give back a stack that ends it."""
    held = AsyncExitStack()
    await held.enter_async_context(app.router.lifespan_context(app))
    return held
