"""The finished data set: records in BioTool's raw form, splits, statistics, and what was rejected."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.authoring.journal import Item
from fathom.authoring.maker import Production
from fathom.authoring.publication import (
    QUESTIONS,
    STATISTICS,
    DataCard,
    DataSource,
    counted,
    write_card,
    write_json,
    write_lines,
)
from fathom.benchmarks import load_benchmark
from fathom.biotools.catalogue import endpoints

DOMAINS = {
    "NCBI": "literature and sequence records",
    "UniProt": "proteins",
    "Ensembl": "genomes and variation",
}
"""The domains of the providers' data, for statistics."""

_TYPES = ("search", "stream", "get", "lookup", "vep", "overlap", "map", "xrefs")
_LICENCES = {
    "NCBI": "NLM places no restriction on its data; some records are others'",
    "UniProt": "CC BY 4.0",
    "Ensembl": "no restriction, see ensembl.org/info/about/legal",
}


def publish(production: Production) -> dict[str, Any]:
    """Write `questions.json` and the splits in BioTool's form beside what every benchmark has.

    Gives the statistics.
    """
    folder, kept = production.folder, list(production.finished())
    write_json(folder / "questions.json", [_record(item) for item in kept])
    write_lines(folder / QUESTIONS, map(_question, kept))
    counts = _counts(kept)
    statistics = {
        "questions": len(kept),
        "calls": len({json.dumps([i["endpoint"], i["arguments"]], sort_keys=True) for i in kept}),
        "reviewed": sum(bool(i.get("reviewed")) for i in kept),
        **counts,
        "rejected": _rejected(production),
        "splits": _splits(kept, folder) if kept else {},
    }
    write_json(folder / STATISTICS, statistics)
    used = dict.fromkeys(i["provider"] for i in kept)
    write_card(
        production,
        DataCard(
            title="Questions for biomedical tools",
            about="Questions with the call that answers each, and what the call returned.",
            sources=[DataSource(p, DOMAINS[p], _LICENCES[p]) for p in used],
            tables={name: counts[f"by_{name}"] for name in ("provider", "tool", "type")},
            repeat=f"fathom author biotool -o {folder.name}",
        ),
    )
    return statistics


def _rejected(production: Production) -> dict[str, int]:
    return {n: lost for n, c in production.counts().items() if (lost := c["given"] - c["kept"])}


def _counts(kept: Sequence[Item]) -> dict[str, dict[str, int]]:
    return {
        "by_provider": counted(i["provider"] for i in kept),
        "by_tool": counted(i["tool"] for i in kept),
        "by_domain": counted(DOMAINS[i["provider"]] for i in kept),
        "by_type": counted(kind_of_endpoint(i["endpoint"]) for i in kept),
        "by_endpoint": counted(i["endpoint"] for i in kept),
    }


def kind_of_endpoint(endpoint: str) -> str:
    """The action of an endpoint: the verb that its name begins with."""
    return next((t for t in _TYPES if endpoint.startswith(t)), endpoints()[endpoint].tool.lower())


def _splits(kept: Sequence[Item], folder: Path) -> dict[str, dict[str, int]]:
    """Both splits as the bench draws them: by call, and by endpoint; as files for training elsewhere."""
    records = {item["id"]: _record(item) for item in kept}
    found = {}
    for split in ("random", "unseen"):
        benchmark = load_benchmark(f"biotool:{folder / 'questions.json'}", split)
        tested = {question.id for question in benchmark}
        parts = {
            "train": [r for i, r in records.items() if i not in tested],
            "test": [r for i, r in records.items() if i in tested],
        }
        for part, held in parts.items():
            write_json(folder / f"{part}_{split}.json", held)
        found[split] = {part: len(held) for part, held in parts.items()}
    return found


def _question(item: Item) -> Mapping[str, Any]:
    return {
        "id": item["id"],
        "question": item["question"],
        "category": DOMAINS[item["provider"]],
        "complexity": item["kind"],
        "tables": [item["endpoint"]],
        "database": item["provider"],
        "call": {"name": item["endpoint"], "arguments": item["arguments"]},
        "reviewed": item["reviewed"],
    }


def _record(item: Item) -> dict[str, Any]:
    return {
        "id": item["id"],
        "user_query": item["question"],
        "function_calling": {"name": item["endpoint"], "arguments": item["arguments"]},
        "observation": item["observation"],
        "database": item["provider"].lower(),
        "tool": item["tool"].lower(),
    }
