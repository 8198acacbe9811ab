from collections.abc import Sequence
from typing import Any

import pytest

from fathom.offline.checks.trial_runs import Checked
from fathom.offline.ranking.choice import RankedCandidates
from fathom.offline.verdict import _rival
from fathom.records import Result

Rows = Sequence[tuple[Any, ...]]


def _gave(rows: Rows | None) -> Checked:
    return Checked() if rows is None else Checked(Result(("a", "b"), tuple(rows), "", 0.0))


@pytest.mark.parametrize(
    ("second", "score", "is_rival"),
    [
        ([("x", 2)], 0.9, True),
        ([("x", 2)], 0.5, False),  # not close
        ([("x", 1)], 0.9, False),  # the same
        ([("x", 1), ("x", 1)], 0.9, False),  # the same, twice
        ([(1, "x")], 0.9, False),  # the same, columns turned
        (None, 0.9, False),  # not run
        ([], 0.9, True),
    ],
)
def test_only_a_close_candidate_that_shows_something_else_is_worth_asking_back(
    second: Rows | None, score: float, is_rival: bool
) -> None:
    choice = RankedCandidates((0, 1), (1.0, score), confidence=0.9, sure=True, missing=())
    assert (_rival(choice, [_gave([("x", 1)]), _gave(second)]) == 1) is is_rival
