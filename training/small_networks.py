"""Fitting the small networks: Adam on sparse features, softmax heads, dropout; deterministic by seed."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from fathom.offline.sketches.network import Floats, Network
from training.adam import Adam

HIDDEN = 96


def vocabulary(rows: Sequence[Sequence[str]], *, least: int = 3, most: int = 8_000) -> dict[str, int]:
    """The features seen at least so often, most frequent first."""
    counts = Counter(f for row in rows for f in row)
    kept = sorted((f for f, n in counts.items() if n >= least), key=lambda f: (-counts[f], f))[:most]
    return {f: i for i, f in enumerate(kept)}


def fit_network(
    rows: Sequence[Sequence[str]],
    targets: Mapping[str, Sequence[int]],
    sizes: Mapping[str, int],
    *,
    seed: int = 0,
    epochs: int = 20,
    rate: float = 0.004,
    batch: int = 64,
    dropout: float = 0.5,
    word_dropout: float = 0.3,
    decay: float = 1e-5,
) -> Network:
    """A network for questions `rows` whose class under each head is given by `targets` (-1: unknown)."""
    random = np.random.default_rng(seed)
    words = vocabulary(rows)
    indices = [[words[f] for f in row if f in words] for row in rows]
    embedding = random.normal(0, 0.1, (len(words), HIDDEN)).astype(np.float32)
    bias = np.zeros(HIDDEN, np.float32)
    heads = {
        h: (random.normal(0, 0.05, (HIDDEN, n)).astype(np.float32), np.zeros(n, np.float32))
        for h, n in sizes.items()
    }
    optimisers = {"embedding": Adam(embedding.shape, rate), "bias": Adam(bias.shape, rate)}
    for name, (weight, shift) in heads.items():
        optimisers[name] = Adam(weight.shape, rate)
        optimisers[name + " bias"] = Adam(shift.shape, rate)
    known = {h: np.asarray(t) for h, t in targets.items()}
    steps = epochs * ((len(rows) + batch - 1) // batch)
    step = 0
    for _ in range(epochs):
        order = random.permutation(len(rows))
        for start in range(0, len(rows), batch):
            chosen = order[start : start + batch]
            step += 1
            for optimiser in optimisers.values():
                optimiser.rate = rate * (1 - step / (steps + 1))
            kept = [[i for i in indices[r] if random.random() > word_dropout] for r in chosen]
            scale = np.concatenate([np.full(len(k), 1 / np.sqrt(max(len(k), 1)), np.float32) for k in kept])
            pointer = np.cumsum([0, *(len(k) for k in kept)])
            matrix = csr_matrix(
                (scale, np.array([i for k in kept for i in k], np.int32), pointer),
                shape=(len(chosen), len(words)),
            )
            before = matrix @ embedding + bias
            mask = (random.random(before.shape) > dropout).astype(np.float32) / (1 - dropout)
            hidden = np.maximum(before, 0) * mask
            back = np.zeros_like(hidden)
            for name, (weight, shift) in heads.items():
                wanted = known[name][chosen]
                error = _softmax(hidden @ weight + shift)
                error[np.arange(len(chosen)), np.maximum(wanted, 0)] -= 1
                error[wanted < 0] = 0
                error /= len(chosen)
                back += error @ weight.T
                optimisers[name].step(weight, hidden.T @ error + decay * weight)
                optimisers[name + " bias"].step(shift, error.sum(axis=0))
            back *= mask * (before > 0)
            optimisers["embedding"].step(embedding, np.asarray(matrix.T @ back) + decay * embedding)
            optimisers["bias"].step(bias, back.sum(axis=0))
    return Network(words, embedding, bias, heads)


def _softmax(scores: Floats) -> Floats:
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), np.float32)
