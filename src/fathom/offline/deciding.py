"""Which candidate it is, and whether to answer at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.offline.candidates import Proposal
from fathom.offline.checking import Checked
from fathom.offline.engine import Engine
from fathom.offline.linking import Linking
from fathom.offline.ranking.choosing import Choice, choose
from fathom.offline.ranking.outcomes import Outcome
from fathom.offline.ranking.ranker import Entry

RATIO = 0.2
"""How sure to be of a ratio: not learned, but what it came to on BIRD's training questions."""
SAME = 0.95
"""Similarity from which a solved question is the same one but for its values: nine in ten of their queries
were right on GeoQuery's training questions, held out in turn; the ranker's own choice was in 78 %."""
ALIKE = 0.7
"""Similarity from which a solved question's query is the better guess: 44 % right there against 32 %."""
SAME_CONFIDENCE, ALIKE_CONFIDENCE = 0.9, 0.45
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
    solved = [i for i, p in enumerate(proposals) if _solved(p) and checked[i].error is None]
    if solved:
        choice = _solved_first(choice, max(solved, key=lambda i: (proposals[i].similarity, -i)), proposals)
    if shares := [i for i, p in enumerate(proposals) if p.source == "ratio" and checked[i].error is None]:
        choice = _ratio_first(choice, shares, proposals, checked)
    return Verdict(choice, _rival(choice, entries))


def _solved(proposal: Proposal) -> bool:
    """Whether a proposal is the query of a much similar solved question, with this question's values."""
    return (
        proposal.source == "example"
        and proposal.similarity >= ALIKE
        and not proposal.kept
        and not proposal.unmet
    )


def _solved_first(choice: Choice, solved: int, proposals: Sequence[Proposal]) -> Choice:
    """The solved question's query ahead: the ranker has learned where there are no such questions."""
    same = proposals[solved].similarity >= SAME
    confidence = SAME_CONFIDENCE if same else ALIKE_CONFIDENCE
    if choice.order[0] == solved:
        return replace(choice, confidence=max(choice.confidence, confidence), sure=choice.sure or same)
    order = (solved, *(i for i in choice.order if i != solved))
    top = max(choice.scores) + 1.0
    scores = tuple(top if i == solved else s for i, s in enumerate(choice.scores))
    return replace(choice, order=order, scores=scores, confidence=confidence, sure=same)


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
