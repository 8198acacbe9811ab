"""Asks solved questions again, each as if it were new, and learns from what comes of it how to choose."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from fathom.errors import QueryError
from fathom.offline.checks.checking import BRIEF, Checked, check
from fathom.offline.engine import Engine
from fathom.offline.knowledge import apply_conventions
from fathom.offline.queries.query import Query
from fathom.offline.queries.rendering import render
from fathom.offline.ranking.outcomes import Outcome
from fathom.offline.ranking.reranker import Reranker, Trial, fit_reranker
from fathom.offline.solved.examples import Solved
from fathom.offline.solved.keeping import load, store
from fathom.offline.stored import weights_digest
from fathom.offline.weighing import weigh
from fathom.records import Question

FEWEST, MOST = 30, 150
"""Solved questions that are asked again: the more the better, but the first question waits for it."""
FOLDS = 3
"""Parts of the solved questions; those of each are asked of what the others teach."""
_VERSION = 2
"""To be raised where the same questions would teach something else."""
_lock = Lock()


def reranker_for(engine: Engine) -> Reranker | None:
    """What its solved questions teach an engine about choosing: learned at the first question, then kept.

    None where they are too few, or too unlike each other.
    """
    key = ("offline reranker", id(engine))
    with _lock:
        kept = engine.database.kept
        if key not in kept:
            # The engine is held as well, so that no later object can be taken for it by its id.
            kept[key] = (_known_or_learned(engine), engine)
        found: Reranker | None = kept[key][0]
        return found


def _known_or_learned(engine: Engine) -> Reranker | None:
    if not engine.habits or len(engine.examples) < FEWEST:
        return None
    file = _file(engine)
    if (known := load(file)) is not None:
        return Reranker.from_arrays(known)
    learned = rehearse(engine)
    if learned is not None:
        store(file, learned.arrays())
    return learned


def _file(engine: Engine) -> Path | None:
    """Where what was learned is kept: its name is the digest of all that it is learned from."""
    if engine.cache is None:
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


def rehearse(engine: Engine) -> Reranker | None:
    """Ask solved questions of what the others teach, and learn to tell right candidates from wrong ones."""
    solved = engine.examples.solved
    drawn = sorted(range(len(solved)), key=lambda i: solved[i].number)
    trials: list[Trial] = []
    for fold in range(FOLDS):
        held_out = set(drawn[fold::FOLDS])
        pupil = engine.without(held_out)
        found = (_trial(pupil, solved[i]) for i in drawn[:MOST] if i in held_out)
        trials += [t for t in found if t is not None]
    return fit_reranker(trials) if len(trials) >= FEWEST / 2 else None


def _trial(pupil: Engine, solved: Solved) -> Trial | None:
    """The trial of one solved question; None where its own query tells nothing."""
    question = Question(solved.example.question, evidence=solved.example.evidence)
    try:
        gold = pupil.database.run(solved.example.sql, BRIEF)
    except QueryError:
        return None
    written = pupil.written(question)
    if not gold.rows or gold.truncated or not written:
        return None
    checked = check(pupil.database, pupil.planner, [(p.query, sql) for p, sql in written])
    weighed = weigh(pupil, pupil.link(question), [p for p, _ in written], checked)
    given = _digests(pupil, question, [p.query for p, _ in written], checked)
    right = np.array([d == Outcome.of(gold).digest for d in given])
    return Trial(weighed.features, np.array(weighed.choice.scores), right, weighed.digests)


def _digests(
    pupil: Engine, question: Question, queries: Sequence[Query], checked: Sequence[Checked]
) -> list[str]:
    """The digest of what each query would have answered, with the conventions of the pack."""
    found = []
    for query, outcome in zip(queries, checked, strict=True):
        whole, _ = apply_conventions(query, question.text, pupil.knowledge, pupil.planner)
        if whole != query and outcome.error is None:
            sql = render(whole, pupil.planner, pupil.database.dialect)
            [outcome] = check(pupil.database, pupil.planner, [(whole, sql)])  # noqa: PLW2901, the same anew
        found.append(Outcome.of(outcome.result).digest)
    return found
