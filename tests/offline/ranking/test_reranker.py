import numpy as np
import pytest

from fathom.offline.ranking.reranker import Reranker, SolvedTrial, agreement, fit_and_try

CANDIDATES, FEATURES = 6, 4


def trials(count: int, *, seed: int, telling: bool) -> list[SolvedTrial]:
    """Trials with one right candidate each: the one with the greatest second feature where it is `telling`.

    Their scores know nothing of it.
    """
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = chance.normal(size=(CANDIDATES, FEATURES)).astype(np.float32)
        best = int(features[:, 1].argmax()) if telling else int(chance.integers(CANDIDATES))
        right = np.arange(CANDIDATES) == best
        made.append(SolvedTrial(features, chance.normal(size=CANDIDATES), right, tuple("abcdef")))
    return made


def share_right(reranker: Reranker, asked: list[SolvedTrial]) -> float:
    return float(np.mean([t.right[reranker.scores(t.features, t.scores).argmax()] for t in asked]))


def test_what_tells_right_from_wrong_is_learned() -> None:
    asked = trials(300, seed=1, telling=True)
    before = float(np.mean([t.right[t.scores.argmax()] for t in asked]))
    after = share_right(fit_and_try(trials(60, seed=0, telling=True))[0], asked)
    assert before < 0.3
    assert after > 0.6


def test_where_nothing_tells_them_apart_the_scores_stand() -> None:
    asked = trials(300, seed=1, telling=False)
    kept = fit_and_try(trials(60, seed=0, telling=False))[0]
    same = [kept.scores(t.features, t.scores).argmax() == t.scores.argmax() for t in asked]
    assert np.mean(same) > 0.6
    assert np.abs(kept.weights).max() < 0.5


def test_trials_without_a_right_candidate_correct_nothing() -> None:
    hopeless = [
        SolvedTrial(t.features, t.scores, np.zeros(CANDIDATES, bool), t.digests)
        for t in trials(9, seed=0, telling=True)
    ]
    kept = fit_and_try(hopeless)[0]
    assert not kept.weights.any()


def test_confidence_is_lower_where_the_best_was_mostly_wrong() -> None:
    sure, unsure = (fit_and_try(trials(60, seed=0, telling=t))[0] for t in (True, False))
    scores = np.array([4.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert unsure.confidence(scores, tuple("abcdef")) < 0.5 < sure.confidence(scores, tuple("abcdef"))


def test_a_reranker_is_the_same_after_it_was_stored() -> None:
    first = fit_and_try(trials(30, seed=0, telling=True))[0]
    again = Reranker.from_arrays(first.arrays())
    trial = trials(1, seed=5, telling=True)[0]
    assert np.array_equal(
        first.scores(trial.features, trial.scores), again.scores(trial.features, trial.scores)
    )
    assert first.calibration == again.calibration


@pytest.mark.parametrize(
    ("digests", "odds"), [(("a", "b", "b"), 0.0), (("a", "a", "b"), np.log(3)), (("", "", "b"), 0.0)]
)
def test_candidates_agree_by_their_results(digests: tuple[str, ...], odds: float) -> None:
    scores = np.log([2.0, 1.0, 1.0])
    assert agreement(scores, digests) == pytest.approx(odds)
