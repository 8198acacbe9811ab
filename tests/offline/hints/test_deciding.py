from collections.abc import Sequence
from typing import Any

import pytest

from fathom.offline.checks.leaves_out import shows_something_else
from fathom.offline.checks.rules import SHORTFALLS
from fathom.offline.checks.trial_runs import Checked
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.offline.ranking.choice import RankedCandidates
from fathom.offline.verdict import _rival
from fathom.records import Question, Result

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


@pytest.mark.parametrize(
    ("question", "sql", "other"),
    [
        ("Which book has the most loans?", "SELECT genre FROM book ORDER BY num_pages DESC LIMIT 1", True),
        ("Which book has the most loans?", "SELECT title FROM book ORDER BY num_pages DESC LIMIT 1", False),
        ("Which book has the most loans?", "SELECT MAX(num_pages) FROM book", False),
        ("What is the longest?", "SELECT genre FROM book ORDER BY num_pages DESC LIMIT 1", False),
    ],
)
def test_which_book_is_no_genre(question: str, sql: str, other: bool, engine: OfflineEngine) -> None:
    linking = engine.link(Question(question))
    assert shows_something_else(parse(sql, engine.planner), linking, engine.names) is other


@pytest.mark.parametrize(
    ("question", "sql", "short"),
    [
        ("Who wrote Dune?", "SELECT num_pages FROM book WHERE title = 'Dune'", True),
        ("Who wrote Dune?", "SELECT title FROM book WHERE title = 'Dune'", True),  # says what is known
        ("List the books called Dune", "SELECT title, genre FROM book WHERE title = 'Dune'", False),
        ("How many books are signed?", "SELECT COUNT(*) FROM book", True),
        ("Show the books that are signed", "SELECT title FROM book", True),
        ("How many books are there?", "SELECT COUNT(*) FROM book", False),
        (
            "Show the books that are longer than 100 pages",
            "SELECT title FROM book WHERE num_pages > 100",
            False,
        ),
    ],
)
def test_what_falls_short(question: str, sql: str, short: bool, engine: OfflineEngine) -> None:
    linking = engine.link(Question(question))
    assert engine.rules.says_any(SHORTFALLS, engine.checked(parse(sql, engine.planner), linking)) is short
