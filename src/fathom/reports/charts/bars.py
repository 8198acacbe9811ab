"""Grouped bars with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fathom.reports.charts.svg import WIDTH, Scale, colour, drawing, element, percent, text

_LEFT, _ROW, _GAP = 12, 15, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """One run's share with its interval; `value` is None where it isn't defined."""

    run: int
    letter: str
    name: str
    value: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BarGroup:
    """Bars under one heading."""

    name: str
    bars: Sequence[Bar]


def bars(groups: Sequence[BarGroup], *, label: str) -> Markup:
    """Horizontal bars of shares, grouped; long names and many runs fit a phone this way."""
    x = Scale(0, 1, _LEFT + 18, WIDTH - 52)
    parts: list[Markup] = []
    top = 4
    for group in groups:
        parts.append(text(group.name, _LEFT, top + 14, anchor="start", class_="label"))
        top += 22
        for bar in group.bars:
            parts.append(_bar(x, top, bar))
            top += _ROW
        top += _GAP - 22
    return drawing(top, parts, label)


def _bar(x: Scale, top: int, bar: Bar) -> Markup:
    middle = top + _ROW / 2
    drawn = [element("title", bar.name), text(bar.letter, _LEFT + 4, middle + 4, class_="letter")]
    if bar.value is None:
        drawn.append(text("not defined", x.start, middle + 4, anchor="start"))
    else:
        width = max(x(bar.value) - x.start, 0.5)
        drawn += [
            element("rect", x=x.start, y=top + 2, width=width, height=_ROW - 4, class_="bar"),
            element("line", x1=x(bar.low), x2=x(bar.high), y1=middle, y2=middle, class_="whisker"),
            text(percent(bar.value), WIDTH - 4, middle + 4, anchor="end"),
        ]
    return element("g", Markup("").join(drawn), class_=colour(bar.run))
