from collections.abc import Sequence

import numpy as np
import pytest

from fathom.offline.linking import ColumnKey, Linker
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.offline.ranking.attention import Attention
from fathom.offline.ranking.choice import default_ranking_weights
from fathom.offline.ranking.clauses import Clause, clauses_of
from fathom.offline.ranking.ranker import FEATURES
from fathom.records import Question

Cinema = tuple[Linker, JoinPlanner]
YEAR, RATING = ColumnKey("film", "year"), ColumnKey("film", "rating")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*) FROM film WHERE year > 2000", Clause("where > value", YEAR, "film", 2000)),
        ("SELECT count(*) FROM film WHERE year > 2000", Clause("select count *")),
        ("SELECT DISTINCT year FROM film", Clause("distinct")),
        ("SELECT year FROM film ORDER BY rating DESC LIMIT 1", Clause("order desc one", RATING, "film")),
        ("SELECT year FROM film ORDER BY rating DESC LIMIT 3", Clause("limit some")),
        (
            "SELECT year FROM film GROUP BY year HAVING avg(rating) >= 7",
            Clause("having avg >= value", RATING, "film", 7),
        ),
        (
            "SELECT title FROM film WHERE rating > (SELECT avg(rating) FROM film)",
            Clause("where > query", RATING, "film"),
        ),
        (
            "SELECT title FROM film WHERE rating > (SELECT avg(rating) FROM film)",
            Clause("inner select avg", RATING, "film"),
        ),
        (
            "SELECT title FROM film EXCEPT SELECT title FROM film WHERE year = 2000",
            Clause("compound where = value", YEAR, "film", 2000),
        ),
        ("SELECT title FROM film WHERE year = 2000 OR year = 2001", Clause("where or")),
        ("SELECT count(DISTINCT year) FROM film", Clause("select count distinct", YEAR, "film")),
    ],
)
def test_clauses(cinema: Cinema, sql: str, expected: Clause) -> None:
    found = clauses_of(parse(sql, cinema[1]))
    assert expected in found
    assert len(found) == len(set(found))


def corrections(attention: Attention, cinema: Cinema, question: str, queries: Sequence[Query]) -> list[float]:
    features = np.zeros((len(queries), len(FEATURES)), np.float32)
    return [float(s) for s in attention.scores(cinema[0].link(Question(question)), queries, features)]


@pytest.fixture
def queries(cinema: Cinema) -> list[Query]:
    texts = (
        "SELECT title FROM film ORDER BY rating DESC LIMIT 1",
        "SELECT count(*) FROM film",
        "SELECT title FROM film WHERE year > 2000",
    )
    return [parse(t, cinema[1]) for t in texts]


def test_each_query_is_judged_by_itself(cinema: Cinema, queries: list[Query]) -> None:
    question = "What is the title of the film with the highest rating?"
    attention = default_ranking_weights().attention
    together = corrections(attention, cinema, question, queries)
    alone = [corrections(attention, cinema, question, [q])[0] for q in queries]
    backward = corrections(attention, cinema, question, queries[::-1])
    np.testing.assert_allclose(together, alone, atol=1e-3)
    np.testing.assert_allclose(together, backward[::-1], atol=1e-3)
    assert np.ptp(together) > 0.1


def test_what_fits_follows_the_words(cinema: Cinema, queries: list[Query]) -> None:
    attention = default_ranking_weights().attention
    counted = corrections(attention, cinema, "How many films are there?", queries)
    listed = corrections(attention, cinema, "What are the titles of the films after 2000?", queries)
    assert counted[1] - counted[2] > listed[1] - listed[2] + 1


def test_networks_survive_a_file(cinema: Cinema, queries: list[Query]) -> None:
    attention = default_ranking_weights().attention
    again = Attention.from_arrays(attention.arrays("a"), "a")
    question = "How many films are there?"
    assert corrections(again, cinema, question, queries) == corrections(attention, cinema, question, queries)


def test_what_it_learns_holds_in_other_words(
    cinema: Cinema, queries: list[Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    attending = pytest.importorskip("training.attention_model")
    monkeypatch.setattr(attending, "WIDELY", 1)
    monkeypatch.setattr(attending, "OFTEN", 1)
    monkeypatch.setattr(attending, "EPOCHS", 40)

    def example(question: str, right: int, database: str) -> object:
        return attending.Example(
            cinema[0].link(Question(question)),
            database,
            tuple(queries),
            np.zeros((len(queries), len(FEATURES)), np.float32),
            np.zeros(len(queries)),
            np.arange(len(queries)) == right,
        )

    asked = {
        "Show the title of the film with the highest rating.": 0,
        "Which film has the best rating?": 0,
        "How many films are there?": 1,
        "Count the films.": 1,
        "Which films are from after 2000?": 2,
        "Show the titles of films after 2000.": 2,
    }
    attention = attending.fit_alone([example(q, r, "one") for q, r in asked.items()] * 4, 0)
    new = {
        "What is the title of the film with the highest rating?": 0,
        "How many films do we have?": 1,
        "What are the titles of the films after 2000?": 2,
    }
    assert {q: int(np.argmax(corrections(attention, cinema, q, queries))) for q in new} == new
