"""Answers, conversations, databases and runs as notebooks show them: HTML, text, JSON, and charts as data.

Nothing is loaded into a notebook and no magic is needed: an object at the end of a cell is shown.
"""

from typing import Any

from fathom.interfaces.notebook.cards import card_of
from fathom.interfaces.notebook.rendering import as_html, as_text

VEGA_LITE = "application/vnd.vegalite.v6+json"
"""JupyterLab and VS Code draw it; others fall back to the picture in the HTML."""
JSON = "application/vnd.fathom.v1+json"
"""A type of our own: JupyterLab ranks `application/json` before HTML, and would show a tree in its place."""


def mime_bundle(value: Any) -> dict[str, Any]:
    """A value by MIME type: `text/plain`, `text/html`, `JSON` and, with a chart, `VEGA_LITE`.

    The HTML has its style inline and holds no script; all text in it is escaped. Raises `TypeError` for a
    value that nothing describes.
    """
    card = card_of(value)
    made: dict[str, Any] = {"text/plain": as_text(card), "text/html": as_html(card)}
    if card.content is not None:
        made[JSON] = card.content
    if card.chart is not None:
        made[VEGA_LITE] = dict(card.chart)
    return made
