"""Finding values among millions and tables among thousands, each part in a process of its own."""

import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.figures import DATA, ROOT, Figure
from bench.parts.synthetic import KINDS, SHARES, partial, typo

TITLE = "Retrieval: values and tables"
VALUES = 5_000_000
QUESTIONS = 400
_SEED = 20
_FRAMES = [
    "How many orders did {} place after 2015?",
    "What is the average price of the articles that belong to {} in each of the last three years?",
    "Which suppliers work with {} and also deliver to customers outside the country?",
    "Show the total revenue of {}",
]
_CHANGES: dict[str, Callable[[random.Random, str], str]] = {
    "as written": lambda _, v: v,
    "lower case": lambda _, v: v.lower(),
    "typo": typo,
    "plural": lambda _, v: v + "s",
    "partial": partial,
}


def measure() -> Iterable[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        database, cache = Path(folder) / "values.sqlite", Path(folder) / "cache"
        fill(database, VALUES)
        built = _apart("build", database, cache)
        yield Figure("values indexed", f"{built['values']:,}", f"{VALUES:,}", built["values"] == VALUES)
        yield Figure(
            "time to index them",
            f"{built['seconds']:.0f} s",
            "120 s",
            built["seconds"] <= 120,
            f"{built['cpu']:.0f} s of CPU, reading the database included",
        )
        yield Figure("memory", f"{built['mb']:.0f} MB", "2,000 MB", built["mb"] <= 2000, "peak resident set")
        yield Figure(
            "size of the index", f"{built['disk']:.0f} MB", note=f"database: {built['source']:.0f} MB"
        )
        asked = _apart("ask", database, cache)
        yield Figure(
            "mentions of a question, p95",
            f"{asked['p95']:.1f} ms",
            "20 ms",
            asked["p95"] <= 20,
            f"median {asked['p50']:.1f} ms, warm, {asked['n']} questions, most with changed values",
        )
        yield Figure("opening the index that is up to date", f"{asked['open']:.1f} ms")
        for change, (first, ten, named) in asked["recall"].items():
            yield Figure(
                f"the right value is first / among ten: {change}",
                f"{first:.1%} / {ten:.1%}",
                note=f"in mentions of the whole question: {named:.1%}",
            )
        small = Path(folder) / "small.sqlite"
        fill(small, 3_000)
        tiny = _apart("small", small, cache)
        yield Figure("3,000 values: build", f"{tiny['build']:.0f} ms", "1,000 ms", tiny["build"] < 1000)
        yield Figure("3,000 values: mentions, p95", f"{tiny['p95']:.2f} ms", "5 ms", tiny["p95"] < 5)
    yield from _tables()


def _tables() -> Iterable[Figure]:
    found = _apart("tables")
    size = f"{found['tables']:,} tables, {found['columns']:,} columns"
    yield Figure(
        "a question narrowed to its tables, p95",
        f"{found['p95']:.1f} ms",
        "100 ms",
        found["p95"] <= 100,
        f"median {found['p50']:.1f} ms; {size}",
    )
    yield Figure("building the schema index", f"{found['build']:.0f} ms")
    for limit, (share, all_) in found["recall"].items():
        note = f"all of them for {all_:.1%} of {found['n']:,} published questions"
        yield Figure(f"gold tables among the first {limit}", f"{share:.1%}", note=note)


def tables() -> dict[str, Any]:
    from bench.parts.merged_schema import merged, questions
    from fathom.retrieval import SchemaIndex

    schema = merged(DATA, 2_000, 20_000)
    started = time.perf_counter()
    index = SchemaIndex.build(schema)
    built = time.perf_counter() - started
    asked = random.Random(_SEED).sample(list(questions(DATA)), 2 * QUESTIONS)
    times: list[float] = []
    recall: dict[int, list[tuple[float, float]]] = {5: [], 10: [], 20: []}
    for question, gold in asked:
        started = time.perf_counter()
        found = index.tables(question, limit=20)
        times.append(time.perf_counter() - started)
        named = [m.table.casefold() for m in found if not m.joining]
        for limit, shares in recall.items():
            share = len(gold & set(named[:limit])) / len(gold)
            shares.append((share, float(share == 1)))
    times.sort()
    return {
        "tables": len(schema.tables),
        "columns": sum(len(t.columns) for t in schema.tables),
        "n": len(asked),
        "build": built * 1000,
        "p50": times[len(times) // 2] * 1000,
        "p95": times[len(times) * 95 // 100] * 1000,
        "recall": {k: [sum(c) / len(v) for c in zip(*v, strict=True)] for k, v in recall.items()},
    }


def fill(file: Path, count: int) -> None:
    """A database with so many distinct values, of four kinds in a table each."""
    rng = random.Random(_SEED)
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA journal_mode = OFF")
        for table, make in KINDS.items():
            wanted = round(count * SHARES[table])
            seen: set[str] = set()
            values = make(rng)
            while len(seen) < wanted:
                seen.add(next(values))
            db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            db.executemany(f"INSERT INTO {table} (name) VALUES (?)", ((v,) for v in sorted(seen)))
    db.close()


def build(database: str, cache: str) -> dict[str, Any]:
    from fathom.databases import connect
    from fathom.retrieval import ValueIndex

    started = time.perf_counter()
    with connect(database) as db, ValueIndex.open_or_build(db, Path(cache)) as index:
        seconds = time.perf_counter() - started
        values = sum(c.values for c in index.columns)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "values": values,
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "mb": usage.ru_maxrss / 1024,
        "disk": sum(f.stat().st_size for f in Path(cache).rglob("*.sqlite")) / 1e6,
        "source": Path(database).stat().st_size / 1e6,
    }


def ask(database: str, cache: str) -> dict[str, Any]:
    from fathom.databases import connect
    from fathom.retrieval import ValueIndex

    rng = random.Random(_SEED + 1)
    samples = _samples(database, rng)
    with connect(database) as db:
        started = time.perf_counter()
        index = ValueIndex.open_or_build(db, Path(cache))
        opened = time.perf_counter() - started
    times: list[float] = []
    recall: dict[str, list[list[bool]]] = {}
    for number, value in enumerate(samples):
        change = list(_CHANGES)[number % len(_CHANGES)]
        phrase = _CHANGES[change](rng, value)
        question = rng.choice(_FRAMES).format(phrase)
        index.mentions(question)
        started = time.perf_counter()
        mentions = index.mentions(question)
        times.append(time.perf_counter() - started)
        found = [m.value for m in index.lookup(phrase)]
        named = any(m.value == value for mention in mentions for m in mention.matches)
        recall.setdefault(change, []).append([value in found[:1], value in found, named])
    times.sort()
    return {
        "n": len(times),
        "p50": times[len(times) // 2] * 1000,
        "p95": times[len(times) * 95 // 100] * 1000,
        "open": opened * 1000,
        "recall": {k: [sum(c) / len(v) for c in zip(*v, strict=True)] for k, v in recall.items()},
    }


def small(database: str, cache: str) -> dict[str, Any]:
    from fathom.databases import connect
    from fathom.retrieval import ValueIndex

    with connect(database) as db:
        _ = db.schema
        started = time.perf_counter()
        ValueIndex.open_or_build(db, Path(cache)).close()
        built = time.perf_counter() - started
    return {"build": built * 1000, **ask(database, cache)}


def _samples(database: str, rng: random.Random) -> list[str]:
    """Values of people, works and companies; another code is never a misspelt one."""
    with sqlite3.connect(database) as db:
        found = []
        for table in ("person", "work", "company"):
            (count,) = db.execute(f"SELECT max(id) FROM {table}").fetchone()
            ids = rng.sample(range(1, count + 1), QUESTIONS // 3)
            found += [db.execute(f"SELECT name FROM {table} WHERE id = ?", (i,)).fetchone()[0] for i in ids]
    db.close()
    rng.shuffle(found)
    return found


def _apart(part: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.retrieval", part, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


_PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "build": build,
    "ask": ask,
    "small": small,
    "tables": tables,
}

if __name__ == "__main__":
    print(json.dumps(_PARTS[sys.argv[1]](*sys.argv[2:])))
