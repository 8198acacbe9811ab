from importlib import resources

import numpy as np
import pytest

from fathom.offline.linking import Linker
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.ranking.choice import choose, default_ranking_weights, load_ranking_weights
from fathom.offline.ranking.ranker import FEATURES, RankedCandidate, pool_features
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.records import Question, Result

CANDIDATES = (
    "SELECT town FROM showing",
    "SELECT title FROM film ORDER BY rating DESC LIMIT 1",
    "SELECT title FROM film ORDER BY rating LIMIT 1",
    "SELECT count(*) FROM film",
    "SELECT title FROM film",
    "SELECT avg(rating) FROM film",
    "SELECT title FROM film WHERE year > 2000",
)


def entries(planner: JoinPlanner) -> list[RankedCandidate]:
    def outcome(place: int) -> QueryOutcome:
        return QueryOutcome.of(Result(("a",), ((place,),), "", 0.0))

    return [RankedCandidate(parse(s, planner), 0.0, outcome=outcome(i)) for i, s in enumerate(CANDIDATES)]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("What is the title of the film with the highest rating?", 1),
        ("How many films are there?", 3),
        ("What is the average rating of the films?", 5),
        ("List the titles of the films after 2000.", 6),
    ],
)
def test_the_candidate_that_says_what_is_asked(
    cinema: tuple[Linker, JoinPlanner], question: str, best: int
) -> None:
    linker, planner = cinema
    choice, _ = choose(linker.link(Question(question)), entries(planner), planner, default_ranking_weights())
    assert choice.order[0] == best
    assert 0 <= choice.confidence <= 1


@pytest.mark.parametrize(
    "question",
    [
        "Why is the sea salty?",
        "Should I buy a house or rent one?",
        "Which plumber repairs boilers on Sundays?",
    ],
)
def test_what_the_database_cannot_answer_is_not_sure(
    cinema: tuple[Linker, JoinPlanner], question: str
) -> None:
    linker, planner = cinema
    choice, _ = choose(linker.link(Question(question)), entries(planner), planner, default_ranking_weights())
    assert not choice.sure
    assert choice.missing


def test_weights_survive_a_file(cinema: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = cinema
    linking = linker.link(Question("How many films are there?"))
    weights = default_ranking_weights()
    again = load_ranking_weights(weights.arrays())
    first, _ = choose(linking, entries(planner), planner, weights)
    assert choose(linking, entries(planner), planner, again)[0] == first


def test_the_weights_were_learned_from_these_features(cinema: tuple[Linker, JoinPlanner]) -> None:
    # Forests hold the places of features: whoever adds, drops or moves one must learn the weights anew.
    linker, planner = cinema
    weights = default_ranking_weights()
    pool = pool_features(
        linker.link(Question("How many films are there?")),
        entries(planner),
        planner,
        forward=weights.forward,
        backward=weights.backward,
    )
    assert pool.features.shape == (len(CANDIDATES), len(FEATURES))
    file = resources.files("fathom.offline") / "weights" / "ranking.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        assert tuple(str(arrays["features"]).split("\n")) == FEATURES
    for judge in (weights.alone, weights.recalling):
        assert judge.forest.feature.max() < len(FEATURES)
