"""The trees that LightGBM has grown, as the arrays that the offline method runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.offline.trees import Forest


def from_lightgbm(model: Mapping[str, Any]) -> Forest:
    """The forest in LightGBM's `Booster.dump_model()`, of numerical splits without missing values."""
    trees = [_flatten(t["tree_structure"]) for t in model["tree_info"]]
    nodes = max((len(t[0]) for t in trees), default=1) or 1
    leaves = max((len(t[1]) for t in trees), default=1)
    shape = (len(trees), nodes)
    feature, left, right = (np.zeros(shape, np.int32) for _ in range(3))
    threshold = np.zeros(shape, np.float32)
    values = np.zeros((len(trees), leaves), np.float32)
    for row, (inner, ends, _) in enumerate(trees):
        for place, (f, t, a, b) in enumerate(inner):
            feature[row, place], left[row, place], right[row, place] = f, a, b
            threshold[row, place] = t
        if not inner:  # a tree that is one leaf: both ways lead there
            left[row, 0] = right[row, 0] = -1
        values[row, : len(ends)] = ends
    return Forest(feature, threshold, left, right, values, max((t[2] for t in trees), default=1))


_Inner = list[tuple[int, float, int, int]]


def _flatten(root: Mapping[str, Any]) -> tuple[_Inner, list[float], int]:
    """Inner nodes (feature, threshold, left, right), leaf values and depth of one tree."""
    inner: _Inner = []
    ends: list[float] = []

    def visit(node: Mapping[str, Any]) -> tuple[int, int]:
        if "leaf_value" in node:
            ends.append(float(node["leaf_value"]))
            return -len(ends), 0
        place = len(inner)
        inner.append((0, 0.0, 0, 0))
        left, left_depth = visit(node["left_child"])
        right, right_depth = visit(node["right_child"])
        bound = np.float32(node["threshold"])
        if bound > node["threshold"]:  # rows are in single precision: round down, or some would change sides
            bound = np.nextafter(bound, np.float32(-np.inf))
        inner[place] = (int(node["split_feature"]), float(bound), left, right)
        return place, 1 + max(left_depth, right_depth)

    _, depth = visit(root)
    return inner, ends, max(depth, 1)
