"""Curves and point clouds."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fathom.reports.charts.svg import WIDTH, Scale, colour, dashes, drawing, element, grid, plain, text

_HEIGHT, _LEFT, _TOP, _BOTTOM = 270, 48, 24, 224


@dataclass(frozen=True, slots=True)
class Line:
    """One run's curve through (x, y); `run` gives it its colour and letter, `name` is told on hovering."""

    run: int
    name: str
    points: Sequence[tuple[float, float]]
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One run as a point with the interval of its height; `marked` ones are filled."""

    run: int
    letter: str
    name: str
    x: float
    y: float
    low: float
    high: float
    marked: bool = False


@dataclass(frozen=True, slots=True)
class LineAxis:
    """The axis along which curves run: its name, and its marks and range where they are given."""

    label: str
    ticks: Sequence[tuple[float, str]] | None = None
    range: tuple[float, float] | None = None
    log: bool = False


def lines(
    curves: Sequence[Line],
    axis: LineAxis,
    *,
    y_label: str,
    steps: bool = False,
    diagonal: bool = False,
    label: str,
) -> Markup:
    """Curves of shares (0 to 1) over x. `diagonal` draws where both axes are equal, `steps` stairs."""
    values = [x for c in curves for x, _ in c.points]
    low, high = axis.range or (min(values), max(values))
    if axis.log:
        low = min((v for v in values if v > 0), default=1.0)
        high = max(high, low * 10)
    x = Scale(low, high, _LEFT, WIDTH - 22, axis.log)
    y = Scale(0, 1, _BOTTOM, _TOP)
    shown = axis.ticks if axis.ticks is not None else [(t, plain(t)) for t in x.ticks()]
    parts = grid(x, y, x_label=axis.label, y_label=y_label, x_format=shown)
    if diagonal:
        parts.append(element("line", x1=x(0), y1=y(0), x2=x(1), y2=y(1), class_="diagonal"))
    for curve in curves:
        path = _path([(x(a), y(b)) for a, b in curve.points], steps=steps)
        drawn = [
            element("title", curve.name),
            element("path", d=path, class_="line", stroke_dasharray=dashes(curve.run)),
        ]
        if len(curve.points) <= 12 and not steps:
            drawn += [element("circle", cx=x(a), cy=y(b), r=3, class_="dot") for a, b in curve.points]
        if curve.points and curve.letter:
            # Equal curves hide each other, so that each letter stands at a place of its own.
            turn, back = divmod(curve.run, min(3, len(curve.points)))
            a, b = curve.points[-1 - back]
            drawn.append(text(curve.letter, x(a) + 4 - 9 * turn, y(b) - 6, class_="letter"))
        parts.append(element("g", Markup("").join(drawn), class_=colour(curve.run)))
    return drawing(_HEIGHT, parts, label)


def _path(points: Sequence[tuple[float, float]], *, steps: bool) -> str:
    if not points:
        return ""
    drawn = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for x, y in points[1:]:
        drawn.append(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}")
    return "".join(drawn)


def points(cloud: Sequence[Point], *, x_label: str, y_label: str, label: str) -> Markup:
    """Points with vertical intervals; the marked ones are joined: the Pareto front."""
    values = [p.x for p in cloud]
    log = min(values) > 0 and max(values) / min(values) > 50
    low, high = (min(values) / 2, max(values) * 2) if log else (0.0, max(values) * 1.1 or 1.0)
    x, y = Scale(low, high, _LEFT, WIDTH - 16, log), Scale(0, 1, _BOTTOM, _TOP)
    parts = grid(x, y, x_label=x_label, y_label=y_label, x_format=[(t, plain(t)) for t in x.ticks()])
    front = sorted((x(p.x), y(p.y)) for p in cloud if p.marked)
    parts.append(element("path", d=_path(front, steps=True), class_="front"))
    for i, p in enumerate(cloud):
        # Equal points hide each other, so that their letters stand side by side.
        before = sum(abs(x(q.x) - x(p.x)) < 12 and abs(y(q.y) - y(p.y)) < 12 for q in cloud[:i])
        mark = "dot" if p.marked else "hollow"
        drawn = (
            element("title", f"{p.name}: {p.y:.1%} at {plain(p.x)}"),
            element("line", x1=x(p.x), x2=x(p.x), y1=y(p.low), y2=y(p.high), class_="whisker"),
            element("circle", cx=x(p.x), cy=y(p.y), r=6, class_=mark),
            text(p.letter, x(p.x) + 10 + 10 * before, y(p.y) - 6, anchor="start", class_="letter"),
        )
        parts.append(element("g", Markup("").join(drawn), class_=colour(p.run)))
    return drawing(_HEIGHT, parts, label)
