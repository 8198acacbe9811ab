"""The evidence of a database's solved questions for a new one: how far each query fits, and which to try."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fathom.offline.examples.exchanged_values import Template, filled
from fathom.offline.examples.solved import Examples, masked_words
from fathom.offline.examples.variants.model import WordModel
from fathom.offline.examples.variants.queries import TemplateVariants
from fathom.offline.examples.variants.traits import traits
from fathom.offline.examples.weight_cache import load, store
from fathom.offline.linking import ColumnKey, Floats, Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.retrieval import ValueIndex

Integers = npt.NDArray[np.int64]

FEWEST = 20
FOLDS = 3
LEAST_TRUST = 0.2
"""Under this, new questions ask for other queries than the solved ones: those say too little."""
MOST_SOLVED = 1_000
MOST_TEMPLATES = 250
MOST_TOLD_FROM = 300
"""Bounds on what is learned from, so that the first question waits for seconds at most."""
TRIED = 120
_VERSION = 1
"""To be raised where the same questions would teach something else."""
UNHEARD = 0.5
"""The penalty of each trait that no solved query has, nor any variant that was learned from."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A template's query with this question's values; `kept` as in `Recalled`."""

    query: Query
    kept: int


@dataclass(frozen=True)
class _Learned:
    """How far to trust the solved questions, and the model's coefficients (None where trust is too low)."""

    trust: float
    coefficients: Floats | None


@dataclass(frozen=True)
class _Compiled:
    """Templates, the `places` of their traits one after the other with where each `starts`, root lengths."""

    templates: tuple[Template, ...]
    places: Integers
    starts: Integers
    lengths: npt.NDArray[np.float64]
    penalties: npt.NDArray[np.float64]


class Habits:
    """Learned from solved questions; true where they are enough, and alike enough, to say something.

    `trust` is how far to trust them, where that is known; else it is tried out.
    """

    def __init__(
        self,
        examples: Examples,
        planner: JoinPlanner,
        index: ValueIndex,
        cache: Path | None = None,
        *,
        trust: float | None = None,
    ) -> None:
        solved = examples.solved
        self._solved = solved[:: math.ceil(len(solved) / MOST_SOLVED)] if solved else []
        self._planner, self._index, self._cache, self._trust = planner, index, cache, trust

    def __bool__(self) -> bool:
        enough = len(self._solved) >= FEWEST or self._trust is not None
        return enough and self.trust >= LEAST_TRUST

    @cached_property
    def _golds(self) -> list[frozenset[str]]:
        return [traits(s.query) for s in self._solved]

    @cached_property
    def _templates(self) -> Mapping[frozenset[str], Template]:
        """The solved queries by their traits, those of the most questions first, then their variants."""
        found: dict[frozenset[str], Template] = {}
        for solved, gold in zip(self._solved, self._golds, strict=True):
            found.setdefault(gold, solved.template)
        known = list(found.values())[:MOST_TEMPLATES]
        variants = TemplateVariants(known, self._planner)
        seen = {t.query for t in known}
        for template in known:
            for variant in variants.of(template):
                if variant.query not in seen:
                    seen.add(variant.query)
                    found.setdefault(traits(variant.query), variant)
        return found

    @cached_property
    def _texts(self) -> list[tuple[str, ...]]:
        return [(*s.words, *_marks(self._homes(b.value for b in s.blanks))) for s in self._solved]

    @cached_property
    def _others(self) -> list[frozenset[str]]:
        """Some of the variants, to tell the solved queries from."""
        variants = list(self._templates)[len(set(self._golds)) :]
        return variants[:: math.ceil(len(variants) / MOST_TOLD_FROM)] if variants else []

    @cached_property
    def _model(self) -> WordModel:
        return WordModel(self._texts, self._golds, self._others, fitted=self._learned.coefficients)

    @property
    def trust(self) -> float:
        """The share of solved questions whose template the others tell first among all templates."""
        return self._learned.trust

    @cached_property
    def _learned(self) -> "_Learned":
        """From the cache where the same questions were learned from before."""
        file = self._file()
        if (known := load(file)) is not None and "trust" in known:
            return _Learned(float(known["trust"]), known.get("coefficients"))
        trust = self._tried_out() if self._trust is None else self._trust
        # Where they say too little, the model is never asked.
        enough = trust >= LEAST_TRUST
        model = WordModel(self._texts, self._golds, self._others) if enough else None
        found = _Learned(trust, None if model is None else model.coefficients)
        told = {} if found.coefficients is None else {"coefficients": found.coefficients}
        store(file, {"trust": np.array(trust), **told})
        return found

    def _file(self) -> Path | None:
        """Where the outcome of learning from just this is kept: its name is the digest of all that is learned
        from, so that other questions, another schema or other values have a file of their own."""
        if self._cache is None:
            return None
        digest = hashlib.sha256(repr((_VERSION, np.__version__, self._texts)).encode())
        for known in (*self._golds, *self._others):
            digest.update(repr(sorted(known)).encode())
        return self._cache / "habits" / f"{digest.hexdigest()[:32]}.npz"

    def _tried_out(self) -> float:
        drawn = sorted({s.query: s.number for s in self._solved}.items(), key=lambda q: q[1])
        queries = {query: place % FOLDS for place, (query, _) in enumerate(drawn)}
        folds = [queries[s.query] for s in self._solved]
        right = 0
        for fold in range(FOLDS):
            learned = [i for i, f in enumerate(folds) if f != fold]
            golds = [self._golds[i] for i in learned]
            model = WordModel([self._texts[i] for i in learned], golds, self._others)
            known = list(dict.fromkeys((*golds, *self._others)))
            templates = model.matrix(known)
            for i, f in enumerate(folds):
                if f == fold:
                    best = int((templates @ model.weights(self._texts[i])).argmax())
                    right += known[best] == self._golds[i]
        return right / len(folds)

    def _homes(self, values: Iterable[object]) -> frozenset[ColumnKey]:
        """The columns that hold a value as it stands."""
        found: set[ColumnKey] = set()
        for value in values:
            if isinstance(value, str):
                matches = self._index.lookup(value)
                found |= {ColumnKey(m.table, m.column) for m in matches if m.kind in {"exact", "folded"}}
        return frozenset(found)

    def _weights(self, linking: Linking) -> Floats:
        words, homes = masked_words(linking)
        return self._model.weights((*words, *_marks(homes)))

    def scores(self, linking: Linking, queries: Sequence[Query]) -> Floats:
        """How far each query is what people here mean by such words: log-odds, up to a constant."""
        weights = self._weights(linking)
        return np.array([self._score(traits(q), weights) for q in queries], np.float32)

    def _score(self, of_query: frozenset[str], weights: Floats) -> float:
        places = sorted(self._model.number[t] for t in of_query if t in self._model.number)
        unheard = len(of_query) - len(places)
        return float(weights[places].sum()) / math.sqrt(len(of_query)) - UNHEARD * unheard

    @cached_property
    def _compiled(self) -> "_Compiled":
        number = self._model.number
        heard = [sorted(number[t] for t in known if t in number) for known in self._templates]
        missed = [len(known) - len(places) for known, places in zip(self._templates, heard, strict=True)]
        return _Compiled(
            tuple(self._templates.values()),
            np.array([p for places in heard for p in places], np.int64),
            np.cumsum([0, *map(len, heard[:-1])]),
            np.sqrt([len(known) for known in self._templates]),
            UNHEARD * np.array(missed),
        )

    def likely(self, linking: Linking, most: int) -> list[Likely]:
        """The likeliest templates' queries with this question's values, likeliest first, none twice."""
        known = self._compiled
        heard = self._weights(linking)[known.places]
        scores = np.add.reduceat(heard, known.starts) / known.lengths - known.penalties
        found: dict[Query, Likely] = {}
        for place in np.argsort(-scores, kind="stable")[:TRIED].tolist():
            for query, kept, _ in filled(known.templates[place], linking):
                found.setdefault(query, Likely(query, kept))
            if len(found) >= most:
                break
        return list(found.values())[:most]


def _marks(homes: frozenset[ColumnKey]) -> tuple[str, ...]:
    return tuple(f"<in {c.table}.{c.column}>" for c in sorted(homes))
