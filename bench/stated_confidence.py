"""How far the confidence that `offline` states can be trusted, and that it is no constant: our own questions.

One value for most answers tells a person nothing, however often it is true: none may be said for more than a
tenth of all answers. The part `measure` is what to believe: on `develop` it was learned.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from bench.figures import Figure, wanted
from bench.golden.asked import ask_set
from fathom.evaluation.metrics import calibration, calibration_error

TITLE = "The stated confidence of the offline method"
BINS = 5
MOST = 0.1
"""The largest share of the answers that may state the same value, to a tenth of a per cent."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one question's best guess, whether that is right, and whether it was the answer."""

    confidence: float
    right: bool
    answered: bool


def measure() -> Iterator[Figure]:
    parts: dict[str, list[Said]] = defaultdict(list)
    for _, draft, fate in ask_set("own", whole=True):
        half = fate.kind.rpartition(", ")[2]
        parts[half].append(Said(draft.confidence or 0.0, fate.right, not fate.declined))
    for half in filter(wanted, sorted(parts)):
        yield from _told(f"{half}, answers", [s for s in parts[half] if s.answered])
        yield from _told(f"{half}, best guesses not answered", [s for s in parts[half] if not s.answered])
    yield _commonest([s for s in chain(*parts.values()) if s.answered])


def _told(what: str, said: Sequence[Said]) -> Iterator[Figure]:
    """How many are right, how sure was said to be, and how far both are apart."""
    if not said:
        return
    stated, right = [s.confidence for s in said], [s.right for s in said]
    bins = calibration(stated, right, bins=BINS)
    told = "; ".join(f"{b.confidence:.2f}: {b.right.value:.2f}" for b in bins)
    yield Figure(f"{what}: right", f"{np.mean(right):.1%} ({sum(right)}/{len(right)})")
    yield Figure(f"{what}: stated confidence, mean", f"{np.mean(stated):.1%}")
    yield Figure(f"{what}: calibration error", f"{calibration_error(bins):.3f}", note=f"said: right {told}")


def _commonest(said: Sequence[Said]) -> Figure:
    """The share of the answers that state the value which is stated most often."""
    values = Counter(f"{s.confidence:.1%}" for s in said)
    value, count = values.most_common(1)[0]
    rounded, often = Counter(f"{s.confidence:.0%}" for s in said).most_common(1)[0]
    note = f"{value}, {len(values)} values; in whole per cents {rounded}, {often / len(said):.1%} of them"
    share = count / len(said)
    return Figure(
        "most common value among all answers",
        f"{share:.1%} ({count}/{len(said)})",
        f"{MOST:.0%}",
        share <= MOST,
        note,
    )
