"""What solved examples are worth to the offline caller, and how it fares with endpoints without any words.

The questions are our phrasings of `bench.questions`, five an endpoint. For the curve each phrasing is asked
of a caller that learned some of the endpoint's other four, with the packaged phrasings and without. For
unseen endpoints a fifth of them are asked of a caller that has neither phrasings nor examples of these, only
what the catalogue says; all endpoints stay to choose from.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bench.figures import Figure
from bench.questions.calls import generated
from fathom.biotools.callers import OfflineCaller, SolvedCall
from fathom.biotools.callers.lessons import packaged
from fathom.biotools.catalogue import check, endpoints

TITLE = (
    "Learning by the caller of biomedical APIs that needs no model: examples an endpoint, unseen endpoints"
)
EXAMPLES = (0, 1, 2, 4)
FOLDS, SEED = 5, 42


class Counted(NamedTuple):
    """Questions, and of how many the endpoint, the whole call, and the endpoint of a made call is right."""

    n: int = 0
    endpoint: int = 0
    whole: int = 0
    made: int = 0
    made_right: int = 0

    def plus(self, other: "Counted") -> "Counted":
        """Both together."""
        return Counted(*(a + b for a, b in zip(self, other, strict=True)))

    def told(self) -> tuple[str, str]:
        """The figure, and what goes beside it."""
        made = f"{self.made} calls made, {self.made_right / max(self.made, 1):.1%} of the right endpoint"
        return f"{self.endpoint / self.n:.1%} / {self.whole / self.n:.1%}", f"N = {self.n}; {made}"


def counted(caller: OfflineCaller, questions: Sequence[SolvedCall]) -> Counted:
    """Ask each question and hold the call against gold."""
    found = Counted()
    for gold in questions:
        proposal = asyncio.run(caller.propose(gold.question))
        right = proposal.endpoint == gold.endpoint
        made = proposal.call is not None
        whole = proposal.call == check(gold.endpoint, gold.arguments)
        found = found.plus(Counted(1, right, whole, made, made and right))
    return found


def _learned(examples: int, *, phrasings: bool) -> Counted:
    """Over folds of phrasings: an endpoint's nth is asked, some of its others are known."""
    of_endpoint: dict[str, list[SolvedCall]] = defaultdict(list)
    for question in generated():
        of_endpoint[question.endpoint].append(question)
    found = Counted()
    for fold in range(FOLDS):
        asked = [held[fold] for held in of_endpoint.values()]
        known = [one for held in of_endpoint.values() for one in (held[:fold] + held[fold + 1 :])[:examples]]
        found = found.plus(counted(OfflineCaller(known, phrasings=None if phrasings else ()), asked))
    return found


def _unseen() -> Counted:
    """Over folds of endpoints: the questions of one fold, with words for the others only."""
    names = sorted(endpoints())
    random.Random(SEED).shuffle(names)
    found = Counted()
    for fold in range(FOLDS):
        unseen = set(names[fold::FOLDS])
        caller = OfflineCaller(phrasings=[p for p in packaged() if p.endpoint not in unseen])
        found = found.plus(counted(caller, [q for q in generated() if q.endpoint in unseen]))
    return found


def measure() -> Iterable[Figure]:
    for phrasings, label in ((True, "with packaged phrasings"), (False, "without")):
        for examples in EXAMPLES:
            value, note = _learned(examples, phrasings=phrasings).told()
            yield Figure(f"{label}, {examples} examples an endpoint: endpoint / whole call", value, note=note)
    value, note = _unseen().told()
    yield Figure("unseen endpoints: endpoint / whole call", value, note=note)
