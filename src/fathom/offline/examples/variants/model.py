"""Which traits of queries go with which words, learned from the solved questions of one database.

A log-linear model over all templates: the score of a query is bilinear in the question's words and the
query's traits, and solved questions make their own query likelier than every other template. Fitted by
gradient steps on the coefficients of the solved questions (Kivinen, Smola, Williamson, "Online Learning with
Kernels", 2004, in batch): a second for some hundred of them, on one core.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import Floats

STEPS = 30
PACE = 40.0
"""Of the largest step that is safe for squares; the loss is flatter."""
MOMENTUM = 0.9
SHRINKAGE = 0.01
EVERYWHERE = 0.1
PAIR = 0.7
UNKNOWN = 0.5


class WordModel:
    """Scores of traits given words; `texts` and `golds` are those of the solved questions, in order.

    `others` are sets of traits that no solved question has: what to tell theirs from. `fitted` are the
    `coefficients` that the same questions gave before.
    """

    def __init__(
        self,
        texts: Sequence[Sequence[str]],
        golds: Sequence[frozenset[str]],
        others: Sequence[frozenset[str]] = (),
        *,
        fitted: Floats | None = None,
    ) -> None:
        known = list(dict.fromkeys((*golds, *others)))
        self.number = {t: i for i, t in enumerate(sorted({t for traits in known for t in traits}))}
        uses = Counter(w for words in texts for w in set(words))
        self._words = {w: i for i, w in enumerate(sorted(uses))}
        self._rarest = math.log(len(texts) + 1)
        weights = [(PAIR if " " in w else 1.0) * (self._rarest - math.log(uses[w])) for w in self._words]
        self._weights = np.array(weights, np.float32)
        self._texts = np.stack([self._vector(words) for words in texts])
        place = {traits: i for i, traits in enumerate(known)}
        if fitted is None or fitted.shape != (len(texts), len(self.number)):
            fitted = self._fit(self.matrix(known), np.array([place[g] for g in golds]))
        self.coefficients = fitted

    def _fit(self, templates: Floats, golds: npt.NDArray[np.int64]) -> Floats:
        alike = self._texts @ self._texts.T + EVERYWHERE
        found = np.zeros((len(alike), templates.shape[1]), np.float32)
        speed = np.zeros_like(found)
        rows = np.arange(len(alike))
        pace = PACE / float(np.linalg.norm(alike, 2))
        best, least = found.copy(), math.inf
        for _ in range(STEPS):
            scores = (alike @ found) @ templates.T
            chances = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            loss = -float(np.log(chances[rows, golds] + 1e-12).sum())
            if loss < least:  # steps this long overshoot where all questions are nearly the same
                best, least = found.copy(), loss
            chances[rows, golds] -= 1
            speed = MOMENTUM * speed - pace * (chances @ templates + SHRINKAGE * found)
            found += speed
        return best

    def matrix(self, known: Sequence[frozenset[str]]) -> Floats:
        """Templates x traits, all of them known, each row of length 1."""
        matrix = np.zeros((len(known), len(self.number)), np.float32)
        for row, traits in enumerate(known):
            matrix[row, [self.number[t] for t in traits]] = 1 / math.sqrt(len(traits))
        return matrix

    def _vector(self, words: Sequence[str]) -> Floats:
        vector = np.zeros(len(self._words), np.float32)
        unknown = 0.0
        for word in dict.fromkeys(words):
            if (place := self._words.get(word)) is not None:
                vector[place] = self._weights[place]
            elif " " not in word:
                unknown += UNKNOWN * self._rarest**2
        return vector / (math.sqrt(float(vector @ vector) + unknown) or 1.0)

    def weights(self, words: Sequence[str]) -> Floats:
        """Give the weight of each trait, by its `number`, in a query's score for a question of these
        words."""
        alike = self._texts @ self._vector(words) + EVERYWHERE
        return np.asarray(alike @ self.coefficients, np.float32)
