"""Which sketch a question asks for: several weak predictors, their log-probabilities added.

One network predicts the whole sketch and each of its parts; the nearest training questions vote for theirs.
Sketches never seen whole are proposed where their parts are likely together.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, reduce
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fathom.offline.queries.query import Aggregate, Query, all_queries, expressions
from fathom.offline.queries.serial import decode, encode
from fathom.offline.sketches.network import Floats, Network
from fathom.offline.sketches.parts import SketchClauses, coherent, put_together, take_apart
from fathom.offline.sketches.slots import plan_slots
from fathom.offline.weight_files import read_weights

HEADS = ("shown", "condition", "tail", "rest")
WHOLE, APART, VOTED = 0.45, 0.4, 0.2
"""Weights of the log-probabilities: of the whole sketch, of its parts, of the neighbours' vote."""
UNSEEN = -6.0
"""The log-probability that stands in for the whole sketch's where it was never seen."""
WIDTHS = (8, 8, 8, 4)
COMPOSED = 20
"""How many likely classes of each part are combined, and how many combinations are proposed."""
NEIGHBOURS = 24
SHARPNESS = 14.0
RARE_VOTE = 1e-3

MISSED_VALUE, MISSED_EXTREME = 0.5, 1.2
"""The costs of a value too many or too few, and of a superlative that a sketch ignores."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The likely parts of a sketch by linking: the number of values, and extremes or none."""

    values: float
    extremes: bool


@dataclass(frozen=True)
class Neighbourhood:
    """The training questions as rows of weighted features (a sparse matrix) with their sketches."""

    vocabulary: Mapping[str, int]
    rarity: Floats
    pointer: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]

    @cached_property
    def _norms(self) -> Floats:
        squared = self.rarity[self.places] ** 2
        return np.sqrt(np.maximum(np.add.reduceat(squared, self.pointer[:-1]), 1e-6)).astype(np.float32)

    def votes(self, features: Sequence[str], sketches: int) -> Floats:
        """By sketch, the share of the nearest questions' votes (cosine of rarity-weighted features)."""
        query = np.zeros(len(self.rarity), np.float32)
        known = [self.vocabulary[f] for f in features if f in self.vocabulary]
        query[known] = self.rarity[known]
        norm = float(np.sqrt((query**2).sum())) or 1.0
        products = query[self.places] * self.rarity[self.places]
        similarity = np.add.reduceat(products, self.pointer[:-1]) / (self._norms * norm)
        nearest = np.argsort(-similarity, kind="stable")[:NEIGHBOURS]
        weights = np.exp(SHARPNESS * (similarity[nearest] - similarity[nearest[0]]))
        shares = np.bincount(self.labels[nearest], weights, minlength=sketches)
        return np.asarray(shares / shares.sum(), np.float32)


@dataclass(frozen=True)
class ShapeModel:
    """Predicts sketches. `parts` lists by head the classes of that head."""

    sketches: tuple[Query, ...]
    parts: Mapping[str, tuple[Query, ...]]
    networks: tuple[Network, ...]
    neighbours: Neighbourhood

    @cached_property
    def _made_of(self) -> npt.NDArray[np.int64]:
        """By sketch, the class of each part (sketches x heads)."""
        number = {head: {p: i for i, p in enumerate(self.parts[head])} for head in HEADS}
        return np.array(
            [
                [number[head][part] for head, part in zip(HEADS, take_apart(s), strict=True)]
                for s in self.sketches
            ]
        )

    @cached_property
    def _combinations(self) -> dict[tuple[int, ...], int]:
        return {tuple(int(p) for p in row): i for i, row in enumerate(self._made_of)}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The model as arrays for an npz file."""
        listed = {"sketches": self.sketches, **{h: self.parts[h] for h in HEADS}}
        words = sorted(self.neighbours.vocabulary, key=self.neighbours.vocabulary.__getitem__)
        found = {f"shapes.{k}": np.array(json.dumps(encode(v))) for k, v in listed.items()}
        found["shapes.vocabulary"] = np.array("\n".join(words))
        near = self.neighbours
        found |= {
            "near.rarity": near.rarity.astype(np.float16),
            "near.sizes": np.diff(near.pointer).astype(np.uint16),
            "near.places": near.places.astype(np.uint16),
            "near.labels": near.labels.astype(np.uint16),
        }
        for place, network in enumerate(self.networks):
            found |= network.arrays(f"network{place}")
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """The model that `arrays` wrote."""
        listed = {k: decode(json.loads(str(arrays[f"shapes.{k}"]))) for k in ("sketches", *HEADS)}
        words = {w: i for i, w in enumerate(str(arrays["shapes.vocabulary"]).split("\n"))}
        count = sum(k.startswith("network") and k.endswith(".scale") for k in arrays)
        return cls(
            listed["sketches"],
            {h: listed[h] for h in HEADS},
            tuple(Network.from_arrays(arrays, f"network{i}", words, ("whole", *HEADS)) for i in range(count)),
            Neighbourhood(
                words,
                arrays["near.rarity"].astype(np.float32),
                np.cumsum([0, *arrays["near.sizes"].tolist()]),
                arrays["near.places"].astype(np.int64),
                arrays["near.labels"].astype(np.int64),
            ),
        )

    def propose(
        self, features: Sequence[str], most: int = 40, expected: Expected | None = None
    ) -> list[tuple[Query, float]]:
        """The likeliest sketches with their scores, best first; scores act like log-probabilities."""
        logs = self._logs(features)
        apart = sum(logs[h][self._made_of[:, i]] for i, h in enumerate(HEADS))
        votes = np.log(self.neighbours.votes(features, len(self.sketches)) + RARE_VOTE)
        scores = WHOLE * logs["whole"] + APART * apart + VOTED * votes
        if expected is not None:
            counts = [
                sum(self._counts[h][i, self._made_of[:, k]] for k, h in enumerate(HEADS)) for i in (0, 1)
            ]
            scores = scores - _misfit(counts[0], counts[1], expected)
        order = np.argsort(-scores, kind="stable")[:most]
        found = [(self.sketches[i], float(scores[i])) for i in order]
        found += self._composed(logs, found[-1][1], expected)
        found.sort(key=lambda f: -f[1])
        return found[:most]

    @cached_property
    def _counts(self) -> dict[str, Floats]:
        """By head, for each class: how many values it takes, and whether it singles out extremes."""
        return {
            h: np.array(
                [[_values(p) for p in self.parts[h]], [_extremes(p) for p in self.parts[h]]], np.float32
            )
            for h in HEADS
        }

    def _logs(self, features: Sequence[str]) -> dict[str, Floats]:
        every = [network.log_probabilities(features) for network in self.networks]
        return {head: np.mean([e[head] for e in every], axis=0) for head in every[0]}

    def _composed(
        self, logs: Mapping[str, Floats], least: float, expected: Expected | None
    ) -> list[tuple[Query, float]]:
        """Sketches never seen whole, of likely parts."""
        likely = [np.argsort(-logs[h], kind="stable")[:n] for h, n in zip(HEADS, WIDTHS, strict=True)]
        sums = reduce(np.add.outer, [logs[h][c] for h, c in zip(HEADS, likely, strict=True)])
        scores = APART * sums.ravel() + WHOLE * UNSEEN + VOTED * float(np.log(RARE_VOTE))
        if expected is not None:
            values, extremes = (
                reduce(
                    np.add.outer, [self._counts[h][i, c] for h, c in zip(HEADS, likely, strict=True)]
                ).ravel()
                for i in (0, 1)
            )
            scores = scores - _misfit(values, extremes, expected)
        found: list[tuple[Query, float]] = []
        for place in np.argsort(-scores, kind="stable")[:400]:
            if scores[place] <= least or len(found) >= COMPOSED:
                break
            chosen = np.unravel_index(place, sums.shape)
            combination = tuple(int(c[i]) for c, i in zip(likely, chosen, strict=True))
            if combination not in self._combinations:
                sketch = self._compose(combination)
                if sketch is not None:
                    found.append((sketch, float(scores[place])))
        return found

    def _compose(self, combination: tuple[int, ...]) -> Query | None:
        parts = SketchClauses(*(self.parts[h][c] for h, c in zip(HEADS, combination, strict=True)))
        return _checked(parts)


def _misfit(values: Floats, extremes: Floats, expected: Expected) -> Floats:
    ignored = (extremes == 0) * (MISSED_EXTREME if expected.extremes else 0.0)
    return np.asarray(MISSED_VALUE * np.abs(values - expected.values) + ignored, np.float32)


def _values(part: Query) -> int:
    plan = plan_slots(part)
    return sum(len(c.values) for c in plan.comparisons) + plan.limited


def _extremes(part: Query) -> int:
    """1 if a part orders with a limit, or takes a least or greatest value; else 0."""
    return int(
        any(q.limit is not None for q in all_queries(part))
        or any(
            isinstance(e, Aggregate) and e.function in {"min", "max"}
            for q in all_queries(part)
            for e in expressions(q)
        )
    )


@cache
def default_shapes() -> ShapeModel:
    """The model that comes with the package, learned from Spider's training split."""
    return ShapeModel.from_arrays(read_weights("shapes"))


@lru_cache(8192)
def _checked(parts: SketchClauses) -> Query | None:
    sketch = put_together(parts)
    return sketch if coherent(sketch) else None
