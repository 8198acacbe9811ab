"""Spider and what shares its layout (Spider-DK, Spider-Syn, Spider-Realistic, ScienceBenchmark)."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from fathom.benchmarks.layouts.layout import Layout, numbered, sqlite_file
from fathom.benchmarks.layouts.tables import read_tables
from fathom.benchmarks.record_files import json_records
from fathom.benchmarks.records import BenchmarkQuestion
from fathom.records import Schema

_ROOTS = ("database", "databases", "test_database")
_NOT_QUESTIONS = ("tables", "test_tables")


def _splits(folder: Path) -> Mapping[str, Path]:
    if not (folder / "tables.json").is_file() and not any((folder / root).is_dir() for root in _ROOTS):
        return {}
    return {
        _split(file.stem): file for file in sorted(folder.glob("*.json")) if file.stem not in _NOT_QUESTIONS
    }


def _split(stem: str) -> str:
    return "train" if stem == "train_spider" else stem


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    roots = [folder / root for root in (_ROOTS if split != "test" else reversed(_ROOTS))]
    place = cache(lambda name: sqlite_file(name, *roots))
    ids: dict[str, int] = {}
    for position, record in enumerate(json_records(file)):
        name = record.text("db_id")
        yield BenchmarkQuestion(
            id=numbered(ids, record.optional("question_id", "id") or str(position)),
            text=record.text("SpiderSynQuestion", "question"),
            database=place(name),
            gold=(record.text("query", "SQL"),),
            evidence=record.optional("evidence"),
            difficulty=record.optional("difficulty", "hardness"),
            database_name=name,
        )


def _schemas(folder: Path, file: Path) -> Mapping[str, Schema]:
    return read_tables(folder / "tables.json") if (folder / "tables.json").is_file() else {}


SPIDER = Layout(
    name="spider",
    comparison="spider",
    needs="tables.json, dev.json (or train_spider.json) and database/<db_id>/<db_id>.sqlite",
    splits=_splits,
    read=_read,
    preferred=("dev", "test", "train"),
    training=("train", "train_others"),
    schemas=_schemas,
)


def _science_splits(folder: Path) -> Mapping[str, Path]:
    """`<domain>/dev.json` and the like, each domain with its own database."""
    names = {"dev": "dev", "seed": "train", "seed_train": "train", "train": "train", "synth": "synth"}
    return {
        f"{file.parent.name}-{split}": file
        for stem, split in names.items()
        for file in sorted(folder.glob(f"*/{stem}.json"))
        if (file.parent / "tables.json").is_file() or (folder / "database").is_dir()
    }


def _read_science(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    roots = (file.parent / "database", file.parent, folder / "database")
    for position, record in enumerate(json_records(file)):
        name = record.optional("db_id") or file.parent.name
        found = sqlite_file(name, *roots)
        yield BenchmarkQuestion(
            id=record.optional("question_id", "id") or f"{split}-{position}",
            text=record.text("question"),
            database=found if Path(found).is_file() else name,
            gold=(record.text("query", "SQL"),),
            difficulty=record.optional("hardness", "difficulty"),
            database_name=name,
        )


SCIENCE = Layout(
    name="sciencebenchmark",
    comparison="spider",
    needs="<domain>/dev.json and <domain>/<domain>.sqlite, or the domain's URL in the settings",
    splits=_science_splits,
    read=_read_science,
    preferred=("cordis-dev", "oncomx-dev", "sdss-dev"),
    training=("cordis-train", "oncomx-train", "sdss-train"),
    dialect=lambda split: "postgres",
    schemas=lambda folder, file: _schemas(file.parent, file),
)
