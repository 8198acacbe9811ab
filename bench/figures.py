"""Figures of measurements, their files, and the pages made from these: a summary and a table each."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "figures.md"
TABLES = ROOT / "docs" / "figures"
DATA = Path(os.environ.get("FATHOM_DATA") or ROOT.parent / "shared" / "data")
ONLY, EVERY = "FATHOM_BENCH_ONLY", "FATHOM_BENCH_EVERY"
"""What a measurement is cut to, where it can be: some of what it measures, by name; every so manieth
question. In the environment, so that processes of a measurement know of it."""
WHOLE, ACCEPT = "FATHOM_BENCH_WHOLE", "FATHOM_BENCH_ACCEPT"
"""All questions of what is long and so asks a sample; for what holds the offline method against its golden
file: take what comes out into it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure, as printed. `mark` is what it is held against; `ok` is None without one."""

    what: str
    value: str
    mark: str = ""
    ok: bool | None = None
    note: str = ""


def wanted(name: str) -> bool:
    """Whether something that a measurement covers is to be measured in this run."""
    only = os.environ.get(ONLY, "")
    return not only or name in only.split(",")


def thinned(questions: Sequence[T], share: int = 1) -> Sequence[T]:
    """The questions that this run asks: all, or every so manieth.

    A measurement that would take longer than half an hour asks only each `share`th by itself, but for
    `--whole`.
    """
    return questions[:: int(os.environ.get(EVERY, "1")) * (1 if os.environ.get(WHOLE) else share)]


def is_part() -> bool:
    """Whether this run measures a part only, which is printed and not stored."""
    return bool({ONLY, WHOLE, ACCEPT} & os.environ.keys()) or os.environ.get(EVERY, "1") != "1"


def store(
    name: str, title: str, figures: Iterable[Figure], commit: str, seconds: float, *, models: str = ""
) -> None:
    """Keep the figures of one measurement, with when, on what, at which commit and how long it took.

    `models` names the language models that it asked: "real", "simulated", or "" for none.
    """
    RESULTS.mkdir(exist_ok=True)
    content = {
        "title": title,
        "models": models,
        "measured": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "machine": _machine(),
        "seconds": round(seconds),
        "figures": [asdict(f) for f in figures],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def _machine() -> str:
    """What it was measured on, with how many processes wanted a core lately: a busy machine is slow."""
    busy = os.getloadavg()[2]
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, load {busy:.1f}"


def code_commit() -> str:
    """The commit of the code that is measured, "" where there is no repository; whether it was changed."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run(
        [*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False
    )
    if head.returncode:
        return ""
    # What measuring writes by itself is no change of what it measures.
    where = ["status", "--porcelain", "--", "src", "bench", ":!bench/results"]
    changed = subprocess.run([*git, *where], capture_output=True, text=True, check=False).stdout.strip()
    return head.stdout.strip() + (" with changes" if changed else "")


def _at(content: Mapping[str, Any]) -> str:
    commit = content.get("commit")
    return f"commit {commit}" if commit else "before the commit was kept"


def _on(content: Mapping[str, Any]) -> str:
    seconds = content.get("seconds")
    took = f", {max(round(seconds / 60), 1)} min" if seconds is not None else ""
    return f"{content['machine']}{took}"


_PARTS = {
    "real": "With a language model",
    "": "Without a language model",
    "simulated": "With simulated language models",
}
"""In the order of the summary. A simulated model shows how methods work, not how well they would answer."""


def write_page() -> None:
    """Write docs/figures.md and the pages in docs/figures/ anew from the stored figures."""
    kept = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in RESULTS.glob("*.json")}
    TABLES.mkdir(parents=True, exist_ok=True)
    for page in TABLES.glob("*.md"):
        page.unlink()
    for name, content in kept.items():
        (TABLES / f"{name}.md").write_text(_table(name, content), encoding="utf-8")
    lines = [
        "# Figures",
        "",
        "Each measurement has a page with all of its figures, the command that measures them again, and the "
        "commit of the code that was measured. Here: its first figure, and how many of its marks are met.",
    ]
    for models, heading in _PARTS.items():
        chosen = {n: c for n, c in kept.items() if c.get("models", "") == models}
        if chosen:
            lines += ["", f"## {heading}", "", "| measurement | first figure | marks met | date |"]
            lines += ["|---|---|---|---|", *(_summary(n, chosen[n]) for n in sorted(chosen))]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _summary(name: str, content: Mapping[str, Any]) -> str:
    first, *_ = figures = content["figures"]
    marks = [row["ok"] for row in figures if row["ok"] is not None]
    met = f"{sum(marks)} of {len(marks)}" if marks else ""
    return _row(
        f"[{content['title']}](figures/{name}.md)",
        f"{_cell(first['what'])}: {_cell(first['value'])}",
        met,
        content["measured"],
    )


def _table(name: str, content: Mapping[str, Any]) -> str:
    lines = [
        f"# {content['title']}",
        "",
        f"`python -m bench {name}` · {content['measured']} · {_at(content)} · {_on(content)}",
        "",
        "| what | measured | mark | met | note |",
        "|---|---|---|---|---|",
    ]
    for row in content["figures"]:
        met = {True: "yes", False: "**no**", None: ""}[row["ok"]]
        lines.append(_row(*map(_cell, (row["what"], row["value"], row["mark"], met, row["note"]))))
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
