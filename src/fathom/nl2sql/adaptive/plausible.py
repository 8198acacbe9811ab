"""Whether a result has the shape that a question asks for: what can be said without knowing the answer."""

from decimal import Decimal
from typing import Any

from fathom.nl2sql.executing import QueryRun, Status
from fathom.nl2sql.voting import hashable
from fathom.text.words import words

_ASKS_FOR_ONE_NUMBER = (("how", "many"), ("number", "of"), ("how", "much"))
_BY_GROUP = frozenset("each every per by group respectively".split())
_ASKS_WHETHER = frozenset("is are was were does do did has have can".split())


def complaints(question: str, outcome: QueryRun) -> tuple[str, ...]:
    """What speaks against a query's result, in words that can be told to a model; nothing where it fits."""
    if outcome.status is Status.ERROR:
        return (f"The database refuses it: {outcome.error}",)
    if outcome.status is Status.TIMED_OUT:
        return ("It takes too long.",)
    if outcome.result is None or not outcome.result.rows:
        return ("It gives no rows; a value, a join or a condition may not be as the data has them.",)
    rows, said = outcome.result.rows, words(question)
    found = []
    if all(cell is None for row in rows for cell in row):
        found.append("It gives nothing but NULL.")
    starts = tuple(said[:2])
    if starts in _ASKS_FOR_ONE_NUMBER and not _BY_GROUP.intersection(said):
        if len(rows) > 1:
            found.append("The question asks for one number, and it gives several rows.")
        elif not any(map(_is_number, rows[0])):
            found.append("The question asks for a number, and it gives none.")
    if len(set(map(hashable, rows))) * 2 < len(rows) and said[:1] not in ([w] for w in _ASKS_WHETHER):
        found.append("Most of its rows are repeats of others.")
    return tuple(found)


def fits(question: str, outcome: QueryRun) -> bool:
    """Whether nothing speaks against a result."""
    return not complaints(question, outcome)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
