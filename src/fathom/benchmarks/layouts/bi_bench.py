"""BI-Bench: business questions in four categories, without gold."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from fathom.benchmarks.layouts.layout import Layout
from fathom.benchmarks.record_files import json_records
from fathom.benchmarks.records import BenchmarkQuestion

_CATEGORIES = ("Descriptive", "Diagnostic", "Predictive", "Prescriptive")


def _splits(folder: Path) -> Mapping[str, Path]:
    found = {name.lower(): folder / f"{name}.json" for name in _CATEGORIES}
    there = {name: file for name, file in found.items() if file.is_file()}
    return there | {"all": folder} if len(there) == len(_CATEGORIES) else there


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    files = [folder / f"{name}.json" for name in _CATEGORIES] if split == "all" else [file]
    for each in files:
        for record in json_records(each):
            category = record.optional("Category").lower() or each.stem.lower()
            yield BenchmarkQuestion(
                id=f"{category}-{record.text('Query ID')}",
                text=record.text("Natural Language Query"),
                database="",
                gold=(),
                difficulty=record.optional("Complexity").lower(),
                tags=(category,),
                database_name=record.optional("Domain"),
            )


BI_BENCH = Layout(
    name="bi-bench",
    comparison="semantic",
    needs="Descriptive.json, Diagnostic.json, Predictive.json and Prescriptive.json",
    splits=_splits,
    read=_read,
    preferred=("all", "descriptive"),
)
