"""What solved questions of the same database teach linking: which tables and columns such words ask for."""

from dataclasses import replace

import numpy as np

from fathom.offline.examples import Examples
from fathom.offline.linking import ColumnKey, Floats, Linking
from fathom.offline.ranking.coverage import Parts, parts_of

NEAREST = 6
SHARPNESS = 6.0
TRUST = 0.85
"""How far the nearest precedents outweigh what was learned elsewhere, where they are the same question."""


class Precedents:
    """The tables and columns of solved questions, by role."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        self._parts: tuple[Parts, ...] = tuple(parts_of(s.query) for s in examples.solved)

    def apply(self, linking: Linking) -> Linking:
        """The linking with its scores drawn to what the most similar solved questions use."""
        if not self._parts:
            return linking
        similar = self._examples.similarities(linking)
        nearest = np.argsort(-similar, kind="stable")[:NEAREST]
        trust = TRUST * float(np.clip(2 * similar[nearest[0]], 0, 1))
        weights = np.exp(SHARPNESS * (similar[nearest] - similar[nearest[0]]))
        weights /= weights.sum()
        tables = np.zeros(len(linking.tables), np.float32)
        place = {t: i for i, t in enumerate(linking.tables)}
        columns = {role: np.zeros(len(linking.columns), np.float32) for role in linking.column_scores}
        for number, weight in zip(nearest.tolist(), weights.tolist(), strict=True):
            parts = self._parts[number]
            tables[[place[t] for t in parts.tables]] += weight
            for column, role in dict.fromkeys(parts.columns):
                columns[role][linking.index[ColumnKey(*column)]] += weight
        return replace(
            linking,
            table_scores=_drawn(linking.table_scores, tables, trust),
            column_scores={r: _drawn(s, columns[r], trust) for r, s in linking.column_scores.items()},
            values=tuple(
                replace(v, probability=_value(v.probability, columns["where"], linking.index[v.column], trust))
                for v in linking.values
            ),
        )


def _drawn(scores: Floats, shares: Floats, trust: float) -> Floats:
    return np.asarray((1 - trust) * scores + trust * np.clip(shares, 0, 1), np.float32)


def _value(probability: float, where: Floats, place: int, trust: float) -> float:
    """A value of a column that precedents compare gains; of others it loses a little."""
    share = float(where[place])
    return probability + trust * share * (0.95 - probability) if share > 0.1 else probability * (1 - 0.3 * trust)
