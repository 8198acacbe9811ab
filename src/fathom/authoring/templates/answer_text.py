"""The answer in words that a template gives a result."""

import math
import re
from collections.abc import Mapping
from typing import Any

from fathom.authoring.templates.fillings import Filling, filled_text, said
from fathom.authoring.templates.template_file import SLOT
from fathom.records import Result

LISTED = 10
"""Different values that an answer spells out before it says how many more there are."""


def is_negative(result: Result) -> bool:
    """True if a result says that there is none: no rows, or one row of nothing but zeros and nulls."""
    if len(result.rows) != 1:
        return not result.rows
    return all(value is None or (value == 0 and not isinstance(value, bool)) for value in result.rows[0])


def answer_in_words(wordings: Mapping[str, str], filling: Filling, result: Result, limit: int) -> str:
    """The template's answer: for none, one or some rows, filled from the slots and the rows.

    `{n}` is how many rows there are, `{first.x}` the first row's value, `{list.x}` the different ones.
    """
    if is_negative(result):
        kind = "none"
    elif len(result.rows) == 1 and "one" in wordings:
        kind = "one"
    else:
        kind = "some"
    columns = {name.casefold(): place for place, name in enumerate(result.columns)}

    def found(match: re.Match[str]) -> str:
        name, _, column = match[1].partition(".")
        if name == "n":
            return f"at least {limit:,}" if len(result.rows) >= limit else f"{len(result.rows):,}"
        if not column or (column.casefold() not in columns):
            return match[0]
        values = [row[columns[column.casefold()]] for row in result.rows]
        return (said(values[0]) if values else "none") if name == "first" else _listed(values)

    return SLOT.sub(found, filled_text(wordings[kind], filling))


def _listed(values: list[Any]) -> str:
    different = sorted({v for v in values if v is not None}, key=lambda v: (isinstance(v, str), v))
    shown = [said(v) for v in different[:LISTED]]
    if more := len(different) - len(shown):
        return f"{', '.join(shown)} and {more:,} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"


def as_json(value: Any) -> Any:
    """A cell as JSON holds it; numbers that JSON has no form for become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
