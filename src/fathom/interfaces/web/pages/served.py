"""Files and pages beside the main ones: script and style, the chart script, help, signs of life, metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from fathom.interfaces.web.access import Access
from fathom.interfaces.web.chart import bundle
from fathom.interfaces.web.html import page, static, static_url
from fathom.interfaces.web.metrics import CONTENT_TYPE, Metrics
from fathom.interfaces.web.routes import OfSite, shown

router = APIRouter(tags=["help"])
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
OURS = ("style.css", "fathom.js", "editor.js", "icon.svg", "review.js")
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


@router.get("/static/vega.js", include_in_schema=False)
def chart_script(site: OfSite) -> Response:
    """The script that draws charts."""
    kept = {"cache-control": "private, max-age=86400"}
    return Response(bundle(site.settings.cache), media_type=_TYPES["js"], headers=kept)


@router.get("/static/{name}", include_in_schema=False)
def our_files(name: str) -> Response:
    """Our script, our style, our icon."""
    for one in OURS:
        if static_url(one).endswith(f"/{name}"):
            return Response(static(one)[0], media_type=_TYPES[one.rpartition(".")[2]], headers=_FOR_EVER)
    raise HTTPException(HTTPStatus.NOT_FOUND)


@router.get("/healthz", tags=["help"])
def healthz() -> dict[str, bool]:
    """That the server answers."""
    return {"ok": True}


@router.get("/metrics", tags=["help"], response_class=Response)
def metrics(request: Request) -> Response:
    """Give an operator's measurements in Prometheus' text form; they tell of no question and no database."""
    counted: Metrics = request.app.state.metrics
    return Response(counted.text(), media_type=CONTENT_TYPE)


@router.get("/login", include_in_schema=False)
def login_page() -> Response:
    """A box for the token."""
    return page("refused.html", title="Log in", why="", login=True)


@router.post("/login", include_in_schema=False)
def login(request: Request, token: Annotated[str, Form(max_length=200)]) -> Response:
    """Let a browser in that shows the token."""
    access: Access = request.state.access
    return access.log_in(token)


@dataclass(frozen=True, slots=True)
class Help:
    """Keys, what is stored where, and versions."""

    versions: Mapping[str, str]
    sql_allowed: bool


@shown(router, "/help", "help.html")
def help_page(site: OfSite) -> Help:
    """Explain the keys, the files that are kept, and the versions that run."""
    names = ("askfathom", "fastapi", "starlette", "uvicorn", "sqlglot", "duckdb", "vl-convert-python")
    return Help({name: version(name) for name in names}, site.rules.sql)
