"""Which chart a result calls for, if any: a Vega-Lite specification with its data inside."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from fathom.answering.periods import is_period, moment, names_in_calendar
from fathom.records import Chart, Result, shown_value
from fathom.text.patterns import Pattern

Kind = Literal["number", "time", "period", "name", "text"]
FEWEST, MOST_BARS, MOST_POINTS, FEWEST_POINTS = 2, 60, 5_000, 5
_KEY = Pattern(r"(?i)(^|[_ ])(uu)?ids?$")
_FIRST = Pattern(r"(?i)((first|given)[_ ]?name|forename)$")
_LAST = Pattern(r"(?i)((last|family)[_ ]?name|surname)$")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column to draw: `kind` "period" are times in their order, "name" names of months or days."""

    heading: str
    kind: Kind
    cells: Sequence[Any]


def chart_for(result: Result, title: str = "") -> Chart | None:
    """The chart that helps to see a result, or None: one number or a list of names needs none.

    A time and a number make a line, a category and a number bars, the longest first, two numbers a scatter
    plot. Months and days by name stand as in the calendar; keys beside names aren't drawn. The columns' names
    are the titles of the axes. Title and cells stay data: Vega-Lite is given them as values, never as
    expressions.
    """
    if not FEWEST <= len(result.rows) <= MOST_POINTS:
        return None
    columns = _columns(result)
    mark_and_encoding = _choose(columns, len(result.rows)) if len(columns) in {2, 3} else None
    if mark_and_encoding is None:
        return None
    mark, encoding = mark_and_encoding
    cells = zip(*(column.cells for column in columns), strict=True)
    values = [{f"c{i}": _json(cell) for i, cell in enumerate(row)} for row in cells]
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


def _columns(result: Result) -> list[_Column]:
    """The columns to draw: first and last names as one, keys only where nothing names the rows."""
    cells = list(zip(*result.rows, strict=True))
    found: list[_Column] = []
    for place, name in enumerate(result.columns):
        if found and _LAST.search(name) and _FIRST.search(found[-1].heading):
            whole = [f"{a} {b}" for a, b in zip(found[-1].cells, cells[place], strict=True)]
            found[-1] = _Column("Name", "text", whole)
        else:
            found.append(_Column(name, _kind(name, cells[place]), cells[place]))
    told = [c for c in found if not _KEY.search(c.heading)]
    return told if any(c.kind != "number" for c in told) else found


def _choose(columns: Sequence[_Column], rows: int) -> tuple[str, dict[str, Any]] | None:
    def axis(index: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"field": f"c{index}", "type": kind, "title": columns[index].heading, **more}

    def of(*kinds: Kind) -> list[int]:
        return [i for i, column in enumerate(columns) if column.kind in kinds]

    numbers, times, names, texts = of("number"), of("time", "period"), of("name"), of("text")
    colour = {"color": axis(texts[0], "nominal")} if texts and len(columns) == 3 else {}
    all_told = len(columns) == 2 + bool(colour)
    if len(times) == 1 and len(numbers) == 1 and all_told:
        place = times[0]
        is_time = columns[place].kind == "time"
        x = axis(place, "temporal") if is_time else axis(place, "ordinal", sort="ascending")
        return "line", {"x": x, "y": axis(numbers[0], "quantitative"), **colour}
    if len(names) == 1 and len(numbers) == 1 and all_told:
        order = list(dict.fromkeys(sorted((c for c in columns[names[0]].cells if c), key=moment)))
        x = axis(names[0], "ordinal", sort=order)
        return "bar", {"x": x, "y": axis(numbers[0], "quantitative"), **colour}
    if len(numbers) == 2 and all_told and rows >= FEWEST_POINTS:
        across, up = (axis(i, "quantitative") for i in numbers)
        return "point", {"x": across, "y": up, **colour}
    if len(texts) == 1 and len(numbers) == 1 and len(columns) == 2 and rows <= MOST_BARS:
        return "bar", {"y": axis(texts[0], "nominal", sort="-x"), "x": axis(numbers[0], "quantitative")}
    return None


def _kind(heading: str, cells: Sequence[Any]) -> Kind:
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(c, date | datetime) or (isinstance(c, str) and _is_day(c)) for c in known):
        return "time"
    if known and is_period(heading, known):
        return "name" if names_in_calendar(known) else "period"
    if _KEY.search(heading):
        return "text"  # a number that only tells rows apart
    if known and all(isinstance(c, int | float | Decimal) and not isinstance(c, bool) for c in known):
        return "number"
    return "text"


def _is_day(text: str) -> bool:
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
    return cell.isoformat() if isinstance(cell, date | datetime) else shown_value(cell)
