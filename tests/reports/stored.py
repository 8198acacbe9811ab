"""Stored runs with everything that a record can hold."""

import json
from pathlib import Path

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import JudgedQuery, QuestionRecord, SelectionScore, preview


def make_run(folder: Path, *, seed: int, text: str = "", count: int = 50, **configured: object) -> Path:
    """A stored run, with `text` wherever text can stand; `configured` is further configuration."""
    folder.mkdir(parents=True)
    with (folder / "records.jsonl").open("wb") as stream:
        for i in range(count):
            stream.write(_record(i, seed, text).line())
    configuration = {
        "method": f"m{seed}{text}", "model": None, "benchmark": f"b{text}", "split": "dev",
        "digest": "a" * 64,
        "comparison": "bird", "settings": {"note": text}, "seed": 0, "limit": None,
    } | configured  # fmt: skip
    (folder / "run.json").write_text(
        json.dumps({"configuration": configuration, "starts": [{"code": None}]}), encoding="utf-8"
    )
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
        trace=({"name": "propose" + text, "module": "generation", "found": {"sql": text}, "usage": used},),
    )
