"""Where figures come from: what ran, on which data and code."""

import json
from collections.abc import Iterator

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
    head = heads("run", "questions asked", "seed", "begun", "starts", "Python", "machine", "packages")
    note = "As it was at the last start. Questions drawn as a sample are drawn by the seed."
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
    return [
        count(found.summaries[label].all["asked"]),
        text(content["configuration"].get("seed", UNKNOWN)),
        text(starts[0].get("at") or UNKNOWN),
        count(len(starts)),
        text(starts[-1].get("python") or UNKNOWN),
        text(starts[-1].get("platform") or UNKNOWN),
        text(", ".join(f"{name} {number}" for name, number in packages.items()) or UNKNOWN),
    ]
