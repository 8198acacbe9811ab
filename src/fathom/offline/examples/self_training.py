"""Asks solved questions again, each as if it were new, and learns from what comes of it how to choose."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.offline.checks.trial_runs import Checked, brief, check
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.solved import Solved
from fathom.offline.examples.weight_cache import load, store
from fathom.offline.knowledge import apply_conventions
from fathom.offline.queries.query import Query
from fathom.offline.queries.to_sql import render
from fathom.offline.ranking.reranker import Reranker, SolvedTrial, fit_and_try
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.scores import weigh
from fathom.offline.weight_files import weights_digest
from fathom.records import Question
from fathom.watch import tell

FEWEST, MOST = 30, 150
"""Solved questions that are asked again: the more the better, but the first question waits for it."""
FOLDS, SMALL_FOLDS = 3, 6
"""Parts of the solved questions; those of each are asked of what the others teach. Where there are fewer than
`FEWEST`, more of them, so that the others are not too few to teach anything."""
_VERSION = 3
"""To be raised where the same questions would teach something else."""
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Guess:
    """The best guess at a solved question (by its place) that was held out, as others taught to make it.

    `digest` is of its rows, `similarity` how near the nearest of the others is, from 0 to 1.
    """

    place: int
    digest: str
    right: bool
    confidence: float
    similarity: float


@dataclass(frozen=True)
class RehearsedExamples:
    """The lessons of asking solved questions again. `reranker` is None where they are too few to learn it."""

    reranker: Reranker | None = None
    guesses: tuple[Guess, ...] = ()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The rehearsal as arrays for an npz file."""
        known = {} if self.reranker is None else self.reranker.arrays()
        numbers = [(g.place, g.right, g.confidence, g.similarity) for g in self.guesses]
        return known | {
            "guesses": np.array(numbers, np.float64).reshape(-1, 4),
            "digests": np.array([g.digest for g in self.guesses], np.str_),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """The rehearsal that `arrays` wrote."""
        rows = zip(arrays["guesses"].tolist(), arrays["digests"].tolist(), strict=True)
        guesses = (Guess(int(p), d, bool(r), c, s) for (p, r, c, s), d in rows)
        return cls(Reranker.from_arrays(arrays) if "weights" in arrays else None, tuple(guesses))


def reranker_for(engine: OfflineEngine) -> Reranker | None:
    """Give the reranker that an engine's solved questions teach; None where they are too few."""
    return rehearsal_for(engine).reranker


def rehearsal_for(engine: OfflineEngine) -> RehearsedExamples:
    """Give the lessons of asking an engine's solved questions again: learned at the first question, then
    kept.

    Nothing where they are too unlike each other.
    """
    key = ("offline rehearsal", id(engine))
    with _lock:
        kept = engine.database.kept
        if key not in kept:
            # The engine is held as well, so that no later object can be taken for it by its id.
            kept[key] = (_known_or_learned(engine), engine)
        found: RehearsedExamples = kept[key][0]
        return found


def take_over(engine: OfflineEngine, rehearsal: RehearsedExamples) -> None:
    """Let an engine choose by this rehearsal instead of one of its own."""
    with _lock:
        engine.database.kept["offline rehearsal", id(engine)] = (rehearsal, engine)


def _known_or_learned(engine: OfflineEngine) -> RehearsedExamples:
    if not engine.habits:
        return RehearsedExamples()
    file = rehearsal_file(engine)
    if (known := load(file)) is not None and "guesses" in known:
        return RehearsedExamples.from_arrays(known)
    learned = rehearse(engine)
    store(file, learned.arrays())
    return learned


def rehearsal_file(engine: OfflineEngine) -> Path | None:
    """Where what was learned is kept: its name is the digest of all that it is learned from.

    None where it isn't: without a cache, and where rules are switched off, which is for measuring.
    """
    if engine.cache is None or engine.rules.off:
        return None
    solved = [s.example for s in engine.examples.solved]
    told = (
        _VERSION,
        np.__version__,
        weights_digest("ranking"),
        engine.database.fingerprint,
        engine.knowledge,
        solved,
    )
    return engine.cache / "rehearsals" / f"{hashlib.sha256(repr(told).encode()).hexdigest()[:32]}.npz"


def rehearse(engine: OfflineEngine) -> RehearsedExamples:
    """Ask solved questions of what the others teach, and learn to tell right candidates from wrong ones."""
    solved = engine.examples.solved
    drawn = sorted(range(len(solved)), key=lambda i: solved[i].number)
    trials: list[SolvedTrial] = []
    places: list[tuple[int, float]] = []
    asked = drawn[:MOST]
    folds = FOLDS if len(solved) >= FEWEST else SMALL_FOLDS
    for fold in range(folds):
        pupil = engine.without(set(drawn[fold::folds]))
        for place in range(fold, len(asked), folds):
            tell("learning from solved questions", fold * len(asked) // folds + place // folds, len(asked))
            if (trial := _trial(pupil, solved[asked[place]])) is not None:
                nearest = pupil.nearest(question_of(solved[asked[place]]))
                trials.append(trial)
                places.append((asked[place], nearest))
    return _learned(trials, places, enough=len(solved) >= FEWEST)


def _learned(
    trials: Sequence[SolvedTrial], places: Sequence[tuple[int, float]], *, enough: bool
) -> RehearsedExamples:
    reranker, tried = None, [t.scores for t in trials]
    if enough and len(trials) >= FEWEST / 2:
        reranker, tried = fit_and_try(trials)
    guesses = []
    for trial, scores, (place, nearest) in zip(trials, tried, places, strict=True):
        best = int(scores.argmax())
        sure = trial.confidence if reranker is None else reranker.confidence(scores, trial.digests)
        guesses.append(Guess(place, trial.digests[best], bool(trial.right[best]), sure, nearest))
    return RehearsedExamples(reranker, tuple(guesses))


def question_of(solved: Solved) -> Question:
    """A solved question as one to be asked."""
    return Question(solved.example.question, evidence=solved.example.evidence)


def gold_of(database: Database, solved: Solved) -> str | None:
    """The digest of what a solved query gives; None where it gives nothing to tell others from."""
    try:
        gold = database.run(solved.example.sql, brief(database))
    except QueryError:
        return None
    return QueryOutcome.of(gold).digest if gold.rows and not gold.truncated else None


def _trial(pupil: OfflineEngine, solved: Solved) -> SolvedTrial | None:
    """The trial of one solved question; None where its own query tells nothing."""
    question = question_of(solved)
    gold, written = gold_of(pupil.database, solved), pupil.written(question)
    if gold is None or not written:
        return None
    checked = check(pupil.database, pupil.planner, [(p.query, sql) for p, sql in written])
    weighed = weigh(pupil, pupil.link(question), [p for p, _ in written], checked)
    given = _digests(pupil, question, [p.query for p, _ in written], checked)
    right = np.array([d == gold for d in given])
    scores = np.array(weighed.choice.scores)
    return SolvedTrial(weighed.features, scores, right, weighed.digests, weighed.choice.confidence)


def _digests(
    pupil: OfflineEngine, question: Question, queries: Sequence[Query], checked: Sequence[Checked]
) -> list[str]:
    """The digest of what each query would have answered, with the conventions of the pack."""
    found = []
    for query, outcome in zip(queries, checked, strict=True):
        whole, _ = apply_conventions(query, question.text, pupil.knowledge, pupil.planner)
        if whole != query and outcome.error is None:
            sql = render(whole, pupil.planner, pupil.database.dialect)
            [outcome] = check(pupil.database, pupil.planner, [(whole, sql)])  # noqa: PLW2901, the same anew
        found.append(QueryOutcome.of(outcome.result).digest)
    return found
