"""Weighing candidates by their results: which stands, which challenges it, and with what evidence.

Two ways that have nothing in common, a model's and the offline method's, seldom err alike: that both give a
result says more for it than a model's repeating itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.nl2sql.adaptive.plausible import fits
from fathom.nl2sql.query_runs import QueryRun
from fathom.nl2sql.voting import clusters
from fathom.text.words import words

SURE = 0.6
"""The confidence from which the offline method's best query is evidence against another."""
NEXT_WEIGHS = 0.25
"""The weight of its next queries beside one sample, where the first failed; its best counts one if sure."""
CLOSE = 3
"""So many of the offline method's queries, the first, count as what it may have meant."""
SCATTERED = 3
"""Samples that all fit and all differ, from which on the model doesn't know."""
MARGIN = 2
"""Samples that another result needs more than the standing one's: one more may be chance."""
_VALUE = re.compile(r"""'((?:[^']|'')+)'|"([^"]+)"|(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])""")
"""A text or a number of a query. Double quotes count, for SQLite reads what is no column as a text."""


@dataclass(frozen=True, slots=True)
class Backed:
    """A result with what gives it: how many samples, the first of them or not, which offline query.

    `rank` counts that method's queries from 0, None where none of them gives it. `fits` says that nothing
    speaks against its shape; `values` are the texts and numbers in its query, `named` those of them that the
    question says.
    """

    outcome: QueryRun
    samples: int
    opens: bool
    rank: int | None
    fits: bool
    values: frozenset[str]
    named: frozenset[str]

    @property
    def rows(self) -> bool:
        """True if it has any."""
        return self.outcome.result is not None and bool(self.outcome.result.rows)

    @property
    def agreed(self) -> bool:
        """True if it was found twice over: by two samples, or by one and the offline method's first ones.

        That two queries give no rows says nothing.
        """
        return self.rows and (self.samples > 1 or (self.samples == 1 and self.close))

    @property
    def close(self) -> bool:
        """True if it is among what the offline method may have meant."""
        return self.rank is not None and self.rank < CLOSE


@dataclass(frozen=True, slots=True)
class Evidence:
    """All distinct results for a question, in the order found; `samples` is how many queries were sampled.

    `confidence` is how sure the offline method is of its best query.
    """

    results: tuple[Backed, ...]
    samples: int
    confidence: float

    @property
    def standing(self) -> Backed | None:
        """The first sample's result, None where it failed."""
        return next((b for b in self.results if b.opens), None)

    @property
    def scattered(self) -> bool:
        """True if the samples gave so many results that fit, no two the same.

        One that failed, or whose result can't be the answer, says nothing of the others.
        """
        given = [b.samples for b in self.results if b.samples and b.fits]
        return len(given) >= SCATTERED and max(given) < 2

    @property
    def enough(self) -> bool:
        """True if some result was found twice over and fits, so that more samples would tell little."""
        return any(b.agreed and b.fits for b in self.results)


def gather(
    question: str,
    sampled: Sequence[QueryRun],
    offline: Sequence[QueryRun] = (),
    confidence: float = 0.0,
) -> Evidence:
    """Gather the evidence for each result from the runs of the samples and of the offline method's queries,
    best first."""
    every = [*sampled, *offline]
    said = f" {' '.join(words(question))} "
    found = []
    for group in sorted(clusters(every)):
        samples = [place for place in group if place < len(sampled)]
        ranks = [place - len(sampled) for place in group if place >= len(sampled)]
        # Only the offline method's best query is a candidate without a sample that gives the same.
        if samples or 0 in ranks:
            chosen = every[group[0]]
            values = values_of(chosen.sql)
            found.append(
                Backed(
                    chosen,
                    len(samples),
                    opens=0 in samples,
                    rank=min(ranks, default=None),
                    fits=fits(question, chosen),
                    values=values,
                    named=frozenset(v for v in values if f" {v} " in said),
                )
            )
    return Evidence(tuple(found), len(sampled), confidence)


def values_of(sql: str) -> frozenset[str]:
    """The texts and numbers of a query, in folded words."""
    return frozenset(" ".join(words("".join(parts))) for parts in _VALUE.findall(sql)) - {""}


def choose(found: Evidence) -> Backed | None:
    """The result to answer with; None where nothing ran.

    The first sample's stands unless it failed, or what speaks for another is of a better kind.
    """
    standing = found.standing
    if standing is None:
        return max(found.results, key=lambda b: _weight(b, found), default=None)
    if standing.agreed and (standing.fits or standing.samples > 1):
        return standing
    better = [b for b in found.results if b.fits and not b.opens and _overrules(b, standing, found)]
    return max(better, key=lambda b: _weight(b, found), default=standing)


def _weight(result: Backed, found: Evidence) -> tuple[bool, float]:
    own = found.confidence / SURE if result.rank == 0 else NEXT_WEIGHS if result.close else 0.0
    return result.fits, result.samples + own


def _overrules(other: Backed, standing: Backed, found: Evidence) -> bool:
    """True if what speaks for another result is of a better kind than that the standing one came first.

    Nothing does where its query only leaves out values of the question: with fewer conditions rows are found
    easily, and several samples find the same.
    """
    if other.values <= standing.values and other.named < standing.named:
        return False
    knows = found.confidence >= SURE
    if other.samples and other.rank == 0 and knows:
        return True
    if other.samples and other.close and other.rank != 0 and standing.rank is None:
        return True
    if not standing.fits:
        return other.samples > 1
    if found.scattered and other.rank == 0 and knows:
        return True
    return other.samples >= standing.samples + MARGIN
