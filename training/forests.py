"""How all forests are grown: by LightGBM, deterministically, on one thread."""

from collections.abc import Mapping
from typing import Any

import lightgbm

from fathom.offline.linking import Floats
from fathom.offline.trees import Forest
from training.lightgbm_trees import from_lightgbm

_OPTIONS: Mapping[str, Any] = {
    "num_leaves": 15,
    "learning_rate": 0.08,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 3.0,
    "max_bin": 127,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}


def grow(rows: Floats, labels: Any, trees: int, *, group: list[int] | None = None, **options: Any) -> Forest:
    """A forest of so many trees; `options` are LightGBM's, `group` the sizes of the pools to rank."""
    data = lightgbm.Dataset(rows, labels, group=group)
    return from_lightgbm(lightgbm.train({**_OPTIONS, **options}, data, trees).dump_model())
