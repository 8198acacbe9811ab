"""Charts as pictures, by the Vega that vl-convert carries: it needs no browser and no network.

A chart is its Vega-Lite specification, or SVG that is drawn already. Without vl-convert, all but
`picture_of` raise `MissingExtra`.
"""

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any

from fathom.errors import MissingExtra
from fathom.records import Chart

LOOK: Mapping[str, Any] = {
    # The drawing library measures letters as those of Liberation Sans, which are as wide as Arial's and
    # Helvetica's.
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    # Where only wider letters are there, labels reach further out: the title stands above them, not beside.
    "padding": {"left": 24, "top": 5, "right": 16, "bottom": 5},
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "labelOverlap": "greedy"},
    "axisX": {"labelAngle": 0},
    "axisY": {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -6},
}
"""The settings that every picture has; a specification's own `config` goes on top."""
_drawing = Lock()
"""The engine that draws is one for the process."""


def as_svg(specification: Mapping[str, Any]) -> str:
    """A chart as SVG; its text is escaped."""
    with _drawing:
        return str(_vega().vegalite_to_svg(_with_look(specification)))


def picture_of(chart: Chart) -> str:
    """A chart as SVG; empty where the library that draws it isn't installed."""
    try:
        return as_svg(chart.specification)
    except MissingExtra:
        return ""


def as_png(specification: Mapping[str, Any]) -> bytes:
    """A chart as PNG, twice as large as SVG: sharp on any screen."""
    with _drawing:
        return bytes(_vega().vegalite_to_png(_with_look(specification), scale=2))


def pdf_of(svg: str) -> bytes:
    """Any SVG as a PDF of one page, of whose points each is one of the drawing's pixels."""
    with _drawing:
        return bytes(_vega().svg_to_pdf(svg))


def as_page(specification: Mapping[str, Any]) -> str:
    """A chart as an HTML page that draws it, with the script inside."""
    with _drawing:
        return str(_vega().vegalite_to_html(_with_look(specification), bundle=True))


def script(ending: str) -> str:
    """The script that draws charts in a browser, ended by a line of its module."""
    with _drawing:
        return str(_vega().javascript_bundle(ending))


def _with_look(specification: Mapping[str, Any]) -> str:
    config = {**LOOK, **specification.get("config", {})}
    return json.dumps({**specification, "config": config}, ensure_ascii=False)


def _vega() -> Any:
    try:
        import vl_convert  # noqa: PLC0415, an extra
    except ImportError as error:
        raise MissingExtra("drawing a chart", "vl-convert-python", "charts") from error
    return vl_convert
