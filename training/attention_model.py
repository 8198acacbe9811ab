"""Learns the attention network: listwise, on top of the forest's scores, differentiated by autograd.

The loss is that of ListNet's top one (Cao et al., 2007): the share of the softmax that right candidates have.
"""

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

import autograd.numpy as anp
import numpy as np
import numpy.typing as npt
from autograd import value_and_grad

from fathom.offline.linking import Floats, Linking
from fathom.offline.queries.query import Query
from fathom.offline.ranking.attention import FACTS, MARKS, REACH, SPOKEN, Attention, Inputs, forward, numbered
from fathom.offline.ranking.clauses import clauses_of
from training.adam import Adam
from training.lessons import FOLDS, fold_of

Doubles = npt.NDArray[np.float64]

HIDDEN = 48
SEEDS = (0, 1, 2)
EPOCHS, BATCH, RATE = 8, 16, 0.002
WARM = 0.3
"""The share of the steps in which the rate rises; then it falls."""
DROPPED, WORDS_DROPPED = 0.3, 0.2
STEEPNESS = 0.7
"""What scores are multiplied with before the softmax: the forest's best ones are about three apart."""
GREATEST = 1.0
"""The norm to which a gradient is cut."""
WIDELY = 20
"""Databases whose questions must use a word for the network to know it: names of one shouldn't be learned."""
OFTEN = 30
"""Questions among whose candidates a kind of clause must be."""


@dataclass(frozen=True)
class Example:
    """A question with its candidates: the forest's features of each (candidates x features) and scores, and
    which are right."""

    linking: Linking
    database: str
    queries: tuple[Query, ...]
    features: Floats
    scores: Doubles
    right: npt.NDArray[np.bool_]

    @property
    def teaches(self) -> bool:
        """Whether it has right candidates and wrong ones."""
        return bool(self.right.any() and not self.right.all())


@dataclass(frozen=True)
class FittedAttention:
    """The networks of all examples, and for each fold the one learned without it."""

    full: Attention
    without: tuple[Attention, ...]

    def correct(self, example: Example) -> Doubles:
        """What the network without an example's fold adds to its scores."""
        network = self.without[fold_of(example.database)]
        return network.scores(example.linking, example.queries, example.features)


def fit_attention(answered: Sequence[Sequence[Example]], *, processes: int = 1) -> FittedAttention:
    """Networks learned from all examples.

    `answered` are the examples of several judges, for all of which there is one network.
    """
    every = [e for part in answered for e in part]
    gc.freeze()  # what is there already stays: to walk it again and again takes longer than the arithmetic
    # Forked, so that examples are shared and not sent.
    with ProcessPoolExecutor(
        processes, get_context("fork"), initializer=_shared.append, initargs=(every,)
    ) as pool:
        # One network is enough where only the spread of the corrections matters.
        fitted = list(
            pool.map(_fit_without, [*range(FOLDS), *(None for _ in SEEDS)], [*range(FOLDS), *SEEDS])
        )
    without, full = fitted[:FOLDS], fitted[FOLDS:]
    joined = replace(full[0], networks=tuple(n for f in full for n in f.networks))
    return FittedAttention(joined, tuple(without))


_shared: list[Sequence[Example]] = []


def _fit_without(fold: int | None, seed: int) -> Attention:
    return fit_alone([e for e in _shared[-1] if fold is None or fold_of(e.database) != fold], seed)


def fit_alone(examples: Sequence[Example], seed: int) -> Attention:
    """One network learned from examples: `fit_attention` has several averaged."""
    useful = [e for e in examples if e.teaches]
    rows = np.concatenate([e.features for e in useful])
    blank = Attention(
        _known(((e.database, [t.stem for t in e.linking.tokens]) for e in useful), WIDELY),
        _known(
            ((i, [c.kind for q in e.queries for c in clauses_of(q)]) for i, e in enumerate(useful)), OFTEN
        ),
        rows.mean(axis=0),
        rows.std(axis=0) + 1e-2,
        (),
    )
    lessons = [
        (blank.inputs(e.linking, e.queries, e.features), STEEPNESS * (e.scores - e.scores.max()), e.right)
        for e in useful
    ]
    return replace(blank, networks=(_fit(lessons, blank, seed),))


def _known(seen: Iterable[tuple[object, Sequence[str]]], least: int) -> dict[str, int]:
    """The names that so many sources at least have, numbered."""
    sources: dict[str, set[object]] = {}
    for source, names in seen:
        for name in names:
            sources.setdefault(name, set()).add(source)
    return numbered(sorted(n for n, s in sources.items() if len(s) >= least))


_Lesson = tuple[Inputs, Doubles, npt.NDArray[np.bool_]]


def _fit(lessons: Sequence[_Lesson], blank: Attention, seed: int) -> dict[str, Floats]:
    random = np.random.default_rng(seed)
    weights = _initial(blank, random)
    optimisers = {name: Adam(w.shape, RATE) for name, w in weights.items()}
    steps = EPOCHS * ((len(lessons) + BATCH - 1) // BATCH)
    step = 0
    differentiate = value_and_grad(_loss)
    for _ in range(EPOCHS):
        order = random.permutation(len(lessons))
        for start in range(0, len(lessons), BATCH):
            batch = [_worn(lessons[i], random) for i in order[start : start + BATCH]]
            _, gradient = differentiate(weights, batch, _dropping(random))
            length = float(np.sqrt(sum((g * g).sum() for g in gradient.values())))
            step += 1
            rising, falling = step / (WARM * steps), (steps - step + 1) / ((1 - WARM) * steps)
            for name, optimiser in optimisers.items():
                optimiser.rate = RATE * min(rising, falling, 1.0)
                optimiser.step(weights[name], gradient[name] * min(1.0, GREATEST / (length + 1e-9)))
    return weights


def _initial(blank: Attention, random: np.random.Generator) -> dict[str, Floats]:
    """Weights to begin with: small, and so that nothing is corrected yet."""
    seen = (3 + SPOKEN) * HIDDEN + FACTS + SPOKEN
    layers = {
        "marks": (MARKS, HIDDEN),
        "near": ((2 * REACH + 1) * HIDDEN, HIDDEN),
        "wide": ((2 * REACH + 1) * HIDDEN, HIDDEN),
        "ask": (HIDDEN, HIDDEN),
        "clause": (seen, HIDDEN),
        "query": (2 * HIDDEN + len(blank.mean), HIDDEN),
    }
    weights = {"words": random.normal(0, 0.1, (len(blank.words) + 1, HIDDEN))}
    weights["kinds"] = random.normal(0, 0.1, (len(blank.kinds) + 1, HIDDEN))
    for name, shape in layers.items():
        reach = shape[0] ** -0.5
        weights[name] = random.uniform(-reach, reach, shape)
        weights[f"{name}_shift"] = random.uniform(-reach, reach, shape[1])
    weights["alone"] = weights["whole"] = np.zeros(HIDDEN)
    return {name: np.array(w, np.float32) for name, w in weights.items()}


def _worn(lesson: _Lesson, random: np.random.Generator) -> _Lesson:
    """A lesson without some of its words."""
    given, scores, right = lesson
    kept = random.random(len(given.words)) >= WORDS_DROPPED
    return given._replace(words=given.words * kept), scores, right


def _dropping(random: np.random.Generator) -> Callable[[Any], Any]:
    def dropped(units: Any) -> Any:
        kept = random.random(units.shape, np.float32) >= DROPPED
        return units * (kept / np.float32(1 - DROPPED))

    return dropped


def _loss(weights: Mapping[str, Any], batch: Sequence[_Lesson], thinned: Callable[[Any], Any]) -> Any:
    """The mean over a batch of minus the logarithm of the right candidates' share."""
    total = 0.0
    for given, scores, right in batch:
        found = scores + STEEPNESS * forward(weights, given, anp, thinned)
        shares = anp.exp(found - anp.max(found))
        total = total - anp.log(anp.sum(shares[right]) / anp.sum(shares))
    return total / len(batch)
