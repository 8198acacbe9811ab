"""The answer in words: every number is a cell, a count of rows, or one that the query compares with."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from fathom.answering.explain import NOTHING_CALLED, Shown, shown
from fathom.answering.phrases import join_words
from fathom.records import Result, shown_value

LISTED = 10
"""How many rows are spelt out before the sentence turns to a summary."""
MOST_SAID = 3
"""Columns of each row that are spelt out; the table has all."""
LONGEST = 60
"""Letters of a cell among several rows: longer ones are left to the table, or cut where there is no other."""
_RECORD_ID = re.compile(r"(?i:(^|_)(uu)?id$|identifier$)|(?<=[a-z])(UUID|ID|Id)$")
_NAME = re.compile(r"(name|title)$", re.IGNORECASE)
_FIRST_NAME = re.compile(r"((first|given)_?name|forename|fname)$", re.IGNORECASE)
_LAST_NAME = re.compile(r"((last|family)_?name|surname|lname)$", re.IGNORECASE)


def in_words(result: Result, dialect: str, called: Mapping[str, str] = NOTHING_CALLED) -> str:
    """Say what a result holds in one or two sentences.

    Of rows with many columns it says what they are called, what they are sorted by, and what else is short.
    `called` are names for tables, by their own in small letters.
    """
    if not result.rows:
        return "Nothing in the database matches."
    if not result.columns:  # PostgreSQL takes `SELECT FROM t`
        return "The result has no columns."
    of_query = shown(result.sql, dialect, called)
    if len(result.rows) == 1:
        return _one_row(of_query, result)
    listed = result.rows[:LISTED]
    how_many = _row_count(result)
    opening = f"{how_many}: " if len(listed) == len(result.rows) else f"{how_many}; the first {len(listed)}: "
    places, last_names = _said(result, of_query), _last_names(result)
    names = _column_names(of_query, result)
    untold = len(names) - len(places) - len(last_names)
    labels = [names[p] for p in places] if len(places) > 2 or untold > 0 else None
    said = [[_whole(row, p, last_names) for p in places] for row in listed]
    told = [_row(cells, labels) for cells in said]
    # The cells themselves, for two long ones may be cut to the same words.
    if said.count(said[0]) == len(result.rows) and not result.truncated:
        return f"{how_many}, all of them {told[0]}."
    separator = "; " if len(places) > 1 else ", "
    return f"{opening}{separator.join(told)}.{_cut(result)}"


def _column_names(of_query: Shown, result: Result) -> Sequence[str]:
    """What the columns hold, in words where the query says it: `count(*)` is no name for people."""
    return of_query.items if len(of_query.items) == len(result.columns) else result.columns


def _one_row(of_query: Shown, result: Result) -> str:
    (row,) = result.rows
    if of_query.counted and len(row) == 1:
        return f"The count is {shown_value(row[0])}: {of_query.counted}."
    names = _column_names(of_query, result)
    known = sorted(range(len(row)), key=lambda p: bool(_RECORD_ID.search(result.columns[p])))  # ids last
    told = join_words(f"{names[p]} is {shown_value(row[p])}" for p in known)
    opens = told.partition(" ")[0]
    return f"{opens.capitalize() if opens.islower() else opens}{told[len(opens) :]}."  # drugName stays


def _said(result: Result, of_query: Shown) -> list[int]:
    """The places of the columns to say of each of several rows, what the rows are called first."""
    cells = list(zip(*result.rows[:LISTED], strict=True))
    short = [p for p, column in enumerate(cells) if max(len(shown_value(c)) for c in column) <= LONGEST]
    ids = [p for p in short if _RECORD_ID.search(result.columns[p])]
    telling = [p for p in short if p not in ids and p not in _last_names(result).values()]
    texts = [p for p in telling if any(isinstance(c, str) for c in cells[p])]
    named = next((p for p in texts if _NAME.search(result.columns[p])), None)
    first = next(p for p in (named, *texts[:1], *ids[:1], *short[:1], 0) if p is not None)
    if not telling and len(cells) > len(short):
        telling = [next(p for p in range(len(cells)) if p not in short)]  # nothing short says anything
    sorted_by = [p for p in of_query.sorted_by if p in telling]
    return list(dict.fromkeys((first, *sorted_by, *telling)))[:MOST_SAID]


def _last_names(result: Result) -> dict[int, int]:
    """The places of first names, each with that of the last name beside it."""
    columns = list(enumerate(result.columns))
    return {p: q for (p, a), (q, b) in pairwise(columns) if _FIRST_NAME.search(a) and _LAST_NAME.search(b)}


def _whole(row: Sequence[Any], place: int, last_names: Mapping[int, int]) -> Any:
    """A cell; of a first name the whole one, as far as it is known."""
    if place not in last_names:
        return row[place]
    return " ".join(str(c) for c in (row[place], row[last_names[place]]) if c is not None) or None


def _row(cells: Sequence[Any], labels: Sequence[str] | None) -> str:
    first, *others = (_short(cell) for cell in cells)
    if labels is not None:
        others = [f"{label}: {cell}" for label, cell in zip(labels[1:], others, strict=True)]
    return f"{first} ({', '.join(others)})" if others else first


def _short(cell: Any) -> str:
    text = shown_value(cell)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _row_count(result: Result) -> str:
    return f"{'More than ' if result.truncated else ''}{len(result.rows)} rows"


def _cut(result: Result) -> str:
    if not result.truncated:
        return ""
    limit = "rows" if result.truncated == "rows" else "size"
    return f" The result was cut at the limit on {limit}: what follows is not here."
