"""Weighing candidates: which stands, which challenges it, and how sure the choice is."""

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.nl2sql.adaptive.plausible import fits
from fathom.nl2sql.executing import Outcome
from fathom.nl2sql.voting import clusters

OFFLINE_VOTES = 1.0
"""What the offline method's best guess counts beside one sample, times its confidence."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The query chosen, how sure that is (0 to 1), and one that is as likely with another result, if any."""

    choice: Outcome
    confidence: float
    rival: Outcome | None = None


def weigh(
    question: str, sampled: Sequence[Outcome], offline: Outcome | None = None, offline_confidence: float = 0.0
) -> Weighed:
    """Choose among samples, the first of them standing unless others have better evidence.

    A result has one vote of each sample that gives it, and a share of one from the offline method. The
    standing query gives way only where it fails or doesn't fit the question and another does, or where
    another result has at least two votes more: a query that ran and looks right isn't taken back for less.
    """
    standing = sampled[0]
    every = [*sampled, *([offline] if offline is not None else [])]
    groups = clusters(every)
    votes = {
        place: sum(OFFLINE_VOTES * offline_confidence if i == len(sampled) else 1.0 for i in group)
        for group in groups
        for place in group
    }
    total = len(sampled) + (OFFLINE_VOTES * offline_confidence if offline is not None else 0.0)
    own = votes.get(0, 0.0)
    fitting = [group for group in groups if fits(question, every[group[0]])]
    best = max(fitting, key=lambda g: (votes[g[0]], -g[0]), default=None)
    if best is None:
        ran = standing if standing.ran else next((o for o in every if o.ran), standing)
        return Weighed(ran, 0.2 * votes.get(every.index(ran), 0.0) / total)
    if fits(question, standing) and votes[best[0]] < own + 2:
        chosen, first = standing, 0
    else:
        chosen, first = every[best[0]], best[0]
    against = [g for g in fitting if first not in g and votes[g[0]] >= votes[first]]
    # Laplace's rule: with few votes, agreement says little.
    confidence = (votes[first] + 1) / (total + 2)
    return Weighed(chosen, confidence, every[against[0][0]] if against else None)
