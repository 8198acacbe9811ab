"""What became of one query: the three outcomes that every rate counts."""

from enum import StrEnum

PASS_AT = (1, 5, 10, 15, 20)
"""Of how many first candidates at least one is to be right, for pass@k."""


class Outcome(StrEnum):
    """CR, IR and ER count these; they are disjoint and add up to all questions (specs/metrics.md, section 2).

    `ERROR` covers a query that fails, runs out of time or is missing.
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    ERROR = "error"
