"""The finished data set: records in BioTool's raw form, splits, statistics, and what was rejected."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.authoring.biotool.journal import Item
from fathom.benchmarks import load_benchmark
from fathom.biotools.catalogue import endpoints
from fathom.files import write_whole

DOMAINS = {
    "NCBI": "literature and sequence records",
    "UniProt": "proteins",
    "Ensembl": "genomes and variation",
}
"""What the providers' data are about, for statistics."""

_TYPES = ("search", "stream", "get", "lookup", "vep", "overlap", "map", "xrefs")


def publish(questions: Sequence[Item], stages: Mapping[str, Iterable[Item]], folder: Path) -> dict[str, Any]:
    """Write `questions.json`, `train_*.json` and `test_*.json`, `rejected.jsonl` and `statistics.json`.

    `stages` are all items by step; those rejected are listed with step and reason. Gives the statistics.
    """
    kept = [item for item in questions if not item.get("rejected")]
    _write(folder / "questions.json", [_record(item) for item in kept])
    refused = [
        {"step": step, **item} for step, items in {**stages, "review": questions}.items()
        for item in items if item.get("rejected")
    ]  # fmt: skip
    lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in refused)
    (folder / "rejected.jsonl").write_text("".join(lines), encoding="utf-8")
    statistics = {
        "questions": len(kept),
        "calls": len({json.dumps([i["endpoint"], i["arguments"]], sort_keys=True) for i in kept}),
        "reviewed": sum(bool(i.get("reviewed")) for i in kept),
        **_counted(kept),
        "rejected": dict(Counter(item["step"] for item in refused)),
        "splits": _splits(kept, folder) if kept else {},
    }
    _write(folder / "statistics.json", statistics)
    return statistics


def _counted(kept: Sequence[Item]) -> dict[str, dict[str, int]]:
    def counts(values: Iterable[str]) -> dict[str, int]:
        return dict(Counter(values).most_common())

    return {
        "by_provider": counts(i["provider"] for i in kept),
        "by_tool": counts(i["tool"] for i in kept),
        "by_domain": counts(DOMAINS[i["provider"]] for i in kept),
        "by_type": counts(_type(i["endpoint"]) for i in kept),
        "by_endpoint": counts(i["endpoint"] for i in kept),
    }


def _type(endpoint: str) -> str:
    """What an endpoint does: the verb that its name begins with."""
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
            _write(folder / f"{part}_{split}.json", held)
        found[split] = {part: len(held) for part, held in parts.items()}
    return found


def _record(item: Item) -> dict[str, Any]:
    return {
        "id": item["id"],
        "user_query": item["question"],
        "function_calling": {"name": item["endpoint"], "arguments": item["arguments"]},
        "observation": item["observation"],
        "database": item["provider"].lower(),
        "tool": item["tool"].lower(),
    }


def _write(file: Path, content: Any) -> None:
    write_whole(file, json.dumps(content, ensure_ascii=False, indent=1) + "\n", mode=0o644)
