"""What speaks for a result, and when it takes back one that stood."""

from decimal import Decimal

import pytest

from fathom.methods import Context
from fathom.nl2sql.adaptive.difficulty import Difficulty, difficulty
from fathom.nl2sql.adaptive.evidence import choose, gather
from fathom.nl2sql.adaptive.plausible import complaints
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.records import Question, Result


def outcome(*rows: tuple[object, ...], error: str = "") -> QueryRun:
    if error:
        return QueryRun("broken", Status.ERROR, error=error)
    return QueryRun(repr(rows), Status.OK if rows else Status.EMPTY, Result((), rows, "", 0.0))


A, B, C, D = (outcome((x,)) for x in "abcd")
NONE, FAILED = outcome(), outcome(error="no")
REPEATS = outcome(("r",), ("r",), ("r",))


@pytest.mark.parametrize(
    ("sampled", "offline", "confidence", "chosen"),
    [
        ((A,), (), 0.0, A),
        ((A, B), (), 0.0, A),
        ((A, B, B), (), 0.0, A),  # one more may be chance
        ((A, B, B, B), (), 0.0, B),
        ((FAILED, B), (), 0.0, B),
        ((FAILED, NONE), (), 0.0, NONE),
        ((FAILED,), (B,), 0.1, B),
        ((NONE, B), (), 0.0, NONE),  # gold may be empty too: one query with rows proves nothing
        ((NONE, B, B), (), 0.0, B),
        ((NONE, NONE, B), (), 0.0, NONE),
        ((NONE, NONE), (B,), 0.8, NONE),
        ((FAILED, B), (C,), 0.5, B),
        ((FAILED, B), (C,), 0.8, C),
        ((REPEATS, B), (), 0.0, REPEATS),
        ((REPEATS, B), (C,), 0.8, REPEATS),
        ((REPEATS, B), (B,), 0.7, B),
        ((A, B), (B,), 0.5, A),  # the offline method believes too little in it
        ((A, B), (B,), 0.6, B),  # found in two ways, by one that is sure of it
        ((A, B), (C, B), 0.1, B),  # it thought of that, and not at all of the first
        ((A, B), (C, B, D, D, A), 0.1, A),
        ((A, B, C), (D,), 0.6, D),  # the model knows nothing, the offline method something
        ((A, B, C), (D,), 0.5, A),
        ((A, FAILED, FAILED), (D,), 0.8, A),  # that others failed says nothing against it
        ((A, B, FAILED), (D,), 0.8, A),
        ((A, NONE, REPEATS), (D,), 0.8, A),  # nor that others gave what can't be meant
        ((A, B, FAILED, C), (D,), 0.8, D),
        ((A, B), (D,), 0.8, A),
        ((A, B, C), (A,), 0.1, A),
    ],
)
def test_the_first_stands_unless_what_speaks_against_it_is_better(
    sampled: tuple[QueryRun, ...], offline: tuple[QueryRun, ...], confidence: float, chosen: QueryRun
) -> None:
    found = choose(gather("Which?", sampled, offline, confidence))
    assert found is not None
    assert found.outcome.sql == chosen.sql


def written(sql: str, *rows: tuple[object, ...]) -> QueryRun:
    return QueryRun(sql, Status.OK if rows else Status.EMPTY, Result((), rows, "", 0.0))


BOTH = written("SELECT p FROM city WHERE name = 'springfield' AND state = 'south dakota'")


@pytest.mark.parametrize(
    ("other", "chosen"),
    [
        ("SELECT p FROM city WHERE name = 'springfield'", False),  # rows come of asking for less
        ('SELECT p FROM city WHERE name LIKE "%Springfield%"', False),
        ("SELECT p FROM city", False),
        ("SELECT p FROM city WHERE name = 'springfield' AND state = 'SD'", True),  # as the data may have it
        ("SELECT p FROM city WHERE name = 'springfield' ORDER BY p DESC LIMIT 1", True),
        ("SELECT p FROM city WHERE state = 'South Dakota' AND name = 'Springfield' COLLATE NOCASE", True),
    ],
)
def test_no_samples_overrule_a_query_by_leaving_out_what_the_question_names(other: str, chosen: bool) -> None:
    more = written(other, (7,))
    found = choose(gather("What is the population of Springfield, South Dakota?", (BOTH, more, more, more)))
    assert found is not None
    assert (found.outcome is more) is chosen


def test_numbers_that_the_question_names_are_kept_as_well() -> None:
    none, more = written("SELECT a FROM t WHERE y = 1999 LIMIT 5"), written("SELECT a FROM t LIMIT 5", (7,))
    for question, chosen in (("Which five in 1999?", none), ("Which of last year?", more)):
        found = choose(gather(question, (none, more, more)))
        assert found is not None
        assert found.outcome is chosen


def test_where_nothing_ran_nothing_is_chosen() -> None:
    assert choose(gather("Which?", (FAILED, FAILED))) is None


@pytest.mark.parametrize(
    ("sampled", "offline", "enough"),
    [
        ((A,), (), False),
        ((A,), (B,), False),
        ((A,), (A,), True),
        ((A,), (B, C, A), True),
        ((A,), (B, C, D, A), False),  # too far down to be what it may have meant
        ((A, A), (), True),
        ((A, B), (), False),
        ((NONE, NONE), (NONE,), False),  # no rows agree with no rows
        ((REPEATS, REPEATS), (), False),
    ],
)
def test_it_is_enough_when_a_fitting_result_is_found_twice(
    sampled: tuple[QueryRun, ...], offline: tuple[QueryRun, ...], enough: bool
) -> None:
    assert gather("Which?", sampled, offline).enough is enough


@pytest.mark.parametrize(
    ("question", "found", "said"),
    [
        ("How many genes?", outcome((3,)), ""),
        ("How many genes?", outcome((1,), (2,)), "one number"),
        ("How many genes?", outcome(("x",)), "a number"),
        ("How much was paid?", outcome((Decimal("3.50"),)), ""),
        ("How many genes?", outcome((True,)), "a number"),
        ("Which genes?", outcome(([1, 2],), ({"a": 1},), (([1], [2]),)), ""),
        ("Which genes?", outcome(([1, 2],), ([1, 2],), ([1, 2],)), "repeats"),
        ("How many genes on each chromosome?", outcome((1,), (2,)), ""),
        ("Which genes?", outcome(), "no rows"),
        ("Which genes?", outcome((None,)), "nothing but NULL"),
        ("Which genes?", REPEATS, "repeats"),
        ("Which genes?", FAILED, "refuses it: no"),
    ],
)
def test_a_result_is_held_against_its_question(question: str, found: QueryRun, said: str) -> None:
    told = " ".join(complaints(question, found))
    assert (said in told) if said else not told


def test_difficulty_follows_the_words(context: Context) -> None:
    schema = context.database.schema
    assert difficulty(Question("List all genes"), schema) is Difficulty.SIMPLE
    hard = (
        "For each chromosome, what percentage of the genes longer than the average are not the target of any "
        "drug in phase 3 or more, and which chromosome has the highest?"
    )
    assert difficulty(Question(hard), schema) is Difficulty.CHALLENGING
