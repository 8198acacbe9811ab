"""The parts of a report in any format: chapters of tables and charts.

The page, Markdown and the terminal show the same cells; a chart stands beside the table of what it draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from markupsafe import Markup

UNKNOWN = "–"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Heat = Literal["", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `more` is its interval or count, `run` the number of the run that it names.

    `heat`, from 0 to 1, tints it; `mark` is a small drawing, on the page only; `flag` says in a word why it
    stands out; `rank` is 1 for the best of a column, 2 for the second best, as papers mark them.
    """

    text: str
    more: str = ""
    run: int | None = None
    heat: float | None = None
    mark: Markup = Markup()
    flag: str = ""
    rank: int = 0

    @property
    def named(self) -> str:
        """The text, after the letter of the run that it names."""
        return ": ".join(p for p in ("" if self.run is None else letter(self.run), self.text) if p)

    @property
    def plain(self) -> str:
        """The cell as text on one line."""
        more, flag = f" ({self.more})" if self.more else "", f" [{self.flag}]" if self.flag else ""
        return f"{self.named}{more}{flag}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: `title` is its caption, `note` how to read it; every row is as long as `head`.

    The first `lead` cells of a row say what it is of and over how many questions, before anything that may
    be out of sight. `heat` says whether a high value is good or bad.
    """

    title: str
    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    heat: Heat = ""
    lead: int = 1

    @property
    def told(self) -> list[int]:
        """The columns that hold text: where there is no page, those of drawings alone are left out."""
        rows = (self.head, *self.rows)
        return [i for i in range(len(self.head)) if any(row[i].plain for row in rows)]

    def folded(self) -> "Sheet":
        """The table without the columns that are unknown, or nothing, in every row."""
        kept = [
            i for i in range(len(self.head))
            if i < self.lead or any(row[i].text not in {UNKNOWN, "0", ""} or row[i].mark for row in self.rows)
        ]  # fmt: skip
        head, rows = [self.head[i] for i in kept], [[row[i] for i in kept] for row in self.rows]
        return replace(self, head=head, rows=rows)


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart; `note` tells how to read it, `sheet` holds what it draws.

    `questions` is how many it rests on, for each run that it shows.
    """

    title: str
    note: str
    chart: Markup
    sheet: Sheet
    questions: Sequence[int]

    @property
    def caption(self) -> str:
        """How to read the chart, and over how many questions it is."""
        return f"{self.note} N\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{span(self.questions)}."


@dataclass(frozen=True, slots=True)
class Chapter:
    """One part of a report; `id` is what links to it name."""

    id: str
    title: str
    note: str = ""
    sheets: Sequence[Sheet] = ()
    figures: Sequence[Figure] = ()

    @property
    def tables(self) -> list[Sheet]:
        """Every table, also those behind charts."""
        return [*self.sheets, *(figure.sheet for figure in self.figures)]


def letter(number: int) -> str:
    """The letter of a run: A, B, ..., Z, AA, ..."""
    return LETTERS[number] if number < len(LETTERS) else letter(number // 26 - 1) + LETTERS[number % 26]


def text(content: object) -> Cell:
    """A cell of plain text."""
    return Cell(str(content))


def heads(*names: str) -> list[Cell]:
    """Headings."""
    return [Cell(name) for name in names]


def span(numbers: Iterable[int]) -> str:
    """One number, or the least and the greatest of several."""
    found = sorted(set(numbers))
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"


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


def dollars(used: Mapping[str, Any] | None) -> Cell:
    """A question's mean cost; from least to most where tokens of prompts and replies aren't told apart."""
    if used is None or used["cost_usd"]["value"] is not None or used["least_usd"]["value"] is None:
        return mean(used and used["cost_usd"])
    low, high = used["least_usd"], used["most_usd"]
    return Cell(f"{number(low['value'])} to {number(high['value'])}", f"N = {low['n']:,}")


def number(value: float) -> str:
    """A number in three digits, or whole from a hundred on."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def signed(value: float) -> str:
    """A difference to one decimal with its sign; one that shows as nothing has none."""
    shown = f"{value:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def points(difference: float) -> Cell:
    """A difference of two shares."""
    return Cell(f"{signed(100 * difference)} points")


def p_value(p: float | None) -> Cell:
    """A p-value in two digits."""
    return Cell(UNKNOWN if p is None else f"{p:.2g}")
