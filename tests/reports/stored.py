"""Stored runs with everything that a record can hold."""

import json
from collections.abc import Iterable
from pathlib import Path

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import CallRecord, JudgedQuery, QuestionRecord, SelectionScore, preview


def make_run(folder: Path, *, seed: int, text: str = "", count: int = 50, **configured: object) -> Path:
    """A stored run, with `text` wherever text can stand; `configured` is further configuration."""
    records = [_record(i, seed, text) for i in range(count)]
    usual = {"method": f"m{seed}{text}", "benchmark": f"b{text}", "settings": {"note": text}}
    return write_run(folder, records, **(usual | configured))


def write_run(folder: Path, records: Iterable[QuestionRecord], **configured: object) -> Path:
    """Store these records as a run; `configured` is its configuration, where it differs from the usual."""
    folder.mkdir(parents=True)
    (folder / "records.jsonl").write_bytes(b"".join(record.line() for record in records))
    configuration = {
        "method": "m", "model": None, "benchmark": "b", "split": "dev", "digest": "a" * 64,
        "comparison": "bird", "settings": {}, "seed": 0, "limit": None,
    } | configured  # fmt: skip
    content = {"configuration": configuration, "starts": [{"code": None}]}
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def judge(folder: Path, judge: str = "judge", *, person: bool = False, count: int = 50) -> None:
    """Add a judge's BioScores of the run's answers."""
    scores = (3.0, 2.0, 1.0, -1.0, 0.0, 2.5)
    lines = (
        json.dumps(
            {"id": str(i), "score": scores[(i + person * (i % 7 == 0)) % 6], "reason": "", "model": judge}
        )
        for i in range(count)
    )
    name = "people.jsonl" if person else "judgements.jsonl"
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def every_chapter(folder: Path) -> list[Path]:
    """Runs over two benchmarks that together give a report each of its chapters."""
    pair = [make_run(folder / name, seed=seed, method=name) for name, seed in (("first", 1), ("second", 2))]
    judge(pair[0])
    judge(pair[0], "ann", person=True)
    same = {"verdict": "different", "reason": "", "outcome": "correct", "pair": "x", "model": "judge"}
    (pair[0] / "equivalences.jsonl").write_text(json.dumps({"id": "0"} | same) + "\n", encoding="utf-8")
    records = [_record(i, 1, "") for i in range(50)]
    again = write_run(folder / "again", records, method="first", settings={"note": ""}, seed=1)
    bare = {"note": "", "evidence": "none"}
    without = write_run(folder / "without", records, method="first", settings=bare)
    unjudged = [
        QuestionRecord(str(i), "?", "d", Outcome.UNJUDGED, error_class="no_gold", seconds=1) for i in (0, 1)
    ]
    lookup = {"name": "lookup", "arguments": {"id": "1"}}
    called = [
        QuestionRecord(str(i), "?", "", Outcome.CORRECT if i else Outcome.ERROR, seconds=1,
                       call=CallRecord(("NCBI", "Ensembl")[i % 2], "blast", lookup, lookup if i else None,
                                       similarity=float(i > 0)))
        for i in range(2, 8)
    ]  # fmt: skip
    other = write_run(folder / "calls", [*unjudged, *called], benchmark="tools", digest="c" * 64)
    return [*pair, again, without, other]


def _record(i: int, seed: int, text: str) -> QuestionRecord:
    outcome = list(Outcome)[(i * 7 + seed * i) % 3]
    used = {"calls": 1, "prompt_tokens": 100 + i, "completion_tokens": i, "cached_tokens": 0,
            "cost_usd": 0.01,
            "model_seconds": 0.1, "database_seconds": 0.1, "own_seconds": 0.1}  # fmt: skip
    sql = f"SELECT name FROM gene WHERE id = {i} AND x = '{text}'"
    return QuestionRecord(
        id=f"{i}{text}",
        question=f"Gene {i}? {text}",
        database=f"db{i % 2}{text}",
        outcome=outcome,
        evidence=text,
        difficulty=("simple", "hard", text or "odd")[i % 3],
        tags=(("A", "B", "C")[i % 3] + text, "D", ("Join", "Select", "Threshold")[i % 3]),
        gold=("SELECT name FROM gene",),
        sql=sql,
        verdict="different",
        score=0.5,
        jaccard=0.5,
        soft_f1=0.5,
        error=text or "no such column" if outcome is Outcome.ERROR else None,
        error_class="other" if outcome is Outcome.ERROR else None,
        declined=i % 5 == 0,
        refusal=text,
        confidence=(i % 10) / 10,
        candidates=(JudgedQuery(sql, outcome), JudgedQuery(sql, Outcome.CORRECT)),
        before_revision=JudgedQuery(sql, Outcome.INCORRECT),
        selection_score=SelectionScore(1, 1, 1, 0.5, 0.5, 0.5),
        usage={"generation": used, "total": used},
        seconds=0.1 * i,
        rows=preview(["name" + text], [[text or "x"], [None]], 2, cut=False),
        gold_rows=preview(["name"], [["y"]], 1, cut=False),
        readings=2 if i % 10 == 0 else 0,
        readings_found=1 if i % 10 == 0 else 0,
        trace=({"name": "propose" + text, "module": "generation", "found": {"sql": text}, "usage": used},),
    )
