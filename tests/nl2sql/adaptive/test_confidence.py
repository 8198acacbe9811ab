"""How sure to be: the calibration that comes with the package, and what it looks at."""

import pytest

from fathom.nl2sql.adaptive.confidence import Calibration, calibration, features
from fathom.nl2sql.adaptive.evidence import Evidence, choose, gather
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.records import Result


def outcome(*rows: tuple[object, ...]) -> QueryRun:
    return QueryRun(repr(rows), Status.OK if rows else Status.EMPTY, Result((), rows, "", 0.0))


A, B, C = (outcome((x,)) for x in "abc")


def sure(found: Evidence) -> float:
    chosen = choose(found)
    assert chosen is not None
    return calibration().probability(chosen, found)


def test_every_feature_has_its_weight() -> None:
    found = gather("Which?", (A,))
    assert list(calibration().weights) == list(features(found.results[0], found))


def test_agreement_makes_sure_and_contradiction_unsure() -> None:
    alone, two, scattered = (sure(gather("Which?", s)) for s in ((A,), (A, A), (A, B, C)))
    assert scattered < alone < two
    backed = sure(gather("Which?", (A,), (A,), 0.8))
    denied = sure(gather("Which?", (A,), (B,), 0.8))
    assert denied < alone < backed
    assert sure(gather("Which?", (A,), (A,), 0.2)) < backed


def test_a_result_that_does_not_fit_is_less_likely() -> None:
    repeats = outcome(("a",), ("a",), ("a",))
    assert sure(gather("Which?", (repeats,))) < sure(gather("Which?", (A,)))


@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_it_is_a_probability_at_either_end(confidence: float) -> None:
    for samples in ((A,), (A, A, A, A, A), (A, B, C)):
        assert 0 < sure(gather("Which?", samples, (A,), confidence)) < 1


def test_the_log_odds_are_weighted_features() -> None:
    found = gather("Which?", (A, A))
    (result,) = found.results
    assert Calibration({"samples": 1.0}, -2.0).probability(result, found) == pytest.approx(0.5)
