"""How well joins are inferred where none are declared: the declared ones are hidden, then looked for."""

import json
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.figures import DATA, ROOT, Figure
from fathom.config import Settings
from fathom.databases import connect
from fathom.databases.joins import infer_joins
from fathom.records import ForeignKey, Schema

TITLE = "Joins inferred where no keys are declared"
_Ends = frozenset[tuple[str, str]]


def measure() -> Iterable[Figure]:
    held_back = _held_back()
    spider = {p.stem: p for p in sorted(DATA.glob("spider/database/*/*.sqlite"))}
    sets = {
        "Spider, databases looked at": [p for n, p in spider.items() if n not in held_back],
        "Spider, databases set aside": [p for n, p in spider.items() if n in held_back],
        "BIRD, training databases": sorted(DATA.glob("bird/train_databases/*/*.sqlite")),
    }
    for name, paths in sets.items():
        for keys in ("foreign keys hidden", "foreign and primary keys hidden"):
            right = found = declared = 0
            started = time.perf_counter()
            for true, inferred in _pairs(paths, keep_primary=keys == "foreign keys hidden"):
                right, found, declared = (
                    right + len(true & inferred),
                    found + len(inferred),
                    declared + len(true),
                )
            seconds = (time.perf_counter() - started) / max(1, len(paths))
            note = f"{declared} declared keys in {len(paths)} databases; {1000 * seconds:.0f} ms a database"
            yield Figure(f"{name}, {keys}: recall", f"{right / declared:.3f}", note=note)
            yield Figure(f"{name}, {keys}: precision", f"{right / found:.3f}", note=f"{found} inferred")


def _held_back() -> set[str]:
    content = json.loads((ROOT / "bench" / "splits" / "spider.json").read_text(encoding="utf-8"))
    return {name for names in content.values() if isinstance(names, list) for name in names}


def _pairs(paths: Iterable[Path], *, keep_primary: bool) -> Iterator[tuple[set[_Ends], set[_Ends]]]:
    """Declared and inferred joins of each database that declares any, as pairs of columns."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "config.toml", Path(folder))
        for path in paths:
            try:
                with connect(path, settings=settings) as database:
                    true = {
                        _ends(k)
                        for k in database.schema.foreign_keys
                        if not k.inferred and len(k.columns) == 1
                    }
                    if true:
                        hidden = _without_keys(database.schema, keep_primary=keep_primary)
                        names = {t.name: database.identifier(t.name) for t in hidden.tables}
                        found = infer_joins(hidden, database._read, names, database._engine.quote)
                        yield true, {_ends(k) for k in found}
            except sqlite3.Error as error:
                print(f"  {path.stem} left out: {error}")


def _without_keys(schema: Schema, *, keep_primary: bool) -> Schema:
    if keep_primary:
        return Schema(schema.dialect, schema.tables)
    return Schema(schema.dialect, tuple(replace(t, primary_key=(), unique=()) for t in schema.tables))


def _ends(key: ForeignKey) -> _Ends:
    return frozenset(((key.table, key.columns[0]), (key.target_table, key.target_columns[0])))
