"""The report as one HTML file: no network, no outside script, and nothing from outside that could run.

The template escapes everything; the page's own script is the only one that its Content-Security-Policy lets
run, by its hash, so that text from a question, a row or a query stays inert even where escaping should fail.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fathom.evaluation.runs.contrast import Contrast, contrast
from fathom.evaluation.runs.folder import read_configuration
from fathom.reports.drilldown import CHUNK, DrillDown, drill_down
from fathom.reports.sections import RunLine, charts, leaderboard, letter, overlap_table
from fathom.reports.tables import CALLS, WORDS

MOST_QUESTIONS = 5_000


def build_page(folders: Sequence[Path], *, title: str = "", most_questions: int = MOST_QUESTIONS) -> str:
    """The page of these runs. Raises `InputError` for a folder that holds no run."""
    found = contrast(folders)
    drill = drill_down(found.folders, most=most_questions)
    return _render(found, drill, title or _title(found))


def _title(found: Contrast) -> str:
    benchmarks = dict.fromkeys(s.configuration["benchmark"] for s in found.summaries.values())
    return f"{' and '.join(benchmarks)}: {len(found.summaries)} run{'s' if len(found.summaries) > 1 else ''}"


def _render(found: Contrast, drill: DrillDown, title: str) -> str:
    ranked = leaderboard(found)
    named = sorted(ranked, key=lambda run: run.number)
    # Both are ours, read from the package; everything else goes through the template's escaping.
    script, css = _own("report.js"), _own("report.css")
    page: str = _template().render(
        title=title,
        subtitle=_subtitle(found),
        runs=ranked,
        named=named,
        by_label={run.label: run for run in named},
        pairs=found.pairs,
        error_kinds=sorted({k for run in ranked for k in run.figures["error_classes"]}),
        figures=charts(found),
        overlap=overlap_table(found) if len(ranked) > 1 else [],
        solved=found.solved,
        grouped={g: _grouped(found, g) for g in ("category", "database", "provider", "tool")},
        calls=CALLS,
        words=WORDS,
        drill=drill,
        index=_json_in_script(_index(drill, named)),
        origins=[_origin(run, found) for run in named],
        script=script,
        script_hash=_hash(script),
        css=css,
        version=version("askfathom"),
        made=datetime.now(UTC).date().isoformat(),
    )
    return page


def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("fathom.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["share"] = lambda value: f"{100 * value:.1f} %"
    environment.filters["number"] = lambda value: f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return environment.get_template("report.html")


def _own(name: str) -> Markup:
    text = files("fathom.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(text)


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def _json_in_script(content: Any) -> Markup:
    """JSON that can stand in a script element: no `<` in it, so that nothing can end the element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    text = text.encode("utf-8", "replace").decode("utf-8")
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _index(drill: DrillDown, named: Sequence[RunLine]) -> dict[str, Any]:
    return {
        "questions": drill.index,
        "chunk": CHUNK,
        "letters": [letter(run.number) for run in named],
        "runs": [run.label for run in named],
    }


def _subtitle(found: Contrast) -> str:
    summaries = list(found.summaries.values())
    comparisons = sorted({s.configuration["comparison"] for s in summaries})
    questions = sorted({s.all["n"] for s in summaries})
    counted = f"{questions[0]:,}" if len(questions) == 1 else f"{questions[0]:,} to {questions[-1]:,}"
    return f"{counted} questions a run, compared as {' and '.join(comparisons)}."


def _grouped(found: Contrast, grouping: str) -> dict[str, list[Mapping[str, Any] | None]]:
    names = dict.fromkeys(n for s in found.summaries.values() for n in s.by.get(grouping, {}))
    if grouping == "database" and len(names) < 2:
        return {}
    return {n: [s.by.get(grouping, {}).get(n) for s in found.summaries.values()] for n in names}


def _origin(run: RunLine, found: Contrast) -> dict[str, str]:
    folder = found.folders[run.label]
    content = read_configuration(folder)
    configuration = content["configuration"]
    code = (content.get("starts") or [{}])[-1].get("code") or {}
    dirty = " with changes" if code.get("dirty") else ""
    return {
        "label": run.label,
        "benchmark": " ".join(p for p in (configuration["benchmark"], configuration.get("split")) if p),
        "comparison": configuration["comparison"],
        "digest": configuration["digest"][:12],
        "code": f"{code['commit'][:12]}{dirty}" if code.get("commit") else "released version",
        "settings": json.dumps(configuration.get("settings") or {}, ensure_ascii=False),
        "folder": folder.name,
    }
