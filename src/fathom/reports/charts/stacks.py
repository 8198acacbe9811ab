"""Shares that add up to one, as stacked bars: what entered a module and what left it."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fathom.reports.charts.svg import WIDTH, Scale, colour, drawing, element, percent, text

_LEFT, _ROW = 12, 22
_LEAST_LABELLED = 0.09


@dataclass(frozen=True, slots=True)
class Stack:
    """One bar; `parts` are (letter, name, share), `class_` of a part is its letter."""

    run: int
    letter: str
    name: str
    parts: Sequence[tuple[str, str, float]]


def stacks(rows: Sequence[Stack], *, label: str) -> Markup:
    """Bars one below the other; a part bears its letter where there is room: colour isn't needed."""
    x = Scale(0, 1, _LEFT + 92, WIDTH - 8)
    drawn: list[Markup] = []
    top = 4
    for row in rows:
        drawn.append(element("g", text(row.letter, _LEFT, top + 15, class_="letter"), class_=colour(row.run)))
        drawn.append(text(row.name, _LEFT + 12, top + 15, anchor="start"))
        at = 0.0
        for letter, name, share in row.parts:
            width = x(at + share) - x(at)
            inside = [element("title", f"{name}: {percent(share)}"),
                      element("rect", x=x(at), y=top, width=max(width, 0.0), height=_ROW - 4,
                              class_=f"part part-{letter}")]  # fmt: skip
            if share >= _LEAST_LABELLED:
                inside.append(
                    text(f"{letter} {percent(share)}", x(at) + width / 2, top + 13, class_="part-text")
                )
            drawn.append(element("g", Markup("").join(inside)))
            at += share
        top += _ROW
    return drawing(top + 4, drawn, label)
