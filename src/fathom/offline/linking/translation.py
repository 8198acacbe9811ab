"""Which words of schemas and queries people mean by which words of questions: IBM model 1.

Brown et al., "The Mathematics of Statistical Machine Translation" (1993), section 4.1. A table gives
t(target | source) for stems; a word that it has never seen translates to nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fathom.offline.linking.records import Floats

NULL = ""


@dataclass(frozen=True)
class Translation:
    """t(target | source), sparse: `pairs` (entries x 2) numbers sources and targets, `weights` their t.

    `prior` is each target's share of all targets, by its number.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    pairs: npt.NDArray[np.int32]
    weights: Floats
    prior: Floats

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {source: place for place, source in enumerate(self.sources)}

    @cached_property
    def _by_source(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The entries in the order of their sources, and where each source's begin."""
        order = np.argsort(self.pairs[:, 0], kind="stable")
        return order, np.searchsorted(self.pairs[order, 0], np.arange(len(self.sources) + 1))

    @cached_property
    def _given(self) -> dict[str, dict[str, float]]:
        """The entries by source, of the sources that were asked for: few of all that there are."""
        return {}

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The table as arrays for an npz file, under a name."""
        return {
            f"{name}.sources": np.array("\n".join(self.sources)),
            f"{name}.targets": np.array("\n".join(self.targets)),
            f"{name}.pairs": self.pairs.astype(np.uint16),
            f"{name}.weights": self.weights.astype(np.float16),
            f"{name}.prior": self.prior,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Self:
        """The table that `arrays` wrote under a name."""
        return cls(
            tuple(str(arrays[f"{name}.sources"]).split("\n")),
            tuple(str(arrays[f"{name}.targets"]).split("\n")),
            arrays[f"{name}.pairs"].astype(np.int32),
            arrays[f"{name}.weights"].astype(np.float32),
            arrays[f"{name}.prior"].astype(np.float32),
        )

    def with_pairs(self, pairs: Mapping[tuple[str, str], float]) -> Self:
        """This table with these (source, target) weights put in."""
        sources = {w: i for i, w in enumerate(dict.fromkeys((*self.sources, *(s for s, _ in pairs))))}
        targets = {w: i for i, w in enumerate(dict.fromkeys((*self.targets, *(t for _, t in pairs))))}
        prior = np.zeros(len(targets), np.float32)
        prior[: len(self.prior)] = self.prior
        put_in = {(sources[s], targets[t]): w for (s, t), w in pairs.items()}
        width = len(targets)
        codes = self.pairs[:, 0].astype(np.int64) * width + self.pairs[:, 1]
        weights = self.weights.copy()
        for place in np.flatnonzero(np.isin(codes, [s * width + t for s, t in put_in])).tolist():
            s, t = self.pairs[place].tolist()
            weights[place] = put_in.pop((s, t))
        return type(self)(
            tuple(sources),
            tuple(targets),
            np.concatenate([self.pairs, np.array(list(put_in), np.int32).reshape(-1, 2)]),
            np.concatenate([weights, np.array(list(put_in.values()), np.float32)]),
            prior,
        )

    def given(self, source: str) -> dict[str, float]:
        """t(target | source) of every target that the source has been seen with."""
        known = self._given.get(source)
        if known is None:
            known = {}
            if (number := self._numbers.get(source)) is not None:
                order, starts = self._by_source
                own = order[starts[number] : starts[number + 1]]
                named = (self.targets[t] for t in self.pairs[own, 1].tolist())
                known = dict(zip(named, self.weights[own].tolist(), strict=True))
            self._given[source] = known
        return known

    def matrix(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """t(target | source) as an array (sources x targets)."""
        found = np.zeros((len(sources), len(targets)), np.float32)
        for row, source in enumerate(sources):
            if given := self.given(source):
                found[row] = [given.get(t, 0.0) for t in targets]
        return found


def learn(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    *,
    rounds: int = 8,
    rarest: int = 2,
    smallest: float = 1e-3,
) -> Translation:
    """Learn a translation from (source words, target words) pairs by expectation maximisation.

    Words seen in fewer than `rarest` pairs are left out, as are final weights under `smallest`.
    """
    texts = [([NULL, *dict.fromkeys(s)], list(dict.fromkeys(t))) for s, t in pairs]
    source_uses = Counter(w for s, _ in texts for w in s)
    target_uses = Counter(w for _, t in texts for w in t)
    sources = {w: i for i, w in enumerate(sorted(w for w, n in source_uses.items() if n >= rarest))}
    targets = {w: i for i, w in enumerate(sorted(w for w, n in target_uses.items() if n >= rarest))}
    cells: dict[tuple[int, int], int] = {}
    cell_of, slot_of = [], []
    slots = 0
    for source, target in texts:
        known = [sources[w] for w in source if w in sources]
        for word in target:
            if word in targets:
                cell_of += [cells.setdefault((s, targets[word]), len(cells)) for s in known]
                slot_of += [slots] * len(known)
                slots += 1
    numbered = np.array(list(cells), np.int32).reshape(-1, 2)
    cell, slot = np.array(cell_of, np.int64), np.array(slot_of, np.int64)
    weights = np.ones(len(numbered))
    for _ in range(rounds):
        mass = weights[cell]
        mass /= np.maximum(np.bincount(slot, mass, slots)[slot], 1e-12)
        counts = np.bincount(cell, mass, len(numbered))
        totals = np.bincount(numbered[:, 0], counts, len(sources))
        # Half a count is held back, so that rare words claim little.
        weights = counts / (totals[numbered[:, 0]] + 0.5)
    kept = weights >= smallest
    prior = np.array([target_uses[w] for w in targets], np.float32)
    return Translation(
        tuple(sources),
        tuple(targets),
        numbered[kept],
        weights[kept].astype(np.float32),
        prior / max(float(prior.sum()), 1.0),
    )
