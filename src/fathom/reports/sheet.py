"""The parts of a report in any format: chapters of tables and charts.

The page, Markdown and the terminal show the same cells; a chart stands beside the table of what it draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup

UNKNOWN = "–"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Heat = Literal["", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `more` is its interval or count, `run` the number of the run that it names.

    `heat`, from 0 to 1, tints it; `mark` is a small drawing, on the page only; `flag` says in a word why it
    stands out.
    """

    text: str
    more: str = ""
    run: int | None = None
    heat: float | None = None
    mark: Markup = Markup()
    flag: str = ""

    @property
    def plain(self) -> str:
        """The cell as text."""
        named = f"{letter(self.run)}: {self.text}" if self.run is not None and self.text else self.text
        if self.run is not None and not self.text:
            named = letter(self.run)
        flag = f" [{self.flag}]" if self.flag else ""
        return f"{named} ({self.more}){flag}" if self.more else named + flag


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: `title` is its caption, `note` how to read it; every row is as long as `head`.

    The first cell of a row is its heading. `heat` says whether a high value is good or bad.
    """

    title: str
    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    heat: Heat = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart; `note` tells how to read it, `sheet` holds what it draws."""

    title: str
    note: str
    chart: Markup
    sheet: Sheet


@dataclass(frozen=True, slots=True)
class Chapter:
    """One part of a report; `id` is what links to it name."""

    id: str
    title: str
    note: str = ""
    sheets: Sequence[Sheet] = ()
    figures: Sequence[Figure] = field(default_factory=tuple)


def letter(number: int) -> str:
    """The letter of a run: A, B, ..., Z, AA, ..."""
    return LETTERS[number] if number < len(LETTERS) else letter(number // 26 - 1) + LETTERS[number % 26]


def text(content: object) -> Cell:
    """A cell of plain text."""
    return Cell(str(content))


def heads(*names: str) -> list[Cell]:
    """Headings."""
    return [Cell(name) for name in names]


def count(number: int | None) -> Cell:
    """A whole number."""
    return Cell(UNKNOWN if number is None else f"{number:,}")


def share(found: Mapping[str, Any] | None, *, heat: bool = False, counted: bool = True) -> Cell:
    """A rate or a mean share as `as_json` gives it, with its interval and N; “–” where it isn't known."""
    if found is None:
        return Cell(UNKNOWN)
    if found["value"] is None:
        return Cell("not defined", "N = 0" if not found.get("n") else f"N = {found['n']:,}")
    parts = []
    if interval := found.get("interval"):
        parts.append(f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}")
    if counted:
        parts.append(f"{found['hits']:,} of {found['n']:,}" if "hits" in found else f"N = {found['n']:,}")
    value = found["value"]
    return Cell(f"{100 * value:.1f} %", "; ".join(parts), heat=value if heat else None)


def rate(figures: Mapping[str, Any], name: str, *, heat: bool = False) -> Cell:
    """One of the rates that a summary keeps flat, with its interval and counts."""
    hits, trials = figures["counts"][name]
    found = {"value": figures[name], "interval": figures["intervals"][name], "hits": hits, "n": trials}
    return share(found, heat=heat)


def mean(found: Mapping[str, Any] | None) -> Cell:
    """A mean of something other than shares, with its interval and N."""
    if found is None or found["value"] is None:
        return Cell(UNKNOWN)
    parts = []
    if interval := found.get("interval"):
        parts.append(f"{number(interval[0])} to {number(interval[1])}")
    parts.append(f"N = {found['n']:,}")
    if found.get("missing"):
        parts.append(f"unknown for {found['missing']:,}")
    return Cell(number(found["value"]), "; ".join(parts))


def number(value: float) -> str:
    """A number in three digits, or whole from a hundred on."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def p_value(p: float | None) -> Cell:
    """A p-value in two digits."""
    return Cell(UNKNOWN if p is None else f"{p:.2g}")
