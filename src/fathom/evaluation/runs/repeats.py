"""Runs of one configuration with several seeds: how far their figures vary."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from fathom.evaluation.runs.summary import Summary

RATES = ("correct_rate", "incorrect_rate", "error_rate")
SCORE = "score"
"""The BioTool score, of runs of tool calls."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure over repeated runs: its values in their order, from 0 to 1."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Their mean."""
        return fmean(self.values)

    @property
    def deviation(self) -> float:
        """Their standard deviation, as of a sample."""
        return stdev(self.values)

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"mean": self.mean, "standard_deviation": self.deviation, "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class Repeats:
    """Two runs or more that differ in nothing but their seed; `spreads` is by figure, `n` questions a run."""

    name: str
    runs: int
    n: int
    spreads: dict[str, Spread]

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        figures = {name: spread.as_json() for name, spread in self.spreads.items()}
        return {"name": self.name, "runs": self.runs, "n": self.n, **figures}


def repeats_of(summaries: Iterable[Summary]) -> Iterator[Repeats]:
    """The runs that repeat each other, by configuration."""
    alike: dict[str, list[Summary]] = {}
    for summary in summaries:
        alike.setdefault(_but_for_the_seed(summary.configuration), []).append(summary)
    for runs in alike.values():
        if len(runs) > 1:
            yield Repeats(runs[0].name, len(runs), runs[0].all["n"], dict(_spreads(runs)))


def _but_for_the_seed(configuration: Mapping[str, Any]) -> str:
    """A configuration as text without the seed, which runs that ask a model have in their settings too."""
    of = {k: v for k, v in configuration.items() if k not in ("seed", "limit")}
    settings = dict(of.get("settings") or {})
    if isinstance(sampling := settings.pop("sampling", None), Mapping):
        settings["sampling"] = {k: v for k, v in sampling.items() if k != "seed"}
    if not settings.get("sampling"):
        settings.pop("sampling", None)
    return json.dumps(of | {"settings": settings}, sort_keys=True, default=str)


def _spreads(runs: list[Summary]) -> Iterator[tuple[str, Spread]]:
    values = {name: [s.all[name] for s in runs] for name in RATES}
    values[SCORE] = [s.all["calls"]["score"]["value"] if s.all["calls"] else None for s in runs]
    for name, found in values.items():
        known = tuple(v for v in found if v is not None)
        if len(known) > 1:
            yield name, Spread(known)
