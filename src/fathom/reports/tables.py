"""The figures of runs as Markdown, CSV and JSON."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.evaluation.runs.contrast import Contrast, contrasts
from fathom.reports.chapters import chapters
from fathom.reports.sheet import Cell, Chapter, letter

_RATES = ("correct_rate", "incorrect_rate", "error_rate", "coverage", "selective_accuracy",
          "unanswerable_refused", "answerable_refused", "right_among_shown",
          "unanswerable_shown")  # fmt: skip
_COLUMNS = (
    "run",
    "benchmark",
    "split",
    "grouping",
    "group",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "missing",
)


def build_json(folders: Sequence[Path]) -> str:
    """Everything as one JSON object."""
    return json.dumps(contrasts_as_json(contrasts(folders)), ensure_ascii=False, indent=1) + "\n"


def contrasts_as_json(found: Sequence[Contrast]) -> dict[str, Any]:
    """Runs over one benchmark as one object; over several, a list of such under `benchmarks`."""
    return found[0].as_json() if len(found) == 1 else {"benchmarks": [one.as_json() for one in found]}


def build_csv(folders: Sequence[Path]) -> str:
    """One line a figure: run, group, metric, value, interval and N."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for label, summary in (item for found in contrasts(folders) for item in found.summaries.items()):
        about = {"run": label, "benchmark": summary.configuration["benchmark"],
                 "split": summary.configuration.get("split") or ""}  # fmt: skip
        writer.writerows(about | {"grouping": "all", "group": ""} | row for row in _rows(summary.all))
        for grouping, groups in summary.by.items():
            for name, figures in groups.items():
                # A leading `=` or `+` would make a spreadsheet run the text as a formula.
                group = f"'{name}" if name[:1] in "=+-@\t" else name
                writer.writerows(
                    about | {"grouping": grouping, "group": group} | row for row in _rows(figures)
                )
    return out.getvalue()


def _rows(figures: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _RATES:
        low, high = figures["intervals"][name]
        yield {
            "metric": name,
            "value": figures[name],
            "low": low,
            "high": high,
            "n": figures["counts"][name][1],
        }
    yield from _means(figures["partial"], "")
    yield from _means({"seconds_per_question": figures["seconds_per_question"]}, "")
    for part in ("selection", "generation", "revision", "calls"):
        yield from _means(figures[part] or {}, f"{part}.")
    yield from _means(figures.get("words") or {}, "words.")
    for module, used in figures["usage"].items():
        yield from _means(used, f"usage.{module}.")


def _means(found: Mapping[str, Any], prefix: str) -> Iterator[dict[str, Any]]:
    for name, value in found.items():
        if isinstance(value, Mapping) and "value" in value:
            low, high = value.get("interval") or (None, None)
            yield {"metric": prefix + name, "value": value["value"], "low": low, "high": high,
                   "n": value["n"], "missing": value.get("missing")}  # fmt: skip
        elif isinstance(value, Mapping):
            yield from _means(value, f"{prefix}{name}.")
        elif name == "CI":
            yield {"metric": prefix + name, "value": value, "n": found["n"]}


def build_markdown(folders: Sequence[Path]) -> str:
    """Every table of the page, also those behind its charts, as Markdown."""
    found = contrasts(folders)
    numbers = {number: label for one in found for label, number in one.numbers.items()}
    lines = [
        "# Runs",
        "",
        *_lines([["letter", "run"], *([letter(n), _escaped(numbers[n])] for n in sorted(numbers))]),
    ]
    return "\n".join([*lines, *chapter_lines(chapters(found))]) + "\n"


def chapter_lines(made: Sequence[Chapter]) -> list[str]:
    """Every table of chapters as Markdown, also those behind their charts."""
    lines = []
    for chapter in made:
        lines += [
            "",
            f"## {_escaped(chapter.title)}",
            *(["", _escaped(chapter.note)] if chapter.note else []),
        ]
        for sheet in chapter.tables:
            lines += ["", f"### {_escaped(sheet.title)}", *(["", _escaped(sheet.note)] if sheet.note else [])]
            rows = [[_marked(row[i]) for i in sheet.told] for row in (sheet.head, *sheet.rows)]
            lines += ["", *_lines(rows)]
    return lines


_MARKS = {0: "", 1: "**", 2: "_"}


def _marked(cell: Cell) -> str:
    """A cell in Markdown, the best of a column bold and the second best in italics."""
    mark = _MARKS[cell.rank]
    return f"{mark}{_escaped(cell.plain)}{mark}"


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    return [line(rows[0]), "|" + "---|" * len(rows[0]), *map(line, rows[1:])]


def _escaped(cell: str) -> str:
    """Text that stays text in Markdown, also where the renderer lets HTML through."""
    for mark, harmless in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " ")):
        cell = cell.replace(mark, harmless)
    return cell
