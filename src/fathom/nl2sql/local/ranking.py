"""How likely each result is to be right: a logistic model over what speaks for it, its weights kept as data.

`python -m training.local_ranking` learns them from recorded replies of real models.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fathom.nl2sql.adaptive.evidence import Backed, Evidence, gather
from fathom.nl2sql.local.offline_first import OfflineReading
from fathom.nl2sql.local.writing import Written
from fathom.nl2sql.query_runs import QueryRun

FILE = "ranking.json"
_SMOOTH = 0.02
_UNTOLD = -0.11
"""The mean logarithm of how likely a token was, where a provider doesn't tell it: that of a usual reply."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A query of the model that was run: as it stands after repair, and whether it was mended."""

    run: QueryRun
    written: Written
    mended: bool


@dataclass(frozen=True)
class Weighed:
    """All results for a question, and what is known of how they were found."""

    evidence: Evidence
    samples: tuple[Sampled, ...]
    reading: OfflineReading


def weigh(
    question: str, samples: Sequence[Sampled], offline: Sequence[QueryRun], reading: OfflineReading
) -> Weighed:
    """Gather what speaks for each result of the model's queries and of the offline method's."""
    evidence = gather(question, [s.run for s in samples], offline, reading.confidence)
    return Weighed(evidence, tuple(samples), reading)


def features(result: Backed, found: Weighed) -> dict[str, float]:
    """Give what speaks for a result and against it, by name."""
    reading, evidence = found.reading, found.evidence
    sure = math.log((reading.confidence + _SMOOTH) / (1 - reading.confidence + _SMOOTH))
    best = result.rank == 0
    own = [s for s in found.samples if s.run.sql == result.outcome.sql]
    told = [s.written.likelihood for s in own if s.written.likelihood is not None]
    written = bool(result.samples)
    ran = any(s.run.ran for s in found.samples)
    unsaid = len(result.values - result.named)
    # That two queries find nothing, such as a count of 0, says no more than that two give no rows.
    finds = result.outcome.result is not None and any(any(row) for row in result.outcome.result.rows)
    both = written and best and finds
    return {
        "written": float(written),
        "written, by most": result.samples / max(1, evidence.samples),
        "written, how likely": max(told, default=_UNTOLD) if written else 0.0,
        "written, mended": float(written and any(s.mended for s in own)),
        "offline's best": float(best),
        "offline's best, how sure": sure if best else 0.0,
        "offline's best, which answers": float(best and reading.answers),
        "offline's best is another, how sure": 0.0 if best else sure,
        "offline's best is another, which answers": float(not best and reading.answers),
        "offline's next": float(not best and result.close),
        "offline's others": float(result.rank is not None and not result.close),
        "both": float(both),
        "both, how sure": sure if both else 0.0,
        "offline alone, and the model's runs": float(best and not written and ran),
        "words not accounted for": float(min(len(reading.missing), 3)),
        "fits": float(result.fits),
        "some rows": float(result.rows),
        "finds something": float(finds),
        "values not said": float(min(unsaid, 3)),
    }


@dataclass(frozen=True)
class LocalRanking:
    """A logistic model: the log-odds of being right are `constant` plus the weighted features.

    From the probability `sure` on, nine of ten results that come first are right, and from `shown` on a
    result is worth showing as a reading.
    """

    weights: Mapping[str, float]
    constant: float
    sure: float
    shown: float

    def probability(self, result: Backed, found: Weighed) -> float:
        """How likely a result is right, from 0 to 1."""
        told = features(result, found)
        odds = self.constant + sum(weight * told[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-odds))

    def ranked(self, found: Weighed) -> list[tuple[float, Backed]]:
        """All results with how likely they are right, the likeliest first."""
        sure = [(self.probability(b, found), b) for b in found.evidence.results]
        return sorted(sure, key=lambda pair: -pair[0])


@cache
def ranking() -> LocalRanking:
    """The ranking that comes with the package."""
    content: dict[str, Any] = json.loads((files(__package__) / FILE).read_text(encoding="utf-8"))
    return LocalRanking(content["weights"], content["constant"], content["sure"], content["shown"])
