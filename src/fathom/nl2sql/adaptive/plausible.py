"""Checks of a result's shape against the question, made without knowing the answer."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from typing import Any

from fathom.nl2sql.adaptive.asked_shape import AskedShape, asked_shape
from fathom.nl2sql.anatomy import anatomy
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.nl2sql.voting import hashable
from fathom.text.words import words

_ASKS_WHETHER = frozenset("is are was were does do did has have can".split())
_DATED = re.compile(
    r"\d{4}|\d{1,2}[:/.-]\d{1,2}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE
)
_DAYS = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_LAST_YEAR, _LEAST_EPOCH = 2999, 10**8
"""A whole number up to the one may be a year, a month or an hour; from the other on, seconds since 1970."""


def complaints(question: str, outcome: QueryRun) -> tuple[str, ...]:
    """List the objections to a query's result, in words for a model; empty where it fits."""
    if outcome.status is Status.ERROR:
        return (f"The database refuses it: {outcome.error}",)
    if outcome.status is Status.TIMED_OUT:
        return ("It takes too long.",)
    if outcome.result is None or not outcome.result.rows:
        return ("It gives no rows; a value, a join or a condition may not be as the data has them.",)
    rows = outcome.result.rows
    found = list(_misshapen(asked_shape(question), rows))
    if all(cell is None for row in rows for cell in row):
        found.insert(0, "It gives nothing but NULL.")
    asks_whether = words(question)[:1] in ([w] for w in _ASKS_WHETHER)
    if len(set(map(hashable, rows))) * 2 < len(rows) and not asks_whether and _multiplied(outcome.sql):
        found.append("Most of its rows are repeats of others.")
    return tuple(found)


def fits(question: str, outcome: QueryRun) -> bool:
    """True if nothing speaks against a result."""
    return not complaints(question, outcome)


def _misshapen(asked: AskedShape, rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Give the faults of the rows against the shape that is asked for; NULL may stand for anything."""
    first = [cell for cell in rows[0] if cell is not None]
    if asked.one_number and len(rows) > 1:
        yield "The question asks for one number, and it gives several rows."
    elif asked.one_number and not any(map(_is_number, rows[0])):
        yield "The question asks for a number, and it gives none."
    if asked.columns > len(rows[0]):
        yield f"The question asks for {asked.columns} things of each, and it gives {len(rows[0])}."
    if asked.rows is not None and len(rows) > asked.rows:
        yield f"The question asks for {asked.rows}, and it gives {len(rows):,} rows."
    if asked.when and first and not any(map(_is_time, first)):
        yield "The question asks for a time, and it gives none."
    if asked.who and first and all(map(_is_number, first)):
        yield "The question asks for a name, and it gives numbers alone."


def _multiplied(sql: str) -> bool:
    """True if a join may have multiplied rows: of one table alike rows are what the data hold."""
    found = anatomy(sql, "")
    return found is None or bool(found.joins)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)


def _is_time(cell: Any) -> bool:
    if isinstance(cell, date | time):
        return True
    if isinstance(cell, str):
        return bool(_DATED.search(cell) or _DAYS.search(cell))
    return _is_number(cell) and (0 < cell <= _LAST_YEAR or cell >= _LEAST_EPOCH)
