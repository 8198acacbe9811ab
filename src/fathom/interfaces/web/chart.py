"""Charts as pictures and as specifications: data alone, drawn by the Vega that vl-convert carries."""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from fathom.answering.pictures import LOOK, as_png, as_svg, script
from fathom.errors import InputError, MissingExtra
from fathom.files import write_whole
from fathom.records import Chart

Theme = Literal["light", "dark"]
BAR_HEIGHT = 22  # pixels, with the gap to the next bar
_KEYS = frozenset(
    ("$schema", "title", "width", "height", "data", "values", "mark", "type", "tooltip", "encoding", "field",
     "sort", "x", "y", "color", "config")
)  # fmt: skip
"""The keys that `chart_for` writes. A url, a signal, an expression or any other key isn't drawn."""
_INK: Mapping[Theme, tuple[str, str, str]] = {
    "light": ("#1c2b33", "#d5dcdf", "#0b6e75"),
    "dark": ("#dfe8ea", "#3a484e", "#5cc4ca"),
}
_GROUND: Mapping[Theme, str] = {"light": "#ffffff", "dark": "#12181b"}
_bundling = Lock()


def specification(chart: Chart, mark: str = "") -> dict[str, Any]:
    """A chart's specification, with another mark where it is given. Raises `InputError`."""
    found = dict(chart.specification)
    _check(found)
    if mark:
        if mark not in drawn_as(chart):
            raise InputError(
                f"this chart can't be drawn as {mark!r}; choose of: {', '.join(drawn_as(chart))}"
            )
        found["mark"] = {"type": mark, "tooltip": True}
    return {
        **found,
        "width": "container",
        **_height(found),
        "config": {name: LOOK[name] for name in ("axis", "axisX", "axisY")},
    }


def _height(found: Mapping[str, Any]) -> dict[str, int]:
    """Told for bars: Vega-Lite fits a chart into a page's width only where its height is a number."""
    rows = found["encoding"]["y"]
    if rows["type"] != "nominal":
        return {}
    return {"height": BAR_HEIGHT * len({str(value[rows["field"]]) for value in found["data"]["values"]})}


def drawn_as(chart: Chart) -> Sequence[str]:
    """The marks that a chart makes sense with, its own first."""
    own = str(chart.specification.get("mark", {}).get("type", ""))
    # Two numbers that are no series have no order to draw a line or stand bars in.
    others = ("line", "bar", "point") if own == "line" else ("bar", "point") if own == "bar" else ()
    return tuple(dict.fromkeys((own, *others)))


def drawn(chart: Chart, mark: str, theme: Theme) -> str:
    """A chart as SVG. Raises `MissingExtra`, and `InputError` for what isn't a chart of ours."""
    return as_svg(_themed(chart, mark, theme))


def drawn_as_pixels(chart: Chart, mark: str, theme: Theme) -> bytes:
    """A chart as PNG, on the ground of its theme. Raises likewise."""
    content = _themed(chart, mark, theme)
    content["config"]["background"] = _GROUND[theme]
    return as_png(content)


def _themed(chart: Chart, mark: str, theme: Theme) -> dict[str, Any]:
    ink, line, first = _INK[theme]
    content = specification(chart, mark) | {"width": 640}
    axis = {
        **LOOK["axis"],
        "labelColor": ink,
        "titleColor": ink,
        "gridColor": line,
        "domainColor": line,
        "tickColor": line,
    }
    content["config"] |= {
        "background": None,
        "title": {"color": ink},
        "view": {"stroke": None},
        "axis": axis,
        "legend": {"labelColor": ink, "titleColor": ink},
        "mark": {"color": first},
    }
    return content


def bundle(cache: Path) -> bytes:
    """The script that draws charts in a browser, made once and kept. Raises `MissingExtra`."""
    try:
        file = cache / "web" / f"vega-{version('vl-convert-python')}.js"
    except PackageNotFoundError as error:
        raise MissingExtra("drawing a chart", "vl-convert-python", "web") from error
    with _bundling:
        if not file.exists():
            write_whole(file, script("window.vegaEmbed = vegaEmbed;"))
    return file.read_bytes()


def _check(content: Any, *, in_data: bool = False) -> None:
    """Raise `InputError` for a specification that could do more than show its values."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            if not in_data and key not in _KEYS:
                raise InputError(f"a chart with {key!r} isn't drawn")
            if key != "values":
                _check(value, in_data=in_data)
