"""Two opinions of one question: the plain one, of what was learned elsewhere, and that which the solved
questions of the same database teach.

The plain opinion stands unless what is known of both says otherwise. How far to heed either was learned on
Spider's databases that no weights saw, every second one, and on questions of our own and of GeoQuery's
training split, with 12 and 40 solved questions each, none of them with the query of a question asked. What a
database's own solved questions say of it, asked again, moves that: the less, the fewer they are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np

from fathom.offline.engine import RECALLED, OfflineEngine
from fathom.offline.examples.self_training import (
    gold_of,
    question_of,
    rehearsal_file,
    rehearsal_for,
    take_over,
)
from fathom.offline.examples.weight_cache import load, store
from fathom.offline.pipeline import result_of, settle
from fathom.offline.ranking.choice import ANSWERED
from fathom.offline.ranking.reranker import sigmoid
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.settled import Settled
from fathom.offline.verdict import SAME, solved_before
from fathom.records import Question
from fathom.watch import tell

FEWEST, MOST = 12, 40
"""Solved questions from which on they say anything of others than those that repeat them: with one and with
three of them the choice that they taught was the right one in a fifth of those where only one was; and how
many are asked again at most."""
SPREAD = 0.7
"""How far from what holds elsewhere a database is likely to lie: a standard deviation, in log-odds."""
FURTHEST = 3.0
"""To what log-odds an opinion's own confidence is cut: 95 %."""
_VERSION = 2
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Opinions:
    """How sure both opinions of a question are, as log-odds; whether they give the same rows; and how similar
    the nearest solved question is, from 0 to 1.
    """

    plain: float
    taught: float
    agree: bool
    nearness: float

    @property
    def for_taught(self) -> float:
        """The log-odds that it is the taught one that is right, where one of the two is."""
        return -1.1 + 0.5 * (self.taught - self.plain) + 0.6 * self.nearness

    def odds(self, *, taught: bool) -> float:
        """The log-odds that the one which is chosen is right."""
        if self.agree:
            return 0.8 + 0.8 * self.plain + 0.35 * self.taught + 0.2 * self.nearness
        if taught:
            return -0.9 + 0.1 * self.plain + 0.6 * self.taught + 0.4 * self.nearness
        return 0.2 + 0.85 * self.plain


@dataclass(frozen=True, slots=True)
class Bearing:
    """The evidence of a database's solved questions against the general one, as log-odds to add: to the
    taught opinion's being the right one of two, and to the chosen query's being right."""

    taught: float = 0.0
    right: float = 0.0


def settle_advised(engine: OfflineEngine, asked: Question) -> Settled | None:
    """The query for a question by both opinions; None where nothing in the database fits."""
    plain = settle(engine.plain, asked)
    if engine.plain is engine:
        return plain
    repeated = _repeats(engine, asked)
    if plain is None or len(engine.examples) < FEWEST:
        taught = settle(engine, asked) if repeated or plain is None else None
        return taught if taught and (plain is None or _recalls(taught)) else plain
    bearing = bearing_for(engine)
    nearness = engine.nearest(asked)
    best = Opinions(_log_odds(plain.standing), FURTHEST, agree=False, nearness=nearness)
    if plain.sure and not repeated and best.for_taught + bearing.taught <= 0:
        return plain  # nothing that solved questions may say would change it
    taught = settle(engine, asked)
    if taught is None or (repeated and _recalls(taught)):
        return taught or plain
    return likelier_opinion(engine, plain, taught, nearness, bearing).beside(plain, taught)


def likelier_opinion(
    engine: OfflineEngine, plain: Settled, taught: Settled, nearness: float, bearing: Bearing
) -> Settled:
    """The one of two opinions that is likelier right, as sure as both together make it.

    A taught one that is sure by itself stands where the plain one is not. With 12 and with 40 solved
    questions 18 of 20 such were right on the databases above, and 13 of 13 on the sample knowledge base.
    """
    if taught.sure and not taught.missing and not plain.sure:
        return taught
    same = _digest(engine, plain) == _digest(engine, taught)
    found = Opinions(_log_odds(plain.standing), _log_odds(taught.standing), same, nearness)
    overruled = not same and found.for_taught + bearing.taught > 0
    confidence = sigmoid(found.odds(taught=overruled) + bearing.right)
    if overruled:
        sure = confidence >= ANSWERED and not taught.missing
        return replace(taught, standing=confidence, by_rule=False, sure=sure)
    sure = plain.sure or (confidence >= ANSWERED and not plain.missing)
    if sure and plain.standing >= confidence:
        return replace(plain, sure=True)
    return replace(plain, standing=confidence, by_rule=False, sure=sure)


def _repeats(engine: OfflineEngine, asked: Question) -> bool:
    """True if a solved question is this one but for its values, as far as words tell."""
    recalled = engine.examples.recall(engine.link(asked), RECALLED)
    return any(r.similarity >= SAME and not r.kept for r in recalled)


def _recalls(taught: Settled) -> bool:
    """True if what was taught is the query of the same question but for its values."""
    solution = taught.solution
    return taught.source == "example" and solved_before(solution.proposals[solution.verdict.choice.order[0]])


def _digest(engine: OfflineEngine, settled: Settled) -> str:
    return QueryOutcome.of(result_of(engine, settled)).digest or settled.sql


def _log_odds(confidence: float) -> float:
    most = sigmoid(FURTHEST)
    kept = min(max(confidence, 1 - most), most)
    return math.log(kept / (1 - kept))


def bearing_for(engine: OfflineEngine) -> Bearing:
    """Give the evidence of an engine's solved questions on both opinions: learned once, then kept."""
    key = ("offline bearing", id(engine))
    with _lock:
        kept = engine.database.kept
        if key not in kept:
            kept[key] = (_known_or_learned(engine), engine)
        found: Bearing = kept[key][0]
        return found


def choose_like(pupil: OfflineEngine, teacher: OfflineEngine) -> None:
    """Let an engine choose by what the solved questions of another one taught, that knows nearly the same.

    Asking its own again takes up to a minute, and for a trial it is let go of after a few questions.
    """
    rehearsal, bearing = rehearsal_for(teacher), bearing_for(teacher)
    take_over(pupil, rehearsal)
    with _lock:
        pupil.database.kept["offline bearing", id(pupil)] = (bearing, pupil)


def _known_or_learned(engine: OfflineEngine) -> Bearing:
    file = _file(engine)
    if (known := load(file)) is not None and "bearing" in known:
        taught, right = known["bearing"].tolist()
        return Bearing(taught, right)
    found = learn_bearing(engine)
    store(file, {"bearing": np.array([found.taught, found.right])})
    return found


def _file(engine: OfflineEngine) -> Path | None:
    rehearsed = rehearsal_file(engine)
    if rehearsed is None:
        return None
    return rehearsed.with_name(f"{rehearsed.stem}-{_VERSION}.npz")


def learn_bearing(engine: OfflineEngine) -> Bearing:
    """Ask solved questions again in both ways, and hold what comes of it against what holds elsewhere.

    Nothing where none was asked again: how often the plain opinion alone is right says little of both.
    """
    guesses = {g.place: g for g in rehearsal_for(engine).guesses}
    if not guesses:
        return Bearing()
    solved = engine.examples.solved
    drawn = sorted(guesses, key=lambda i: solved[i].number)[:MOST]
    tried: list[tuple[Opinions, bool, bool]] = []
    for number, place in enumerate(drawn):
        tell("trying out solved questions", number, len(drawn))
        gold, plain = (
            gold_of(engine.database, solved[place]),
            settle(engine.plain, question_of(solved[place])),
        )
        if gold is None or plain is None:
            continue
        guess, digest = guesses[place], _digest(engine, plain)
        agree = guess.digest == digest or (guess.right and digest == gold)
        both = Opinions(_log_odds(plain.standing), _log_odds(guess.confidence), agree, guess.similarity)
        tried.append((both, digest == gold, guess.right))
    taught = shift([(o.for_taught, t) for o, p, t in tried if p != t and not o.agree])
    chosen = []
    for both, plain_right, taught_right in tried:
        overruled = not both.agree and both.for_taught + taught > 0
        chosen.append((both.odds(taught=overruled), taught_right if overruled else plain_right))
    return Bearing(taught, shift(chosen))


def shift(seen: Sequence[tuple[float, bool]]) -> float:
    """Find the shift of predicted log-odds that fits the outcomes best, drawn towards zero.

    The most likely value with a normal prior of `SPREAD` around 0: the fewer were seen, the nearer to 0.
    """
    low, high = -5.0, 5.0
    for _ in range(40):  # the slope falls all along
        middle = (low + high) / 2
        slope = sum(came_true - sigmoid(odds + middle) for odds, came_true in seen) - middle / SPREAD**2
        low, high = (middle, high) if slope > 0 else (low, middle)
    return (low + high) / 2
