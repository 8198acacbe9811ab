"""The parts of every published benchmark: questions, rejected items with reasons, figures, a data card."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fathom.authoring.maker import Production
from fathom.files import write_whole, written_whole

QUESTIONS, REJECTED, STATISTICS, CARD = "questions.jsonl", "rejected.jsonl", "statistics.json", "README.md"
_REASONS = 5
"""How many reasons for rejecting a card lists of each step, the most frequent first."""


_LEFT = (
    "Each step's file (`STEP.jsonl`) holds what went in, what came out, who made it and why;",
    "`rejected.jsonl` holds everything left out, with its reason.",
)


def seen_from(folder: Path, address: str) -> str:
    """A database's address as questions in a folder name it: a file's path from there, all else as it is."""
    is_file = "://" not in address and Path(address).is_file()
    return os.path.relpath(Path(address).resolve(), folder.resolve()) if is_file else address


@dataclass(frozen=True, slots=True)
class DataSource:
    """A source from which a benchmark was made."""

    name: str
    about: str
    licence: str = ""


@dataclass(frozen=True, slots=True)
class DataCard:
    """The text of a data card. `tables` are counts by value, by the thing counted."""

    title: str
    about: str
    sources: Sequence[DataSource]
    tables: Mapping[str, Mapping[str, int]]
    repeat: str
    notes: Sequence[str] = field(default_factory=tuple)


def counted(values: Iterable[str]) -> dict[str, int]:
    """How often each value is there, the most frequent first."""
    return dict(Counter(values).most_common())


def write_lines(file: Path, items: Iterable[Mapping[str, Any]]) -> int:
    """Write items as lines of JSON, one at a time; how many there were."""
    written = 0
    with written_whole(file) as stream:
        for item in items:
            stream.write(json.dumps(item, ensure_ascii=False, default=str) + "\n")
            written += 1
    return written


def write_json(file: Path, content: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_whole(file, json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n", mode=0o644)


def write_rejected(production: Production) -> dict[str, dict[str, int]]:
    """Write what each step rejected, with the step; the reasons and how often, by step."""
    reasons: dict[str, Counter[str]] = {}
    with written_whole(production.folder / REJECTED) as stream:
        for step in production.maker.steps:
            for item in production.made(step.name):
                if why := item.get("rejected"):
                    told = {"step": step.name, **item}
                    stream.write(json.dumps(told, ensure_ascii=False, default=str) + "\n")
                    # The text behind the colon is about this one item.
                    reasons.setdefault(step.name, Counter())[str(why).partition(":")[0]] += 1
    return {step: dict(found.most_common()) for step, found in reasons.items()}


def write_card(production: Production, card: DataCard) -> None:
    """Write the data card: what this is, from what, how many at each step, and how to make it again."""
    reasons = write_rejected(production)
    lines = [f"# {card.title}", "", card.about, ""]
    lines += ["## From what", "", *(_source(s) for s in card.sources), ""]
    lines += ["## How many", "", "| step | by | items | kept | most frequent reasons for rejecting |"]
    lines += ["|---|---|---|---|---|"]
    counts = production.counts()
    for step in production.maker.steps:
        found = counts[step.name]
        why = list(reasons.get(step.name, {}).items())[:_REASONS]
        told = "; ".join(f"{table_cell(reason)} ({n:,})" for reason, n in why)
        lines.append(
            f"| {step.name} | {table_cell(step.by)} | {found['given']:,} | {found['kept']:,} | {told} |"
        )
    for counted_by, values in card.tables.items():
        lines += ["", f"| {counted_by} | questions |", "|---|---|"]
        lines += [f"| {table_cell(value)} | {n:,} |" for value, n in values.items()]
    lines += ["", *card.notes] if card.notes else []
    lines += ["", "## How to make it again", "", f"    {card.repeat}", ""]
    lines += [
        f"Made with askfathom {version('askfathom')}; the settings are in `maker.json`. Each step's file"
    ]
    lines += ["(`STEP.jsonl`) holds what went in, what came out, who made it and why; `rejected.jsonl` holds"]
    lines += ["everything left out, with its reason.", ""]
    write_whole(production.folder / CARD, "\n".join(lines), mode=0o644)


def _source(source: DataSource) -> str:
    licence = source.licence or "not stated; see its owner before you pass this on"
    return f"- **{table_cell(source.name)}**: {table_cell(source.about)}. Licence: {table_cell(licence)}."


def table_cell(text: str) -> str:
    """Text for one cell of a table, whatever it holds."""
    escaped = "".join(f"\\{c}" if c in "|<>`*_[]\\" else c for c in text)
    return " ".join(escaped.split())
