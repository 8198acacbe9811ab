"""Krippendorff's alpha: how far any number of annotators agree beyond chance.

The formula is that of Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), by coincidences:
an item with m labels counts each ordered pair of them as 1 / (m - 1).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fathom.evaluation.metrics.rates import Floats

Annotations = Sequence[Mapping[str, Hashable]]
"""Labels by item, one mapping for each annotator."""
Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(annotations: Annotations, *, level: Level = "nominal") -> float | None:
    """Compute alpha; `annotations` has one mapping of item to label for each annotator.

    Any number of annotators, each of whom may have left items out. Labels are names, or numbers: at the level
    "ordinal" their order counts, at "interval" their distance. None where it isn't defined: no item labelled
    twice, or only one label in use.
    """
    read: Callable[[Hashable], Any] = str if level == "nominal" else lambda label: float(str(label))
    given = [{item: read(label) for item, label in annotator.items()} for annotator in annotations]
    labels = sorted({label for annotator in given for label in annotator.values()})
    place = {label: n for n, label in enumerate(labels)}
    row = {item: n for n, item in enumerate(dict.fromkeys(item for annotator in given for item in annotator))}
    counts = np.zeros((len(row), len(labels)))
    for annotator in given:
        for item, label in annotator.items():
            counts[row[item], place[label]] += 1
    twice = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(twice.sum(axis=0)) < 2:
        return None
    shared = twice / (twice.sum(axis=1) - 1)[:, None]
    seen = shared.T @ twice - np.diag(shared.sum(axis=0))
    return float(_of_coincidences(seen[None], level, labels)[0])


def alphas(weights: Floats, counts: Floats, level: Level) -> Floats:
    """Compute alpha for each resample: `weights` (resamples x items) tell how often an item is drawn.

    `counts` (items x labels) tell how many gave each label, two at least. NaN where alpha isn't defined.
    """
    items, width = counts.shape
    pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(width)[None])
    coincidences = (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(items, -1)
    return _of_coincidences((weights @ coincidences).reshape(-1, width, width), level, range(width))


def _of_coincidences(seen: Floats, level: Level, labels: Sequence[float]) -> Floats:
    """Alpha by how often each two labels coincide, in each of several samples."""
    margins = seen.sum(axis=2)
    if level == "nominal":
        distance = np.broadcast_to(1 - np.eye(seen.shape[1]), seen.shape)
    else:
        # Of ordered labels it is the number of labels given between them, half of their own included.
        places = np.cumsum(margins, axis=1) - margins / 2 if level == "ordinal" else np.array([labels], float)
        distance = (places[:, :, None] - places[:, None, :]) ** 2
    observed = (seen * distance).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = 1 - (margins.sum(axis=1) - 1) * observed / expected
    return found
