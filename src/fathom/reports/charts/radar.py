"""A radar of shares by category."""

from collections.abc import Sequence
from math import cos, pi, sin

from markupsafe import Markup

from fathom.reports.charts.lines import Line
from fathom.reports.charts.svg import WIDTH, colour, dashes, drawing, element, join, text

_HEIGHT, _RADIUS = 300, 104
_LONGEST = 14


def _lines(name: str) -> list[str]:
    """A label in at most two lines, broken at a blank; a word that is too long is cut."""
    lines = [""]
    for word in name.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _LONGEST or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    lines = [*lines[:1], " ".join(lines[1:])] if len(lines) > 1 else lines
    return [one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…" for one in lines]


def radar(axes: Sequence[str], shapes: Sequence[Line], *, label: str) -> Markup:
    """One polygon a run; a line's points are (number of the axis, share)."""
    middle = WIDTH / 2, _HEIGHT / 2

    def place(axis: float, share: float) -> tuple[float, float]:
        turn = 2 * pi * axis / len(axes) - pi / 2
        return middle[0] + _RADIUS * share * cos(turn), middle[1] + _RADIUS * share * sin(turn)

    def polygon(points: Sequence[tuple[float, float]], **attributes: object) -> Markup:
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(a, s) for a, s in points))
        return element("polygon", points=corners, **attributes)

    parts = [polygon([(i, ring) for i in range(len(axes))], class_="grid") for ring in (0.25, 0.5, 0.75, 1)]
    for i, name in enumerate(axes):
        x, y = place(i, 1)
        parts.append(element("line", x1=middle[0], y1=middle[1], x2=x, y2=y, class_="grid"))
        tx, ty = place(i, 1.1)
        anchor = "middle" if abs(tx - middle[0]) < 12 else "start" if tx > middle[0] else "end"
        lines = _lines(name)
        top = ty + 4 - (12 * (len(lines) - 1) if ty < middle[1] - _RADIUS else 0)  # upwards, off the ring
        told = [text(line, tx, top + 12 * row, anchor=anchor) for row, line in enumerate(lines)]
        parts.append(element("g", element("title", name) + Markup("").join(told)))
    for shape in shapes:
        # Equal shapes hide each other, so that each letter stands at a corner of its own.
        turn, corner = divmod(shape.run, len(shape.points))
        axis, share = shape.points[corner]
        x, y = place(axis, max(share - 0.11, 0.06))
        drawn = (
            element("title", shape.name),
            polygon(shape.points, class_="shape", stroke_dasharray=dashes(shape.run)),
            text(shape.letter, x + 9 * turn, y + 4, class_="letter"),
        )
        parts.append(element("g", join(drawn), class_=colour(shape.run)))
    parts.append(text("100 %", middle[0] + 10, middle[1] - _RADIUS + 12, anchor="start"))
    return drawing(_HEIGHT, parts, label)
