"""Pages from templates: everything from outside is escaped, cells are text, SQL is coloured."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.responses import HTMLResponse

from fathom.records import Limits, shown_column, shown_value
from fathom.reports.charts import whisker
from fathom.text.templates import html_templates

LETTERS, LONGEST_JSON = 300, 20_000
"""Of one cell in a table, and of JSON that is shown on a page; the JSON twin of the page gives all of it."""


LONG = 160
"""Letters of a cell from which on it is folded."""
_TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Signs that turn the direction of what comes after them; a cell is set apart from the others instead."""


def page(
    template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **content: Any
) -> HTMLResponse:
    """A page as the response to a request."""
    return HTMLResponse(rendered(template, **content), status, headers=dict(headers or {}))


def rendered(template: str, **content: Any) -> str:
    """A template, filled."""
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> Environment:
    made = html_templates("fathom.interfaces.web")
    made.filters |= {
        "cell": _cell,
        "shown_cells": _shown_cells,
        "json": _json,
        "share": lambda value: "" if value is None else f"{100 * value:.0f} %",
        "number": lambda value: "" if value is None else f"{value:,}",
        "seconds": _seconds,
        "when": _when,
        "sql": coloured,
        "words": lambda text: str(text).replace("_", " "),
        "shown": shown_value,
    }
    made.tests["numeric"] = lambda v: isinstance(v, int | float) and not isinstance(v, bool)
    made.tests["amount_in"] = _is_amount
    made.globals |= {"static": static_url, "whisker": whisker, "query_seconds": Limits().seconds or 0}
    return made


def _cell(value: Any) -> str:
    """A cell as text, cut where it is very long; what is missing stays empty."""
    if value is None:
        return ""
    text = (value if isinstance(value, str) else shown_value(value)).translate(_TURNING)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell with its text, formatted as the others of its column; `full` where the text shortens it.

    A `long` one is shown by its beginning until it is opened.
    """

    value: Any
    text: str
    full: str = ""
    long: bool = False


def _shown_cells(rows: Sequence[Sequence[Any]], headings: Sequence[str]) -> list[list[ShownCell]]:
    """Rows formatted by column; text keeps its spaces."""
    columns = []
    for place, heading in enumerate(headings):
        cells = [row[place] for row in rows]
        columns.append([*map(_shown_cell, cells, shown_column(heading, cells))])
    return [list(row) for row in zip(*columns, strict=True)]


def _shown_cell(value: Any, text: str) -> ShownCell:
    if isinstance(value, str) and text == shown_value(value):
        text = _cell(value).replace("\r\n", "\n").replace("\n", " ↵ ")
    full = "" if value is None or isinstance(value, bool) else str(value)
    return ShownCell(value, text, "" if full in (text, text.replace(",", "")) else full, len(text) > LONG)


def _is_amount(place: int, rows: Sequence[Sequence[Any]]) -> bool:
    """True if a column holds numbers alone."""
    known = [row[place] for row in rows if row[place] is not None]
    return bool(known) and all(isinstance(c, int | float) and not isinstance(c, bool) for c in known)


def _json(value: Any) -> str:
    """JSON to read, cut where it is very long."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return text if len(text) <= LONGEST_JSON else f"{text[:LONGEST_JSON]}\n…"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def _when(value: datetime) -> Markup:
    """A point in time for people and for programs."""
    return Markup('<time datetime="{}">{} UTC</time>').format(
        value.isoformat(timespec="seconds"), f"{value.astimezone(UTC):%d %b %Y, %H:%M}"
    )


def coloured(sql: str) -> Markup:
    """SQL with a class for each kind of word; escaped by Pygments."""
    from pygments import highlight  # noqa: PLC0415, slow to import
    from pygments.formatters.html import HtmlFormatter  # noqa: PLC0415
    from pygments.lexers.sql import SqlLexer  # noqa: PLC0415

    return Markup(highlight(sql, SqlLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n"))


@cache
def static(name: str) -> tuple[bytes, str]:
    """One of our own files, and its digest."""
    content = files("fathom.interfaces.web").joinpath("static", name).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of one of our own files: another one whenever the file changes."""
    stem, _, ending = name.rpartition(".")
    return f"/static/{stem}-{static(name)[1]}.{ending}"
