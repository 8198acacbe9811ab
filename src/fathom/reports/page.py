"""The report as one HTML file: no network, no outside script, and nothing from outside that could run.

The template escapes everything; the page's own script is the only one that its Content-Security-Policy lets
run, by its hash, so that text from a question, a row or a query stays inert even where escaping should fail.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fathom.evaluation.categories import by_level
from fathom.evaluation.runs.contrast import Contrast, contrasts
from fathom.evaluation.runs.summary import Summary
from fathom.reports.chapters import chapters
from fathom.reports.drilldown import CHUNK, DrillDown, drill_down
from fathom.reports.sheet import Chapter, letter, span
from fathom.text.templates import html_templates

MOST_QUESTIONS = 5_000


def build_page(folders: Sequence[Path], *, title: str = "", most_questions: int = MOST_QUESTIONS) -> str:
    """The page of these runs. Raises `InputError` for a folder that holds no run."""
    found = contrasts(folders)
    drill = drill_down(found, most=most_questions)
    return _render(found, drill, title or _title(found))


def _title(found: Sequence[Contrast]) -> str:
    benchmarks = dict.fromkeys(s.configuration["benchmark"] for _, s, _ in _runs(found))
    count = len(_runs(found))
    return f"{' and '.join(benchmarks)}: {count} run{'s' if count > 1 else ''}"


def _runs(found: Sequence[Contrast]) -> list[tuple[str, Summary, Path]]:
    """All runs with their labels and folders, in the order in which they were named."""
    of = {number: (one, label) for one in found for label, number in one.numbers.items()}
    return [(label, one.summaries[label], one.folders[label]) for _, (one, label) in sorted(of.items())]


@dataclass(frozen=True, slots=True)
class _Named:
    """A run in the legend."""

    number: int
    letter: str
    label: str


def _render(found: Sequence[Contrast], drill: DrillDown, title: str) -> str:
    named = [_Named(number, letter(number), label) for number, (label, _, _) in enumerate(_runs(found))]
    # Both are ours, read from the package; everything else goes through the template's escaping.
    script, css = _own("report.js"), _own("report.css")
    page: str = _template().render(
        title=title,
        subtitle=_subtitle(found),
        chapters=chapters(found),
        named=named,
        drill=drill,
        index=_json_in_script(_index(drill, named)),
        script=script,
        script_hash=_hash(script),
        css=css,
        version=version("askfathom"),
        made=datetime.now(UTC).date().isoformat(),
        letter=letter,
    )
    return page


def plain_page(chapters: Sequence[Chapter], *, title: str, subtitle: str) -> str:
    """A page of chapters alone, without runs or a script."""
    page: str = _template("plain.html").render(
        title=title,
        subtitle=subtitle,
        chapters=chapters,
        css=_own("report.css"),
        version=version("askfathom"),
        made=datetime.now(UTC).date().isoformat(),
        letter=letter,
    )
    return page


def _template(name: str = "report.html") -> Any:
    return html_templates("fathom.reports").get_template(name)


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


def _index(drill: DrillDown, named: Sequence[_Named]) -> dict[str, Any]:
    return {
        "questions": drill.index,
        "chunk": CHUNK,
        "levels": by_level({q["l"] for q in drill.index if q["l"]}),
        "letters": [letter(run.number) for run in named],
        "runs": [run.label for run in named],
    }


def _subtitle(found: Sequence[Contrast]) -> str:
    summaries = [summary for _, summary, _ in _runs(found)]
    comparisons = sorted({s.configuration["comparison"] for s in summaries})
    asked = f"{span(s.all['asked'] for s in summaries)} questions a run"
    if any(s.all["unjudged"] for s in summaries):
        asked += f", {span(s.all['n'] for s in summaries)} of them judged"
    return f"{asked}, compared as {' and '.join(comparisons)}."
