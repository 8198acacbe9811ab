"""Plots beside a verdict, as Vega-Lite specifications: the figures stay data."""

from collections.abc import Mapping, Sequence
from typing import Any

from fathom.analysis.forecasts import Projection
from fathom.analysis.series import Series
from fathom.records import Chart

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MOST_POINTS, _MOST_BARS = 1_000, 30


def bars(values: Mapping[Any, float], group: str, measure: str) -> Chart | None:
    """A bar for each group."""
    if len(values) < 2:
        return None
    shown = [{"group": str(k), "value": v} for k, v in list(values.items())[:_MOST_BARS]]
    encoding = {
        "y": {"field": "group", "type": "nominal", "title": group, "sort": None},
        "x": {"field": "value", "type": "quantitative", "title": measure},
    }
    return _chart(shown, mark={"type": "bar", "tooltip": True}, encoding=encoding)


def line(series: Series, measure: str, projection: Projection | None = None) -> Chart:
    """A series, and where it is forecast to go, with its bounds."""
    shown: list[dict[str, Any]] = [
        {"month": series.day(i).isoformat(), "value": float(v), "kind": "recorded"}
        for i, v in enumerate(series.values)
    ]
    x = {"field": "month", "type": "temporal", "title": series.unit}
    y = {"field": "value", "type": "quantitative", "title": measure}
    layers: list[dict[str, Any]] = []
    if projection is not None:
        for i, value in enumerate(projection.values):
            day = series.day(len(series) + i).isoformat()
            low, high = float(projection.low[i]), float(projection.high[i])
            shown.append({"month": day, "value": float(value), "kind": "forecast", "low": low, "high": high})
        bounds = {
            "x": x,
            "y": {"field": "low", "type": "quantitative", "title": measure},
            "y2": {"field": "high"},
        }
        layers.append({"mark": {"type": "area", "opacity": 0.25}, "encoding": bounds})
    encoding = {"x": x, "y": y, "strokeDash": {"field": "kind", "type": "nominal", "title": None}}
    layers.append({"mark": {"type": "line", "tooltip": True}, "encoding": encoding})
    return _chart(shown, layer=layers)


def points(first: Sequence[float], second: Sequence[float], names: tuple[str, str]) -> Chart:
    """A point for each row, evenly thinned where there are many."""
    step = max(1, len(first) // _MOST_POINTS)
    shown = [{"x": float(a), "y": float(b)} for a, b in zip(first[::step], second[::step], strict=True)]
    axes = {
        axis: {"field": axis, "type": "quantitative", "title": name, "scale": {"zero": False}}
        for axis, name in zip("xy", names, strict=True)
    }
    return _chart(shown, mark={"type": "point", "opacity": 0.4}, encoding=axes)


def spreads(groups: Mapping[str, Sequence[float]], group: str, measure: str) -> Chart:
    """A box for each group."""
    shown = [
        {"group": name, "value": float(v)}
        for name, values in list(groups.items())[:_MOST_BARS]
        for v in values[:: max(1, len(values) * len(groups) // _MOST_POINTS)]
    ]
    encoding = {
        "y": {"field": "group", "type": "nominal", "title": group},
        "x": {"field": "value", "type": "quantitative", "title": measure},
    }
    return _chart(shown, mark={"type": "boxplot"}, encoding=encoding)


def _chart(values: Sequence[Mapping[str, Any]], **more: Any) -> Chart:
    return Chart({"$schema": _SCHEMA, "width": 480, "data": {"values": list(values)}, **more})
