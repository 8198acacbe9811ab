"""Learns to predict sketches."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from fathom.offline.queries.query import Query
from fathom.offline.sketches.parts import take_apart
from fathom.offline.sketches.shapes import HEADS, Neighbourhood, ShapeModel
from training.small_networks import fit_network, vocabulary


def fit_shapes(
    rows: Sequence[Sequence[str]],
    sketches: Sequence[Query],
    *,
    seeds: Sequence[int] = (0, 1),
    epochs: int = 20,
) -> ShapeModel:
    """A model of the sketches of questions given by their features (see `delexical.features`)."""
    counts = Counter(sketches)
    known = tuple(sorted(counts, key=lambda s: (-counts[s], repr(s))))
    number = {s: i for i, s in enumerate(known)}
    apart = [take_apart(s) for s in sketches]
    parts = {}
    targets = {"whole": [number[s] for s in sketches]}
    for place, head in enumerate(HEADS):
        seen = Counter(tuple(p)[place] for p in apart)
        parts[head] = tuple(sorted(seen, key=lambda p: (-seen[p], repr(p))))
        index = {p: i for i, p in enumerate(parts[head])}
        targets[head] = [index[tuple(p)[place]] for p in apart]
    sizes = {"whole": len(known)} | {h: len(parts[h]) for h in HEADS}
    networks = tuple(fit_network(rows, targets, sizes, seed=s, epochs=epochs) for s in seeds)
    return ShapeModel(known, parts, networks, _neighbourhood(rows, targets["whole"]))


def _neighbourhood(rows: Sequence[Sequence[str]], labels: Sequence[int]) -> Neighbourhood:
    words = vocabulary(rows, least=3)
    uses = np.zeros(len(words))
    indices = []
    for row in rows:
        places = sorted(words[f] for f in row if f in words)
        uses[places] += 1
        indices.append(places or [0])
    rarity = np.log(len(rows) / uses).astype(np.float32)
    return Neighbourhood(
        words,
        rarity,
        np.cumsum([0, *(len(i) for i in indices)]),
        np.concatenate([np.array(i) for i in indices]),
        np.array(labels),
    )
