"""The answer in words, written from the result alone: every number in it is a cell or a count of rows."""

from collections.abc import Sequence
from typing import Any

from fathom.answering.explain import shown_items
from fathom.answering.phrases import join_words
from fathom.records import Result, shown_value

LISTED = 10
"""How many rows are spelt out before the sentence turns to a summary."""


def in_words(result: Result, dialect: str) -> str:
    """Say what a result holds in one or two sentences."""
    if not result.rows:
        return "Nothing in the database matches."
    names = _column_names(result, dialect)
    if len(result.rows) == 1:
        return _one_row(names, result.rows[0])
    shown = result.rows[:LISTED]
    how_many = _row_count(result)
    opening = f"{how_many}: " if len(shown) == len(result.rows) else f"{how_many}; the first {len(shown)}: "
    listed = [_row(row) for row in shown]
    separator = "; " if len(names) > 1 else ", "
    return f"{opening}{separator.join(listed)}.{_cut(result)}"


def _column_names(result: Result, dialect: str) -> Sequence[str]:
    """What the columns hold, in words where the query says it: `count(*)` is no name for people."""
    items = shown_items(result.sql, dialect)
    return items if len(items) == len(result.columns) else result.columns


def _one_row(names: Sequence[str], row: Sequence[Any]) -> str:
    told = join_words(f"{name} is {shown_value(cell)}" for name, cell in zip(names, row, strict=True))
    return f"{told[:1].upper()}{told[1:]}."


def _row(row: Sequence[Any]) -> str:
    first, *others = (shown_value(cell) for cell in row)
    return f"{first} ({', '.join(others)})" if others else first


def _row_count(result: Result) -> str:
    return f"{'More than ' if result.truncated else ''}{len(result.rows)} rows"


def _cut(result: Result) -> str:
    if not result.truncated:
        return ""
    limit = "rows" if result.truncated == "rows" else "size"
    return f" The result was cut at the limit on {limit}: what follows is not here."
