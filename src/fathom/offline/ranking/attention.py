"""Holds each clause of a query against the question's words, in their order: a small network with attention.

Forests see how much of a question a query accounts for; the network sees which words stand around those that
name a column, table or value, and whether a clause fits them. It corrects the forest's scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import ROLES, Floats, Linking, Span
from fathom.offline.queries.query import Query
from fathom.offline.ranking.clauses import Clause, clauses_of
from fathom.offline.ranking.coverage import CoverageJudge

Ints = npt.NDArray[np.int64]
Weights = Mapping[str, Any]
"""By name: `words` and `kinds` (entries x hidden), the convolutions `near` and `wide`, the layers `marks`,
`ask`, `clause`, `alone`, `query` and `whole`; what ends in `_shift` is added."""

MARKS, SPOKEN, FACTS = 14, 3, 11
REACH = 2
"""Words on either side that a convolution sees."""
TRUST = 0.6
"""The share of the networks' corrections that counts. Out of fold all from 0.5 to 1 choose about as well; on
GeoQuery's training questions, of a database unlike those learned from, less of them is better."""
_FURTHEST = 4.0
"""Standard deviations to which a feature is cut."""
_SMALLEST = 1e-3


class Inputs(NamedTuple):
    """A question with its candidates as the network sees them.

    `words` (tokens) and `kinds` (clauses) are places in vocabularies, 0 for others. `marks` (tokens x MARKS)
    is what linking makes of each token, `spoken` (SPOKEN x clauses x tokens) how far each speaks of the
    column, table and value of a clause, `facts` (clauses x FACTS) how likely linking finds these. `holds`
    (queries x clauses) is 1 where a query has a clause; `features` (queries x features) are the forest's,
    standardised.
    """

    words: Ints
    marks: Floats
    kinds: Ints
    spoken: Floats
    facts: Floats
    holds: Floats
    features: Floats


def _same(values: Any) -> Any:
    return values


def forward(weights: Weights, given: Inputs, xp: Any = np, thinned: Callable[[Any], Any] = _same) -> Any:
    """Compute the network's part of each query's score (queries).

    `xp` does the arithmetic: NumPy, or in training a module like it that also differentiates. `thinned` drops
    units at random in training.
    """
    tokens = thinned(weights["words"][given.words] + given.marks @ weights["marks"] + weights["marks_shift"])
    for layer in ("near", "wide"):
        tokens = tokens + _convolved(weights, layer, thinned(tokens), xp)
    around = xp.mean(tokens, axis=0)
    kinds = weights["kinds"][given.kinds]
    asked = (kinds @ weights["ask"] + weights["ask_shift"]) @ xp.transpose(tokens) / tokens.shape[1] ** 0.5
    asked = xp.exp(asked - xp.max(asked, axis=1, keepdims=True))
    heard = (asked / xp.sum(asked, axis=1, keepdims=True)) @ tokens
    said = given.spoken.sum(axis=2)
    pooled = [s @ tokens / (total[:, None] + 0.1) for s, total in zip(given.spoken, said, strict=True)]
    whole = xp.ones((len(given.kinds), 1), np.float32) * around
    seen = xp.concatenate([kinds, *pooled, heard, whole, given.facts, np.minimum(said.T, 2)], axis=1)
    clauses = thinned(xp.maximum(thinned(seen) @ weights["clause"] + weights["clause_shift"], 0))
    mean = given.holds @ clauses / (given.holds.sum(axis=1, keepdims=True) + 1)
    question = xp.ones((len(given.holds), 1), np.float32) * around
    queries = xp.concatenate([mean, question, thinned(given.features)], axis=1)
    queries = thinned(xp.maximum(queries @ weights["query"] + weights["query_shift"], 0))
    return given.holds @ (clauses @ weights["alone"]) + queries @ weights["whole"]


def _convolved(weights: Weights, layer: str, tokens: Any, xp: Any) -> Any:
    length, hidden = tokens.shape
    edge = np.zeros((REACH, hidden), np.float32)
    padded = xp.concatenate([edge, tokens, edge], axis=0)
    windows = xp.concatenate([padded[i : i + length] for i in range(2 * REACH + 1)], axis=1)
    return xp.maximum(windows @ weights[layer] + weights[f"{layer}_shift"], 0)


@dataclass(frozen=True)
class Attention:
    """Networks whose corrections are averaged, with what they know: `words` (stems) and `kinds` of clauses.

    `mean` and `spread` (features) standardise the forest's features.
    """

    words: Mapping[str, int]
    kinds: Mapping[str, int]
    mean: Floats
    spread: Floats
    networks: tuple[Mapping[str, Floats], ...]

    def scores(self, linking: Linking, queries: Sequence[Query], features: Floats) -> npt.NDArray[np.float64]:
        """Compute the network's part of the scores; `features` (queries x features) are the forest's."""
        given = self.inputs(linking, queries, features)
        found = sum(np.asarray(forward(n, given), np.float64) for n in self.networks)
        return np.asarray(TRUST * found / len(self.networks))

    def inputs(self, linking: Linking, queries: Sequence[Query], features: Floats) -> Inputs:
        """A question with its candidates as the networks see them."""
        held = [clauses_of(q) for q in queries]
        number: dict[Clause, int] = {}
        for clauses in held:
            for clause in clauses:
                number.setdefault(clause, len(number))
        holds = np.zeros((len(queries), len(number)), np.float32)
        for row, clauses in zip(holds, held, strict=True):
            row[[number[c] for c in clauses]] = 1
        spoken, facts = _clauses_seen(linking, tuple(number))
        standard = np.clip((features - self.mean) / self.spread, -_FURTHEST, _FURTHEST)
        return Inputs(
            np.array([self.words.get(t.stem, 0) for t in linking.tokens], np.int64),
            _marks(linking),
            np.array([self.kinds.get(c.kind, 0) for c in number], np.int64),
            spoken,
            facts,
            holds,
            np.asarray(standard, np.float32),
        )

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The networks as arrays for an npz file, under a name."""
        found: dict[str, npt.NDArray[Any]] = {
            f"{name}.words": np.array("\n".join(sorted(self.words, key=self.words.__getitem__))),
            f"{name}.kinds": np.array("\n".join(sorted(self.kinds, key=self.kinds.__getitem__))),
            f"{name}.mean": self.mean,
            f"{name}.spread": self.spread,
            f"{name}.networks": np.array(len(self.networks)),
        }
        for place, network in enumerate(self.networks):
            found |= {f"{name}.{place}.{k}": w.astype(np.float16) for k, w in network.items()}
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Self:
        """The networks that `arrays` wrote under a name."""
        networks = []
        for place in range(int(arrays[f"{name}.networks"])):
            start = f"{name}.{place}."
            own = {k.removeprefix(start): k for k in arrays if k.startswith(start)}
            networks.append({k: arrays[full].astype(np.float32) for k, full in own.items()})
        words, kinds = (str(arrays[f"{name}.{part}"]).split("\n") for part in ("words", "kinds"))
        return cls(
            numbered(words),
            numbered(kinds),
            arrays[f"{name}.mean"],
            arrays[f"{name}.spread"],
            tuple(networks),
        )


def numbered(names: Sequence[str]) -> dict[str, int]:
    """Names with their places in a vocabulary, from 1: 0 stands for all others."""
    return {n: i for i, n in enumerate(names, 1)}


def _marks(linking: Linking) -> Floats:
    """Compute linking's marks of each token (tokens x MARKS)."""
    marks = np.zeros((len(linking.tokens), MARKS), np.float32)
    marks[:, 0] = linking.alignment.max(axis=0, initial=0)
    marks[:, 1] = linking.table_alignment.max(axis=0, initial=0)
    for value in linking.values:
        held = marks[slice(*value.span), 2]
        np.maximum(held, value.probability, out=held)
    for place, token in enumerate(linking.tokens):
        marks[place, 3:7] = token.stop, token.kind == "number", token.quoted, token.text[:1].isupper()
    found: list[tuple[Span, int, float]] = [
        *((n.span, 7, 1.0) for n in linking.numbers),
        *((n.span, 8, n.limit) for n in linking.numbers),
        *((s.span, 9, 1.0) for s in linking.superlatives),
        *((q.span, 10, 1.0) for q in linking.quantities),
        *((n, 11, 1.0) for n in linking.negations),
        *((d.span, 12, 1.0) for d in linking.dates),
    ]
    for span, column, mark in found:
        marks[slice(*span), column] = mark
    marks[:, 13] = linking.explained
    return marks


def _clauses_seen(linking: Linking, clauses: Sequence[Clause]) -> tuple[Floats, Floats]:
    """How far tokens speak of clauses (SPOKEN x clauses x tokens), and their facts (clauses x FACTS)."""
    judge = CoverageJudge(linking)
    roles = _log_odds(np.stack([linking.column_scores[r] for r in ROLES], axis=1))
    tables = _log_odds(linking.table_scores)
    numbers = {t: i for i, t in enumerate(linking.tables)}
    spoken = np.zeros((SPOKEN, len(clauses), len(linking.tokens)), np.float32)
    facts = np.zeros((len(clauses), FACTS), np.float32)
    for row, clause in enumerate(clauses):
        if clause.column is not None and clause.column in linking.index:
            column = linking.index[clause.column]
            spoken[0, row] = linking.alignment[column]
            facts[row, :5] = roles[column]
            facts[row, 5:7] = 1, linking.alignment[column].max(initial=0)
        if clause.table in numbers:
            table = numbers[clause.table]
            spoken[1, row] = linking.table_alignment[table]
            facts[row, 7:9] = 1, tables[table]
        if clause.value is not None:
            probability, span, _ = judge.mention(clause.column, clause.value)
            if span is not None:
                spoken[2, row, slice(*span)] = 1
                facts[row, 9:11] = 1, probability
    return spoken, facts


def _log_odds(chances: Floats) -> Floats:
    """Log-odds of probabilities, near 1 in size."""
    kept = np.clip(chances, _SMALLEST, 1 - _SMALLEST)
    return np.asarray(np.log(kept / (1 - kept)) / 3, np.float32)
