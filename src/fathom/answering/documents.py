"""Answers to take along: rows as CSV for spreadsheets, answers as one HTML file."""

import csv
import io
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from fathom.answering.forms import cell_as_json
from fathom.answering.pictures import picture_of
from fathom.records import Answer, Chart, Result, shown_rows
from fathom.text.templates import html_templates

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a text begins that spreadsheets take for a formula; some also after white space, or in full width."""
_DIGITS = 15
"""So many digits every number of a double keeps."""
MOST_ROWS = 200
"""Of each result in a document to read; CSV and JSON have all."""


def as_csv(result: Result) -> str:
    """The rows under their columns' names; text that spreadsheets take for a formula has a ' before it."""
    written = io.StringIO()
    writer = csv.writer(written)
    for row in (result.columns, *result.rows):
        writer.writerow([csv_cell(cell, safe=True) for cell in row])
    return written.getvalue()


def csv_cell(cell: Any, *, safe: bool) -> Any:
    """A cell as JSON has it, with lists and objects as JSON text; empty where nothing is known.

    Numbers have fifteen digits. `safe`: no text begins as a formula does.
    """
    form = cell_as_json(cell)
    if isinstance(form, float):
        form = float(f"{form:.{_DIGITS}g}")  # the last digits of a sum are noise: 978668.4900000001
    if isinstance(form, list | dict):
        form = json.dumps(form, ensure_ascii=False)
    is_formula = isinstance(form, str) and form.lstrip(" ").startswith(_FORMULA)
    return f"'{form}" if safe and is_formula else form


def as_html(answers: Sequence[Answer]) -> str:
    """Answers as one HTML file that needs no network and runs no script."""
    title = answers[0].question.text if answers else "No answers"
    text: str = _environment().get_template("document.html").render(answers=answers, title=title)
    return text


@cache
def _environment() -> Environment:
    made = html_templates("fathom.answering")
    made.filters |= {
        "as_shown": lambda rows: shown_rows(rows.columns, rows.rows[:MOST_ROWS]),
        "left_out": _left_out,
        "picture": _picture,
        "sure": lambda confidence: "" if confidence is None else f"{confidence:.0%}",
    }
    made.tests["numeric"] = lambda v: isinstance(v, int | float) and not isinstance(v, bool)
    return made


def _left_out(rows: Result) -> str:
    count, more = len(rows.rows), "; the limits cut the rows, there are more" if rows.truncated else ""
    if count > MOST_ROWS:
        return f"The first {MOST_ROWS:,} of {count:,} rows{more}."
    return f"{count:,} rows{more}." if more else ""


def _picture(chart: Chart) -> Markup:
    return Markup(picture_of(chart))  # what draws it escapes its text
