"""Cards as text and as HTML."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from fathom.interfaces.notebook.card import Card, CardTable, Code, Folded, Part, Picture, Points, Says
from fathom.text import visible
from fathom.text.templates import html_templates

WIDEST = 40
"""Characters of a cell in text; HTML has all."""


def as_html(card: Card) -> str:
    """The card as a fragment of HTML with its style inline: what a notebook keeps runs nowhere else."""
    text: str = _environment().get_template("card.html").render(card=card)
    return text


def as_text(card: Card) -> str:
    """The card as lines of text, as a terminal may show them."""
    return visible("\n".join([card.title, *_lines(card.parts)]))


@cache
def _environment() -> Environment:
    made = html_templates("fathom.interfaces.notebook")
    made.filters["kind"] = lambda part: type(part).__name__
    made.filters["drawn"] = lambda picture: Markup(picture.svg)  # what drew it escapes its text
    return made


def _lines(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case Says(text=text):
                yield text
            case Points(texts=texts):
                yield from (f"- {text}" for text in texts)
            case Code(text=text):
                yield from (f"    {line}" for line in text.splitlines())
            case CardTable():
                yield from _grid(part)
            case Folded(title=title, parts=inside):  # text has no folds
                yield title
                yield from _lines(inside)
            case Picture():
                pass


def _grid(grid: CardTable) -> Iterator[str]:
    rows = [[_short(cell) for cell in row] for row in (grid.head, *grid.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(grid.head))]
    for row in rows:
        yield _aligned(row, widths, grid.numeric)
    if grid.note:
        yield grid.note


def _short(cell: str) -> str:
    line = " ".join(cell.split())
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"


def _aligned(row: Sequence[str], widths: Sequence[int], numeric: frozenset[int]) -> str:
    cells = (
        cell.rjust(width) if place in numeric else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
