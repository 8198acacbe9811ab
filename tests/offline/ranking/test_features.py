import pytest

from fathom.offline.linking import Linker
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.ranking.coverage import COVERAGE, CoverageJudge, parts_of
from fathom.offline.ranking.cues import CUES, CueJudge
from fathom.offline.ranking.result_features import OUTCOME, QueryOutcome, outcome_features
from fathom.offline.ranking.sql_words import query_words, question_words
from fathom.records import Question, Result

Cinema = tuple[Linker, JoinPlanner]


def test_words_of_a_query() -> None:
    from fathom.records import Column, Schema, Table

    table = Table("film", (Column("film_title", "TEXT", "text"), Column("rating", "REAL", "number")))
    planner = JoinPlanner(Schema("sqlite", (table,)))
    words = query_words(parse("SELECT film_title FROM film ORDER BY rating DESC LIMIT 1", planner))
    assert {"select 1", "order desc one", "desc rate", "limit one"} <= set(words.structure)
    assert {"film", "titl", "rate"} <= set(words.names)


def test_values_of_a_question_are_masked(cinema: Cinema) -> None:
    linker, _ = cinema
    words = question_words(linker.link(Question("Which films are shown in Leeds after 2000?")))
    assert "leed" not in words
    assert "<number>" in words
    assert "after <number>" in words


def coverage(cinema: Cinema, question: str, sql: str) -> dict[str, float]:
    linker, planner = cinema
    judged = CoverageJudge(linker.link(Question(question))).judge(parts_of(parse(sql, planner)))
    return dict(zip(COVERAGE, judged.features, strict=True))


def test_a_query_that_uses_what_is_named_covers_more(cinema: Cinema) -> None:
    question = "What is the title of each film with a rating above 7?"
    good = coverage(cinema, question, "SELECT title FROM film WHERE rating > 7")
    bad = coverage(cinema, question, "SELECT town FROM showing")
    assert good["explained"] > bad["explained"]
    assert good["columns_sum"] > bad["columns_sum"]
    assert good["numbers_unused"] < bad["numbers_unused"]


def test_an_operator_that_the_words_contradict(cinema: Cinema) -> None:
    question = "Films with a rating above 7"
    assert coverage(cinema, question, "SELECT title FROM film WHERE rating > 7")["operators_differ"] == 0
    assert coverage(cinema, question, "SELECT title FROM film WHERE rating < 7")["operators_differ"] == 1


@pytest.mark.parametrize(
    ("question", "sql", "raised"),
    [
        ("the highest rating", "SELECT title FROM film ORDER BY rating LIMIT 1", "direction_wrong"),
        ("the highest rating", "SELECT title FROM film ORDER BY rating DESC LIMIT 1", "direction_right"),
        ("titles of films", "SELECT title FROM film WHERE year != 1999", "negation_extra"),
        ("films that were not shown", "SELECT title FROM film", "negation_missing"),
        ("how many films", "SELECT title FROM film", "count_missing"),
        ("the average rating", "SELECT avg(rating), max(rating) FROM film", "functions_extra"),
        ("the highest film", "SELECT title FROM film ORDER BY title DESC LIMIT 1", "ranks_by_text"),
        ("the number of showings in each town", "SELECT count(*) FROM showing", "group_missing"),
    ],
)
def test_cues(cinema: Cinema, question: str, sql: str, raised: str) -> None:
    linker, planner = cinema
    found = CueJudge(linker.link(Question(question)), planner.schema).features(parse(sql, planner))
    assert dict(zip(CUES, found, strict=True))[raised] >= 1


def test_outcomes_that_agree_whatever_the_order() -> None:
    def result(*rows: tuple[object, ...]) -> QueryOutcome:
        return QueryOutcome.of(Result(("a", "b"), rows, "", 0.0))

    one, same, other = result((1, "x"), (2, "y")), result(("y", 2), ("x", 1)), result((1, "z"))
    failed = QueryOutcome.of(None)
    features = outcome_features([one, same, other, failed], [0.4, 0.3, 0.2, 0.1])
    rows = [dict(zip(OUTCOME, f, strict=True)) for f in features]
    assert rows[0]["agreement_share"] == pytest.approx(0.7)
    assert rows[2]["agreement_share"] == pytest.approx(0.2)
    assert rows[3]["failed"] == 1
