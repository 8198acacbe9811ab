"""Where figures come from: what ran, on which data and code."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fathom.evaluation.runs.contrast import Contrast
from fathom.evaluation.runs.folder import read_configuration
from fathom.reports.chapters.ranking import named
from fathom.reports.sheet import UNKNOWN, Cell, Sheet, count, heads, text


def origins(found: Contrast) -> Iterator[Sheet]:
    """All that it takes to run again what a report is of."""
    rows = [[named(found, label), *_origin(found, label)] for label in found.folders]
    head = heads("run", "questions asked", "benchmark", "comparison", "data", "code", "settings", "folder")
    yield Sheet("What ran, on which data and code", head, rows, lead=2)
    rows = [[named(found, label), *_circumstances(found, label)] for label in found.folders]
    head = heads("run", "questions asked", "command", "seed", "begun", "starts", "seconds", "peak memory",
                 "Python", "machine", "packages")  # fmt: skip
    note = ("As it was at the last start; seconds are those of all starts, peak memory is of the process and "
            "of the largest that it started. Questions drawn as a sample are drawn by the seed.")  # fmt: skip
    yield Sheet("With which seed, when, and where", head, rows, note, lead=2)


def _origin(found: Contrast, label: str) -> list[Cell]:
    content = read_configuration(found.folders[label])
    configuration = content["configuration"]
    code = (content.get("starts") or [{}])[-1].get("code") or {}
    dirty = " with changes" if code.get("dirty") else ""
    return [
        count(found.summaries[label].all["asked"]),
        text(" ".join(p for p in (configuration["benchmark"], configuration.get("split")) if p)),
        text(configuration["comparison"]),
        text(configuration["digest"][:12]),
        text(f"{code['commit'][:12]}{dirty}" if code.get("commit") else "released version"),
        text(json.dumps(configuration.get("settings") or {}, ensure_ascii=False)),
        text(found.folders[label].name),
    ]


def _circumstances(found: Contrast, label: str) -> list[Cell]:
    content = read_configuration(found.folders[label])
    starts = content.get("starts") or [{}]
    packages = starts[-1].get("packages") or {}
    seconds = [float(start["seconds"]) for start in starts if start.get("seconds") is not None]
    return [
        count(found.summaries[label].all["asked"]),
        text(starts[-1].get("command") or UNKNOWN),
        text(content["configuration"].get("seed", UNKNOWN)),
        text(starts[0].get("at") or UNKNOWN),
        count(len(starts)),
        text(f"{sum(seconds):,.1f}" if seconds else UNKNOWN),
        text(_peak(starts)),
        text(starts[-1].get("python") or UNKNOWN),
        text(_machine(starts[-1])),
        text(", ".join(f"{name} {number}" for name, number in packages.items()) or UNKNOWN),
    ]


def _peak(starts: Sequence[Mapping[str, Any]]) -> str:
    """The greatest peak of any start, in megabytes."""
    peaks = [peak for start in starts if (peak := start.get("peak_megabytes"))]
    if not peaks:
        return UNKNOWN
    own, started = (max(float(peak[name]) for peak in peaks) for name in ("own", "started"))
    return f"{own:,.0f} MB, started {started:,.0f} MB"


def _machine(start: Mapping[str, Any]) -> str:
    of = start.get("machine") or {}
    told = [of.get("processor"), f"{of['cores']} cores" if of.get("cores") else "",
            f"{of['memory_gb']} GB" if of.get("memory_gb") else "", start.get("platform")]  # fmt: skip
    return ", ".join(one for one in told if one) or UNKNOWN
