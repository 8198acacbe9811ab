import numpy as np
import pytest
from training.lightgbm_trees import from_lightgbm

from fathom.offline.trees import load_forest


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    rows = random.normal(size=(400, 6)).astype(np.float32)
    rows[:, 5] = random.integers(0, 3, 400)
    return rows, (rows[:, 0] * rows[:, 1] > 0).astype(int) | (rows[:, 5] == 1)


def test_scores_are_those_of_lightgbm(data: tuple[np.ndarray, np.ndarray]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rows, labels = data
    options = {"objective": "binary", "num_leaves": 7, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(rows, labels), 20)
    forest = load_forest(from_lightgbm(booster.dump_model()).arrays("f"), "f")
    np.testing.assert_allclose(forest.scores(rows), booster.predict(rows, raw_score=True), rtol=1e-5)
    np.testing.assert_allclose(forest.probabilities(rows), booster.predict(rows), rtol=1e-4)


def test_a_tree_that_is_one_leaf() -> None:
    forest = from_lightgbm({"tree_info": [{"tree_structure": {"leaf_value": 0.25}}]})
    assert forest.scores(np.zeros((2, 3), np.float32)).tolist() == [0.25, 0.25]
