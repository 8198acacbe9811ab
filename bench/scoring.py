"""Scoring whole files of predictions, as processes from start to end, against the way references do it."""

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

from bench.figures import DATA, Figure
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.benchmarks.sql_text import is_code, pieces

TITLE = "Scoring predictions"
ROUNDS = 5
PROCESSES = 2
SMALL_BYTES = 300_000
Pair = tuple[BenchmarkQuestion, str]


def measure() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _small(folder)
        yield from _large(folder)
        yield from _many(folder)
        yield from _memory(folder)


def _small(folder: Path) -> Iterator[Figure]:
    pairs = _written_anew(_some(_small_questions(), 1000), random.Random(1))
    place = _layout(folder / "small", DATA / "spider" / "database", [pairs])
    ours, theirs = _raced(
        [_fathom(place, [place / "p0.txt"], folder / "cache-small")], [_reference(place, place / "p0.txt")]
    )
    yield _ratio("1,000 pairs over small databases, whole process", ours, theirs, 2.0)
    # Other work on the machine lengthens both, but not by the same factor: processor time is steadier.
    file = place / "p0.txt"
    mine = median(_processor_time(_fathom(place, [file], folder / "cache-small")) for _ in range(ROUNDS))
    other = median(_processor_time(_reference(place, file)) for _ in range(ROUNDS))
    yield _ratio("the same in processor time", mine, other, 2.0)


def _large(folder: Path) -> Iterator[Figure]:
    slow = [q for q in load_benchmark("bird-train", data=DATA) if 0.01 <= _seconds(q) <= 0.3]
    chosen = _some(slow, 200)
    place = _layout(folder / "large", DATA / "bird" / "train_databases", [
        _crossed(chosen, random.Random(2)), _written_anew(chosen, random.Random(3))])  # fmt: skip
    cache = folder / "cache-large"
    for number, what in enumerate(("queries of other questions, or the gold's own", "queries written anew")):
        file = place / f"p{number}.txt"
        cold = folder / "cold"
        ours, theirs = _raced([_fathom(place, [file], cold)], [_reference(place, file)], fresh=cold, rounds=3)
        mark = 1.8 if number == 0 else None
        yield _ratio(f"{len(chosen)} pairs of 10 ms and more: {what}", ours, theirs, mark)
        _run(_fathom(place, [file], cache))
        ours, theirs = _raced([_fathom(place, [file], cache)], [_reference(place, file)], rounds=3)
        yield _ratio("the same, the benchmark scored before", ours, theirs, 1.8)


def _many(folder: Path) -> Iterator[Figure]:
    questions = _some(_small_questions(), 300)
    source = random.Random(4)
    # Candidate files repeat themselves: of 122,012 queries in 118 real files 31,957 differ.
    variants = [[sql for _, sql in _written_anew(questions, source)] for _ in range(13)]
    files = [[(q, source.choice(variants)[i]) for i, q in enumerate(questions)] for _ in range(50)]
    place = _layout(folder / "many", DATA / "spider" / "database", files)
    names = [place / f"p{i}.txt" for i in range(50)]
    ours, theirs = _raced(
        [_fathom(place, names, folder / "cache-many")], [_reference(place, name) for name in names], rounds=2
    )
    yield _ratio("50 files of 300 predictions over one benchmark", ours, theirs, 5.0)


def _memory(folder: Path) -> Iterator[Figure]:
    """Peak memory of the scoring process over ever more questions."""
    with closing(sqlite3.connect(folder / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r"
                           " LIMIT 1000) SELECT n FROM r")  # fmt: skip
        connection.commit()
    peaks = []
    for count in (10_000, 100_000):
        with (folder / "own.jsonl").open("w") as bench, (folder / "p.jsonl").open("w") as predictions:
            for i in range(count):
                gold = f"SELECT n FROM t WHERE n = {i % 1000}"
                entry = {"id": str(i), "question": f"Which {i}?", "database": "t.sqlite", "gold": [gold]}
                bench.write(json.dumps(entry) + "\n")
                predictions.write(json.dumps({"id": str(i), "sql": f"SELECT {i % 999}"}) + "\n")
        peaks.append(_peak(folder / "own.jsonl", folder / "p.jsonl"))
    more = peaks[1] - peaks[0]
    yield Figure("memory of 100,000 records beyond that of 10,000", f"{more:.1f} MB", "<= 10 MB", more <= 10,
                 f"peak {peaks[1]:.0f} MB")  # fmt: skip


def _peak(bench: Path, predictions: Path) -> float:
    code = (
        "import resource, sys; from fathom.evaluation.scoring import score;"
        "score(sys.argv[1], sys.argv[2]);"
        "who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN);"
        "print(max(resource.getrusage(w).ru_maxrss for w in who))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(bench), str(predictions)], check=True,
                          capture_output=True, text=True)  # fmt: skip
    return int(done.stdout) / 1024


def _small_questions() -> list[BenchmarkQuestion]:
    sizes: dict[str, int] = {}
    found = []
    for question in load_benchmark("spider", data=DATA):
        if question.database not in sizes:
            sizes[question.database] = Path(question.database).stat().st_size
        if sizes[question.database] < SMALL_BYTES:
            found.append(question)
    return found


def _some(questions: Sequence[BenchmarkQuestion], count: int) -> list[BenchmarkQuestion]:
    """Neighbours stay together, as a benchmark's paraphrases do."""
    return list(questions[:count])


def _seconds(question: BenchmarkQuestion) -> float:
    with closing(sqlite3.connect(f"file:{question.database}?mode=ro", uri=True)) as connection:
        started = time.perf_counter()
        connection.execute(question.gold[0]).fetchall()
        return time.perf_counter() - started


def _written_anew(questions: Sequence[BenchmarkQuestion], source: random.Random) -> list[Pair]:
    """Predictions like a good system's: two thirds right, in other words than the gold; the rest wrong."""
    others: dict[str, list[str]] = {}
    for question in questions:
        others.setdefault(question.database, []).append(question.gold[0])
    mark = source.randrange(10**6)
    return [
        (q, _reworded(q.gold[0] if source.random() < 2 / 3 else source.choice(others[q.database]), mark))
        for q in questions
    ]


def _reworded(sql: str, mark: int) -> str:
    """The same query with a predicate more, so that no cache can know it by its text."""
    text = " ".join("".join(p.lower() if is_code(p) else p for p in pieces(sql)).split()).rstrip("; ")
    head = re.match(r"select (distinct )?", text)
    if head is None:
        return text
    return f"{head.group()}{text[head.end() :]}" if " limit " in text else f"{text} limit {10**7 + mark}"


def _crossed(questions: Sequence[BenchmarkQuestion], source: random.Random) -> list[Pair]:
    """Half the predictions are the gold, half the gold of another question of the same database."""
    return [
        (q, q.gold[0] if source.random() < 0.5
         else source.choice([o for o in questions if o.database == q.database]).gold[0])
        for q in questions
    ]  # fmt: skip


def _layout(place: Path, databases: Path, files: Sequence[Sequence[Pair]]) -> Path:
    """A folder in Spider's layout with files of predictions."""
    place.mkdir()
    (place / "database").symlink_to(databases)
    entries = [
        {"db_id": q.database_name, "question": q.text, "query": " ".join(q.gold[0].split())}
        for q, _ in files[0]
    ]
    (place / "dev.json").write_text(json.dumps(entries), encoding="utf-8")
    (place / "tables.json").write_text("[]", encoding="utf-8")
    for number, pairs in enumerate(files):
        text = "".join(" ".join(sql.split()) + "\n" for _, sql in pairs)
        (place / f"p{number}.txt").write_text(text, encoding="utf-8")
    return place


def _fathom(place: Path, files: Sequence[Path], cache: Path) -> list[str]:
    command = str(Path(sys.executable).with_name("fathom"))
    return ["env", f"FATHOM_CACHE={cache}", command, "score", str(place), *map(str, files), "--as", "bird",
            "--workers", str(PROCESSES)]  # fmt: skip


def _reference(place: Path, file: Path) -> list[str]:
    return [sys.executable, "-m", "bench.parts.reference_scoring", str(place), str(file), str(PROCESSES)]


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _processor_time(command: Sequence[str]) -> float:
    before = os.times()
    _run(command)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _timed(commands: Sequence[Sequence[str]]) -> tuple[float, list[int]]:
    started = time.perf_counter()
    told = [_run(command) for command in commands]
    seconds = time.perf_counter() - started
    return seconds, [
        int(n) for text in told for n in re.findall(r"(\d+) of \d+|^(\d+)$", text, re.M) for n in n if n
    ]


def _raced(
    ours: Sequence[Sequence[str]],
    theirs: Sequence[Sequence[str]],
    *,
    fresh: Path | None = None,
    rounds: int = ROUNDS,
) -> tuple[float, float]:
    """Median seconds of both, run by turns; both must find the same number of right predictions."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        if fresh is not None:
            subprocess.run(["rm", "-rf", str(fresh)], check=True)
        (mine, right), (other, wanted) = _timed(ours), _timed(theirs)
        assert right == wanted, (right[:3], wanted[:3])
        found[0].append(mine)
        found[1].append(other)
    return median(found[0]), median(found[1])


def _ratio(what: str, ours: float, theirs: float, mark: float | None) -> Figure:
    ratio = theirs / ours
    times = f"{ours:.2f} s against {theirs:.2f} s"
    if mark is None:
        return Figure(what, f"{ratio:.2f} times", note=times)
    return Figure(what, f"{ratio:.2f} times", f">= {mark:g}", ratio >= mark, times)
