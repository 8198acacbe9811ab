"""A chart on a terminal: a bar a row. Pictures are for files and browsers."""

from collections.abc import Mapping
from typing import Any

from rich.bar import Bar
from rich.table import Table

from fathom.interfaces.cli.display import console, notices, plain
from fathom.records import Chart

MOST_BARS = 40
"""Rows drawn: about a screen."""


def show_chart(chart: Chart) -> None:
    """Draw the chart's numbers as bars, each beside what it is of; if there are none, say how to see it."""
    encoding = chart.specification.get("encoding", {})
    axes = [encoding[a] for a in ("x", "y") if a in encoding]
    number = next((a for a in reversed(axes) if a.get("type") == "quantitative"), None)
    label = next((a for a in axes if a.get("type") != "quantitative"), None)
    if number is None or label is None:
        notices.print("This chart is no bars or line: write it with chart FILE.html to see it.")
        return
    values = list(chart.specification["data"]["values"])
    console.print(_bars(values[:MOST_BARS], label, number, encoding.get("color")))
    if len(values) > MOST_BARS:
        notices.print(f"The first {MOST_BARS} of {len(values)}; chart FILE.html draws all.", style="dim")


def _bars(
    values: list[Mapping[str, Any]],
    label: Mapping[str, Any],
    number: Mapping[str, Any],
    colour: Mapping[str, Any] | None,
) -> Table:
    numbers = [v.get(number["field"]) or 0 for v in values]
    most = max((abs(n) for n in numbers), default=0) or 1
    table = Table(box=None, show_header=False, pad_edge=False, title=plain(str(number.get("title", ""))))
    for _ in range(2):
        table.add_column(justify="right", overflow="fold")
    table.add_column(ratio=1)
    for value, size in zip(values, numbers, strict=True):
        told = [str(value.get(label["field"])), *([str(value.get(colour["field"]))] if colour else ())]
        table.add_row(plain(", ".join(told)), plain(f"{size:,.10g}"), Bar(most, 0, abs(size), width=None))
    return table
