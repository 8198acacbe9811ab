"""BIRD and mini-dev (Li et al. 2023): JSON questions with evidence and difficulty, a folder of databases."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from fathom.benchmarks.layouts.layout import Layout, numbered, sqlite_file
from fathom.benchmarks.layouts.tables import read_tables
from fathom.benchmarks.record_files import json_records
from fathom.benchmarks.records import BenchmarkQuestion
from fathom.records import Schema

_PLACES = ("{split}.json", "{split}/{split}.json", "{split}_questions/{split}.json")
_MARKS = ("*_databases", "*_tables.json", "mini_dev_*.json", "*/*_tables.json", "*/*_databases")


def _splits(folder: Path) -> Mapping[str, Path]:
    if not any(next(folder.glob(mark), None) for mark in _MARKS):
        return {}
    found = {
        split: folder / place.format(split=split)
        for split in ("dev", "test", "train")
        for place in reversed(_PLACES)
        if (folder / place.format(split=split)).is_file()
    }
    return found | {file.stem: file for file in sorted(folder.glob("mini_dev_*.json"))}


def _dialect(split: str) -> str:
    return {"mini_dev_mysql": "mysql", "mini_dev_postgresql": "postgres"}.get(split, "sqlite")


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    roots = [
        place / f"{name}_databases"
        for name in dict.fromkeys(("dev" if split.startswith("mini_dev") else split, "dev", "train", "test"))
        for place in (folder, file.parent)
    ]
    place = cache(lambda name: sqlite_file(name, *roots))
    ids: dict[str, int] = {}
    for position, record in enumerate(json_records(file)):
        name = record.text("db_id")
        # The PostgreSQL and MySQL versions are one server database; the user's settings say where it is.
        database = place(name) if _dialect(split) == "sqlite" else split
        yield BenchmarkQuestion(
            id=numbered(ids, record.optional("question_id") or str(position)),
            text=record.text("question"),
            database=database,
            gold=(record.text("SQL", "query"),),
            evidence=record.optional("evidence"),
            difficulty=record.optional("difficulty"),
            database_name=name,
        )


def _packs(folder: Path, database_name: str) -> tuple[Path, ...]:
    places = (
        folder / "database_description" / database_name,
        *(root / database_name / "database_description" for root in sorted(folder.glob("*_databases"))),
        *(root / database_name / "database_description" for root in sorted(folder.glob("*/*_databases"))),
    )
    return tuple(place for place in places if place.is_dir())


def _schemas(folder: Path, file: Path) -> Mapping[str, Schema]:
    split = "dev" if file.stem.startswith("mini_dev") else file.stem
    for place in (file.parent, folder):
        for name in (f"{split}_tables.json", "dev_tables.json"):
            if (place / name).is_file():
                return read_tables(place / name)
    return {}


BIRD = Layout(
    name="bird",
    comparison="bird",
    needs="dev.json (or train.json, mini_dev_*.json) and dev_databases/<db_id>/<db_id>.sqlite",
    splits=_splits,
    read=_read,
    preferred=("dev", "mini_dev_sqlite", "test", "train"),
    dialect=_dialect,
    packs=_packs,
    schemas=_schemas,
)
