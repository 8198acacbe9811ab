"""A candidate query and the scores it was made by."""

from dataclasses import dataclass, replace

from fathom.offline.queries.query import Query

FILLING_WEIGHT = 0.45
EDIT_COST = 1.3
GRAMMARS = (
    "rows",
    "fact",
    "list",
    "count",
    "oldest",
    "total",
    "hierarchy",
    "role",
    "age",
    "first",
    "duration",
    "period",
    "ratio",
)
"""Sources of queries that a grammar makes, since training data hold next to none to learn from; each goes
before those ahead of it."""
STAND_IN = frozenset(("rows", "fact", "count", "oldest"))
"""Grammars of what training data do hold: theirs stand in where the choice isn't sure."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate query with the scores it was made by; `score` is their sum and orders candidates.

    `source` says where it comes from: `sketch`, one of `GRAMMARS`, or `example` for the query of a solved
    question, of that `similarity` with this one and with so many of its values `kept`. `unmet` is the weight
    of what outside knowledge said and the query doesn't. `settled` says of what a grammar made that nothing
    in the question leaves another reading open; `rule` is the name of that grammar, and `said` are the places
    of the words that the form of its query stands for.
    """

    query: Query
    score: float = 0.0
    sketch_score: float = 0.0
    filling_score: float = 0.0
    plan_rank: int = 0
    source: str = "sketch"
    sketch_rank: int = 0
    similarity: float = 0.0
    kept: int = 0
    unmet: float = 0.0
    settled: bool = False
    rule: str = ""
    said: frozenset[int] = frozenset()

    def edited(self, query: Query, gain: float) -> "Proposal":
        """This proposal with its query edited; `gain` is what that adds to its filling's score."""
        return replace(
            self,
            query=query,
            score=self.score - EDIT_COST + FILLING_WEIGHT * gain,
            sketch_score=self.sketch_score - EDIT_COST,
            filling_score=self.filling_score + gain,
        )
