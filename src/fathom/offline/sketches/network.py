"""A small network over sparse features: one hidden layer, several softmax heads. Inference only, in NumPy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Network:
    """`embedding` (features x hidden) is summed over a question's features; `heads` are (weights, bias)."""

    vocabulary: Mapping[str, int]
    embedding: Floats
    bias: Floats
    heads: Mapping[str, tuple[Floats, Floats]]

    def hidden(self, features: Sequence[str]) -> Floats:
        """The hidden layer for a question's features."""
        places = [self.vocabulary[f] for f in features if f in self.vocabulary]
        total = self.embedding[places].sum(axis=0) / np.sqrt(max(len(places), 1)) + self.bias
        return np.asarray(np.maximum(total, 0), np.float32)

    def log_probabilities(self, features: Sequence[str]) -> dict[str, Floats]:
        """By head, the logarithms of its classes' probabilities."""
        hidden = self.hidden(features)
        return {name: log_softmax(hidden @ w + b) for name, (w, b) in self.heads.items()}

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The network as arrays for an npz file; the embedding is kept in bytes, a scale for each unit."""
        scale = np.abs(self.embedding).max(axis=0) / 127 + 1e-9
        found = {
            f"{name}.embedding": np.round(self.embedding / scale).astype(np.int8),
            f"{name}.scale": scale.astype(np.float32),
            f"{name}.bias": self.bias.astype(np.float32),
        }
        for head, (weights, bias) in self.heads.items():
            found[f"{name}.{head}.weights"] = weights.astype(np.float16)
            found[f"{name}.{head}.bias"] = bias.astype(np.float32)
        return found

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        name: str,
        vocabulary: Mapping[str, int],
        heads: Sequence[str],
    ) -> Self:
        """The network that `arrays` wrote under a name."""
        return cls(
            vocabulary,
            arrays[f"{name}.embedding"].astype(np.float32) * arrays[f"{name}.scale"],
            arrays[f"{name}.bias"],
            {
                h: (arrays[f"{name}.{h}.weights"].astype(np.float32), arrays[f"{name}.{h}.bias"])
                for h in heads
            },
        )


def log_softmax(scores: Floats) -> Floats:
    """The logarithm of the softmax, without overflow."""
    shifted = scores - scores.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float32)
