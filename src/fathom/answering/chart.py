"""Which chart a result calls for, if any: a Vega-Lite specification with its data inside."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from operator import ge, le
from typing import Any, Literal

from fathom.records import Chart, Result

Kind = Literal["number", "time", "year", "text"]
FEWEST, MOST_BARS, MOST_POINTS = 2, 60, 5_000
_YEARS = range(1500, 2200)


def chart_for(result: Result, title: str = "") -> Chart | None:
    """The chart that helps to see a result, or None: one number or a list of names needs none.

    A category and a number make bars, a time and a number a line, two numbers a scatter plot. The title and
    the cells stay data: Vega-Lite is given them as values, never as expressions.
    """
    if not FEWEST <= len(result.rows) <= MOST_POINTS or len(result.columns) not in {2, 3}:
        return None
    kinds = [_kind(name, [row[i] for row in result.rows]) for i, name in enumerate(result.columns)]
    mark_and_encoding = _choose(kinds, result)
    if mark_and_encoding is None:
        return None
    mark, encoding = mark_and_encoding
    values = [{f"c{i}": _json(cell) for i, cell in enumerate(row)} for row in result.rows]
    return Chart(
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "title": title,
            "width": 480,
            "data": {"values": values},
            "mark": {"type": mark, "tooltip": True},
            "encoding": encoding,
        }
    )


def _choose(kinds: Sequence[Kind], result: Result) -> tuple[str, dict[str, Any]] | None:
    names = result.columns

    def axis(index: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"field": f"c{index}", "type": kind, "title": names[index], **more}

    numbers = [i for i, kind in enumerate(kinds) if kind == "number"]
    times = [i for i, kind in enumerate(kinds) if kind in {"time", "year"}]
    texts = [i for i, kind in enumerate(kinds) if kind == "text"]
    colour = {"color": axis(texts[0], "nominal")} if texts and len(kinds) == 3 else {}
    if len(times) == 1 and len(numbers) == 1 and len(kinds) == 2 + bool(colour):
        x = axis(times[0], "temporal") if kinds[times[0]] == "time" else axis(times[0], "ordinal")
        return "line", {"x": x, "y": axis(numbers[0], "quantitative"), **colour}
    if len(numbers) == 2 and len(kinds) == 2 + bool(colour) and len(result.rows) > 4:
        across, up = (axis(i, "quantitative") for i in numbers)
        return "point", {"x": across, "y": up, **colour}
    if len(texts) == 1 and len(numbers) == 1 and len(kinds) == 2 and len(result.rows) <= MOST_BARS:
        bars = axis(texts[0], "nominal", sort=_order(result, numbers[0]))
        return "bar", {"y": bars, "x": axis(numbers[0], "quantitative")}
    return None


def _order(result: Result, number: int) -> str | None:
    """Bars keep the order of the rows where the query sorted them, else the longest comes first."""
    cells = [row[number] for row in result.rows if row[number] is not None]
    is_sorted = any(all(in_order(a, b) for a, b in pairwise(cells)) for in_order in (le, ge))
    return None if is_sorted else "-x"


def _kind(name: str, cells: Sequence[Any]) -> Kind:
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(c, date | datetime) for c in known):
        return "time"
    if known and all(isinstance(c, int | float | Decimal) and not isinstance(c, bool) for c in known):
        return "year" if "year" in name.casefold() and all(c in _YEARS for c in known) else "number"
    if known and all(isinstance(c, str) and _is_iso_date(c) for c in known):
        return "time"
    return "text"


def _is_iso_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) >= len("2020-01-01")


def _json(cell: Any) -> Any:
    if isinstance(cell, float | Decimal):
        return float(cell) if math.isfinite(cell) else None
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)
