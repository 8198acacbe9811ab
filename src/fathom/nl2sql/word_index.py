"""Texts compared by their words: the more rare words and word pairs two share, the nearer they are."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray


class WordIndex:
    """An index over texts given as words; nearness is the cosine of TF-IDF vectors, from 0 to 1."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        counted = [_features(text) for text in texts]
        held = Counter(f for features in counted for f in features)
        self._size = len(counted)
        self._rarity = {f: 1 + log((1 + self._size) / (1 + n)) for f, n in held.items()}
        postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, features in enumerate(counted):
            for feature, weight in self._weighted(features):
                postings[feature].append((number, weight))
        self._postings = {
            f: (np.array([n for n, _ in found], np.int64), np.array([w for _, w in found], np.float32))
            for f, found in postings.items()
        }

    def nearness(self, words: Sequence[str]) -> NDArray[np.float32]:
        """How near each text is to these words, in the texts' order."""
        scores = np.zeros(self._size, np.float32)
        for feature, weight in self._weighted(_features(words)):
            if feature in self._postings:
                numbers, weights = self._postings[feature]
                scores[numbers] += np.float32(weight) * weights
        return scores

    def nearest(self, words: Sequence[str], limit: int | None = None) -> list[int]:
        """The numbers of the nearest texts, nearest first; equally near ones in their own order."""
        order = np.argsort(-self.nearness(words), kind="stable")
        return [int(n) for n in order[:limit]]

    def _weighted(self, features: Counter[str]) -> list[tuple[str, float]]:
        unknown = 1 + log(1 + self._size)
        weights = {f: n * self._rarity.get(f, unknown) for f, n in features.items()}
        length = sum(w * w for w in weights.values()) ** 0.5
        return [(f, w / length) for f, w in weights.items()] if length else []


def _features(words: Sequence[str]) -> Counter[str]:
    return Counter([*words, *(f"{a} {b}" for a, b in pairwise(words))])
