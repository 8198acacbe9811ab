"""The outcome of one query: three that every rate counts, and one that none does."""

from collections.abc import Mapping
from enum import StrEnum

PASS_AT = (1, 5, 10, 15, 20)
"""Of how many first candidates at least one is to be right, for pass@k."""


class Outcome(StrEnum):
    """CR, IR and ER count the first three; they are disjoint and add up to all questions that were judged.

    `ERROR` covers a query that fails, runs out of time or is missing (docs/metrics.md).
    `UNJUDGED` says nothing about the query: there is no gold to hold it against, or none that runs.
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    ERROR = "error"
    UNJUDGED = "unjudged"


JUDGED = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.ERROR)
"""The outcomes that rates count."""

SAME = ("equivalent", "different", "unclear")
"""The verdicts of a judge on two queries."""

UNJUDGED_BECAUSE = {
    "database": "their databases aren't here",
    "gold": "their gold fails",
    "no_gold": "they have no gold",
}
"""The classes of an unjudged question's error, and what reports say of them."""


def told_unjudged(because: Mapping[str, int]) -> str:
    """How many questions are not judged, and why, in words; empty where all are."""
    told = {UNJUDGED_BECAUSE.get(name, name): count for name, count in because.items()}
    if len(told) < 2:
        return "".join(f"{count:,} not judged: {why}" for why, count in told.items())
    counted = ", ".join(f"{count:,} because {why}" for why, count in told.items())
    return f"{sum(told.values()):,} not judged: {counted}"
