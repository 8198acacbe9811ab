"""Gradient-boosted trees, evaluated: grown elsewhere by LightGBM, kept as arrays, run by numpy."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Flat:
    """A forest with its nodes and leaves numbered together, for a walk in which a leaf leads to itself.

    Node `n` has its children at `2 * n` (greater) and `2 * n + 1`.
    """

    roots: npt.NDArray[np.intp]
    feature: npt.NDArray[np.intp]
    threshold: Floats
    children: npt.NDArray[np.intp]
    values: Floats


@dataclass(frozen=True)
class Forest:
    """Trees as arrays, all (trees x nodes): a row goes left where its feature is at most the threshold.

    A negative child `-1 - leaf` ends in that leaf of `leaves` (trees x leaves). `depth` is the deepest
    path. Features are never missing.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    leaves: Floats
    depth: int

    def scores(self, rows: Floats) -> npt.NDArray[np.float64]:
        """The sum of the trees' leaves for each row (rows x features)."""
        flat = self._flat
        cells = np.ascontiguousarray(rows).ravel()
        lines = np.arange(len(rows))[:, None] * rows.shape[1]
        place = np.broadcast_to(flat.roots, (len(rows), len(flat.roots)))
        for _ in range(self.depth):
            smaller = cells.take(lines + flat.feature.take(place)) <= flat.threshold.take(place)
            place = flat.children.take(2 * place + smaller)
        summed: npt.NDArray[np.float64] = flat.values.take(place).sum(axis=1, dtype=np.float64)
        return summed

    @cached_property
    def _flat(self) -> "_Flat":
        trees, inner = self.feature.shape
        size = inner + self.leaves.shape[1]
        feature = np.zeros((trees, size), np.intp)
        threshold, values = np.full((trees, size), np.inf, np.float32), np.zeros((trees, size), np.float32)
        children = np.empty((trees, size, 2), np.intp)
        feature[:, :inner], threshold[:, :inner], values[:, inner:] = (
            self.feature,
            self.threshold,
            self.leaves,
        )
        for side, child in enumerate((self.right, self.left)):
            children[:, :inner, side] = np.where(child < 0, inner - 1 - child, child)
        children[:, inner:] = np.arange(inner, size)[:, None]
        roots = np.arange(trees) * size
        children += roots[:, None, None]
        return _Flat(roots, feature.ravel(), threshold.ravel(), children.ravel(), values.ravel())

    def probabilities(self, rows: Floats) -> Floats:
        """The scores of a binary model through the logistic function."""
        return np.asarray(1 / (1 + np.exp(-self.scores(rows))), np.float32)

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The forest as arrays for an npz file, under a name."""
        return {
            f"{name}.feature": self.feature.astype(np.int16),
            f"{name}.threshold": self.threshold,
            f"{name}.left": self.left.astype(np.int16),
            f"{name}.right": self.right.astype(np.int16),
            f"{name}.leaves": self.leaves,
            f"{name}.depth": np.array(self.depth),
        }


def load_forest(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Forest:
    """The forest that `Forest.arrays` wrote under a name."""
    return Forest(
        feature=arrays[f"{name}.feature"].astype(np.int32),
        threshold=arrays[f"{name}.threshold"].astype(np.float32),
        left=arrays[f"{name}.left"].astype(np.int32),
        right=arrays[f"{name}.right"].astype(np.int32),
        leaves=arrays[f"{name}.leaves"].astype(np.float32),
        depth=int(arrays[f"{name}.depth"]),
    )


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
