"""The charts of a report as files for a paper: SVG and PDF, a column wide, with a legend of the runs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from fathom.answering.pictures import pdf_of
from fathom.errors import InputError, MissingExtra
from fathom.evaluation.runs.contrast import contrasts
from fathom.files import write_whole
from fathom.reports.chapters import chapters
from fathom.reports.charts.svg import WIDTH, colour, element, join, text
from fathom.reports.sheet import Figure, letter

_INCHES = 3.3
"""The width of a column in the two-column styles of conferences."""
_ROW, _LONGEST = 15, 62
_COLOURS = ("#0068a3", "#ad4a00", "#00714f", "#a04a80", "#7a5f00", "#2f4b9b", "#a23b3b", "#456f0d", "#6b4fa0",
            "#566169")  # fmt: skip
_PARTS = {"C": "#bfdccd", "I": "#eac9c6", "E": "#e0d3b0", "A": "#b3d2e3", "G": "#d4e6dc", "N": "#dee0e2",
          "B": "#e7c9b3"}  # fmt: skip
_STYLE = """text{fill:#1d2327;font-family:Liberation Sans,Arial,Helvetica,sans-serif;font-size:12px}
.tick{fill:#5b656d}.label{font-weight:600}.letter{font-weight:700}.part-text{font-size:11px}
.grid{stroke:#dfdcd4;fill:none}.axis{stroke:#5b656d}
.diagonal,.front{stroke:#5b656d;fill:none;stroke-dasharray:4 4}
.line{stroke-width:2;fill:none}.hollow{fill:#fff;stroke-width:2}.bar{opacity:.8}
.whisker{stroke:#1d2327;stroke-width:1.5;opacity:.75}.shape{stroke-width:2;fill-opacity:.07}.part{stroke:#fff}
"""


@dataclass(frozen=True, slots=True)
class WrittenFigures:
    """How many charts were written as SVG, and whether as PDF too."""

    count: int
    as_pdf: bool


def write_figures(folders: Sequence[Path], out: Path) -> WrittenFigures:
    """Write every chart of a report of runs into a folder, as `by-difficulty.svg` and `by-difficulty.pdf`.

    Without vl-convert there is no PDF. Raises `InputError` where a file can't be written.
    """
    found = contrasts(folders)
    labels = {number: label for one in found for label, number in one.numbers.items()}
    figures = [figure for chapter in chapters(found) for figure in chapter.figures]
    as_pdf, names = True, set[str]()
    try:
        out.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            name = _name(figure.title, names)
            write_whole(out / f"{name}.svg", standalone(figure, labels, unit="in"), mode=0o644)
            try:
                pdf = pdf_of(standalone(figure, labels, unit=""))
                write_whole(out / f"{name}.pdf", pdf, mode=0o644)
            except MissingExtra:
                as_pdf = False
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error
    return WrittenFigures(len(figures), as_pdf)


def standalone(figure: Figure, labels: Mapping[int, str], *, unit: Literal["in", ""]) -> str:
    """A chart as a whole SVG file: with its colours, its size on paper, and the names of its runs.

    Without a unit its size is in points, which the PDF is drawn in.
    """
    chart = str(figure.chart)
    opened = re.match(rf'<svg viewBox="0 0 {WIDTH} ([\d.]+)"[^>]*>', chart)
    assert opened is not None, "charts are drawn by `drawing`"
    height = float(opened[1])
    shown = [n for n in sorted(labels) if f'"{colour(n)}"' in chart]
    legend = join(_legend(shown, labels, height))
    whole = height + _ROW * len(shown) + 6
    inside = join((element("title", figure.title), element("style", Markup(_style())),
                   element("rect", width=WIDTH, height=whole, fill="#fff"),
                   Markup(chart[opened.end() : chart.rindex("</svg>")]), legend))  # fmt: skip
    width = _INCHES if unit else 72 * _INCHES
    size = {"width": f"{width:g}{unit}", "height": f"{width * whole / WIDTH:.4g}{unit}"}
    return str(
        element("svg", inside, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {whole:g}", **size)
    )


def _legend(shown: Sequence[int], labels: Mapping[int, str], top: float) -> Iterator[Markup]:
    for row, number in enumerate(shown):
        label = labels[number]
        told = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
        y = top + _ROW * row + 10
        named = (
            text(letter(number), 12, y, anchor="start", class_="letter"),
            text(told, 30, y, anchor="start"),
        )
        yield element("g", join(named), class_=colour(number))


def _style() -> str:
    """The look of the page in plain colours: what draws SVG outside of browsers knows no variables."""
    runs = (
        f".of-run-{n} .line,.of-run-{n} .hollow,.of-run-{n} .shape{{stroke:{c}}}"
        f".of-run-{n} .dot,.of-run-{n} .bar,.of-run-{n} .shape,.of-run-{n} .letter{{fill:{c}}}\n"
        for n, c in enumerate(_COLOURS)
    )
    return _STYLE + "".join(runs) + "".join(f".part-{name}{{fill:{c}}}" for name, c in _PARTS.items())


def _name(title: str, seen: set[str]) -> str:
    """The file of a chart, its own also where two titles are alike without their marks."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:80] or "chart"
    name, number = plain, 2
    while name in seen:
        name, number = f"{plain}-{number}", number + 1
    seen.add(name)
    return name
