"""Where figures come from: what ran, on which data and code."""

import json
from collections.abc import Iterator

from fathom.evaluation.runs.contrast import Contrast
from fathom.evaluation.runs.folder import read_configuration
from fathom.reports.chapters.ranking import named
from fathom.reports.sheet import Cell, Sheet, count, heads, text


def origins(found: Contrast) -> Iterator[Sheet]:
    """All that it takes to run again what a report is of."""
    rows = [[named(found, label), *_origin(found, label)] for label in found.folders]
    head = heads("run", "questions asked", "benchmark", "comparison", "data", "code", "settings", "folder")
    yield Sheet("What ran, on which data and code", head, rows, lead=2)


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
