"""A share with its interval, small enough for a table's cell."""

from markupsafe import Markup

from fathom.reports.charts.svg import Scale, colour, element, join


def whisker(value: float, low: float, high: float, *, run: int) -> Markup:
    """A dot between 0 and 1 with its interval."""
    x = Scale(0, 1, 3, 117)
    parts = (
        element("line", x1=3, x2=117, y1=8, y2=8, class_="grid"),
        element("line", x1=x(low), x2=x(high), y1=8, y2=8, class_="whisker"),
        element("circle", cx=x(value), cy=8, r=4, class_="dot"),
    )
    return element("svg", join(parts), viewBox="0 0 120 16",
                   class_=f"whisker-chart {colour(run)}", aria_hidden="true")  # fmt: skip
