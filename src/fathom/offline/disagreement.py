"""Support of the learned choice for a grammar's query that replaces it, or objections."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fathom.offline.checks.account import names_table
from fathom.offline.checks.trial_runs import Checked
from fathom.offline.linking import Linking
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.query import Aggregate, Query
from fathom.offline.ranking.choice import RankedCandidates
from fathom.records import Result

SUPPORTED, LIKELY = 0.3, 0.5
"""Probabilities at which the learned choice speaks against its replacement: rows like the replacement's have
less than the first, and the learned query has at least the second."""


class Learned(NamedTuple):
    """The choice among learned candidates, their places among all, and the place of the best that agrees."""

    choice: RankedCandidates
    places: Sequence[int]
    best: int


def speaks_against(
    learned: Learned,
    place: int,
    proposals: Sequence[Proposal],
    checked: Sequence[Checked],
    linking: Linking,
) -> bool:
    """True if what was learned finds the rows of what stands in unlikely.

    What was learned is of questions that name the rows they ask for, and counts what joins repeat.
    """
    once = _counts_once(proposals[place].query, proposals[learned.best].query)
    return _names_rows(linking) and not once and _share(learned, place, checked) < SUPPORTED


def _counts_once(one: Query, other: Query) -> bool:
    """True if two queries count the same, and the first counts what a join repeats once."""
    match one.select, other.select:
        case (Aggregate("count", _, distinct=True),), (Aggregate("count", distinct=False),):
            return one.where == other.where and one.having == other.having
    return False


def _names_rows(linking: Linking) -> bool:
    """True if a question names the rows that it asks for, as those do from which was learned."""
    return any(names_table(linking, m) for m in linking.table_mentions)


def _share(learned: Learned, place: int, checked: Sequence[Checked]) -> float:
    """How likely it is, as far as was learned, that a question asks for the rows that a candidate gives."""
    result = checked[place].result
    cells = None if result is None else cells_of(result)
    scores = learned.choice.scores
    odds = [math.exp(score - max(scores)) for score in scores]
    given = (checked[i].result for i in learned.places)
    alike = (o for r, o in zip(given, odds, strict=True) if r is not None and cells_of(r) == cells)
    return sum(alike) / sum(odds)


def cells_of(result: Result) -> set[tuple[str, ...]]:
    """The different rows of a result, whatever the order of its columns."""
    return {tuple(sorted(map(repr, row))) for row in result.rows}
