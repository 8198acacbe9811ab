"""Which candidate it is, and whether to answer at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fathom.offline.candidates import Proposal
from fathom.offline.checking import Checked
from fathom.offline.engine import Engine
from fathom.offline.examples import values_left_out
from fathom.offline.linking import Floats, Linking
from fathom.offline.ranking.choosing import Choice, choose
from fathom.offline.ranking.outcomes import Outcome
from fathom.offline.ranking.ranker import Entry

RATIO = 0.2
"""How sure to be of a ratio: not learned, but what it came to on BIRD's training questions."""
SAME = 0.95
"""Similarity from which a solved question is the same one but for its values: nine in ten of their queries
were right on GeoQuery's training questions, held out in turn; the ranker's own choice was in 78 %."""
SAME_CONFIDENCE = 0.9
HABIT = 1.0
"""What the solved questions say, where they can be trusted wholly, against what was learned elsewhere: about
the best on GeoQuery's training questions, held out in turn, those of the same words together."""
LEFT_OUT = 8.0
"""What each stored value takes that the question names and a query doesn't hold."""
KEPT = 1.5
"""What each value takes from that which a solved question names and this one doesn't."""
FAILED = 100.0
CALIBRATION = (-0.4, 0.6)
"""From the log-odds of the agreeing candidates' share to those of being right. GeoQuery's training questions
give the same, held out at random or with all questions of the same words."""
SURE = 0.78
CLOSE = 0.25
"""Difference of the ranker's scores under which a second reading is worth asking about."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The choice among candidates, and a `rival`: another that is close and differs in its result."""

    choice: Choice
    rival: int | None


def decide(
    engine: Engine, linking: Linking, proposals: Sequence[Proposal], checked: Sequence[Checked]
) -> Verdict:
    """Choose among candidates (at least one) that were run."""
    entries = [_entry(p, c) for p, c in zip(proposals, checked, strict=True)]
    choice = choose(linking, entries, engine.planner, engine.ranking)
    left_out = values_left_out(linking, (p.query for p in proposals)) if engine.examples.solved else ()
    if engine.habits:
        habits = engine.habits.scores(linking, [p.query for p in proposals])
        habits -= LEFT_OUT * np.array(left_out)
        choice = _as_usual(choice, habits, engine.habits.trust, entries, checked)
    solved = [
        i for i, p in enumerate(proposals) if _solved(p) and checked[i].error is None and not left_out[i]
    ]
    if solved:
        choice = _solved_first(choice, max(solved, key=lambda i: (proposals[i].similarity, -i)))
    if shares := [i for i, p in enumerate(proposals) if p.source == "ratio" and checked[i].error is None]:
        choice = _ratio_first(choice, shares, proposals, checked)
    return Verdict(choice, _rival(choice, entries))


def _as_usual(
    choice: Choice, habits: Floats, trust: float, entries: Sequence[Entry], checked: Sequence[Checked]
) -> Choice:
    """The choice with what the solved questions of the database say of each candidate."""
    kept = np.array([e.kept for e in entries])
    failed = np.array([c.error is not None for c in checked])
    scores = np.array(choice.scores) + HABIT * trust * (habits - KEPT * kept) - FAILED * failed
    order = tuple(np.argsort(-scores, kind="stable").tolist())
    confidence = _confidence(scores, [e.outcome.digest for e in entries])
    return replace(
        choice,
        order=order,
        scores=tuple(scores.tolist()),
        confidence=confidence,
        sure=confidence >= SURE,
    )


def _confidence(scores: npt.NDArray[np.float64], digests: Sequence[str]) -> float:
    """How sure to be of the best candidate, from the share of all that gives the same result."""
    best = int(scores.argmax())
    shares = np.exp(scores - scores.max())
    agreeing = np.array([bool(d) and d == digests[best] for d in digests])
    agreeing[best] = True
    share = float(np.clip(shares[agreeing].sum() / shares.sum(), 0.01, 0.99))
    odds = CALIBRATION[0] + CALIBRATION[1] * math.log(share / (1 - share))
    return 1 / (1 + math.exp(-odds))


def _solved(proposal: Proposal) -> bool:
    """Whether a proposal is the query of the same question but for its values, with this question's."""
    return (
        proposal.source == "example"
        and proposal.similarity >= SAME
        and not proposal.kept
        and not proposal.unmet
    )


def _solved_first(choice: Choice, solved: int) -> Choice:
    """The solved question's query ahead: the ranker has learned where there are no such questions."""
    if choice.order[0] == solved:
        return replace(choice, confidence=max(choice.confidence, SAME_CONFIDENCE), sure=True)
    order = (solved, *(i for i in choice.order if i != solved))
    top = max(choice.scores) + 1.0
    scores = tuple(top if i == solved else s for i, s in enumerate(choice.scores))
    return replace(choice, order=order, scores=scores, confidence=SAME_CONFIDENCE, sure=True)


def _ratio_first(
    choice: Choice, shares: Sequence[int], proposals: Sequence[Proposal], checked: Sequence[Checked]
) -> Choice:
    """The ratios ahead: the ranker has learned from data that hold none, so their own order decides."""
    best = sorted(shares, key=lambda i: (_nothing(checked[i]), -proposals[i].score, i))
    rest = [i for i in choice.order if i not in best]
    top = max(choice.scores)
    scores = tuple(top + 1.0 - 0.5 * best.index(i) if i in best else s for i, s in enumerate(choice.scores))
    return replace(choice, order=(*best, *rest), scores=scores, confidence=RATIO, sure=False)


def _nothing(checked: Checked) -> bool:
    """Whether a query gave no row, or nothing but nulls."""
    rows = checked.result.rows if checked.result else ()
    return not any(cell is not None for row in rows for cell in row)


def _entry(proposal: Proposal, checked: Checked) -> Entry:
    skipped = checked.result is None and checked.error is None
    return Entry(
        proposal.query,
        proposal.score,
        proposal.sketch_score,
        proposal.filling_score,
        proposal.plan_rank,
        proposal.sketch_rank,
        from_example=proposal.source == "example",
        similarity=proposal.similarity,
        kept=proposal.kept,
        outcome=Outcome.of(checked.result, skipped=skipped),
        unmet=proposal.unmet,
    )


def _rival(choice: Choice, entries: Sequence[Entry]) -> int | None:
    """The next candidate where it is close and its result differs."""
    best = choice.order[0]
    for place in choice.order[1:3]:
        if choice.scores[best] - choice.scores[place] > CLOSE:
            return None
        digest = entries[place].outcome.digest
        if digest and digest != entries[best].outcome.digest:
            return place
    return None
