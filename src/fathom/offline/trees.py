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
