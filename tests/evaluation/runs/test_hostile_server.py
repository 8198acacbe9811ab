"""A whole run against a server that misbehaves: nothing is lost, all is counted, no key is kept."""

import json
import logging
import random
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from tests.llm.hostile import OPENAI_KEY, TROUBLES, asked_for_openai

from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.llm import Pace, open_model

QUESTIONS, CONCURRENCY = 500, 6
PACE = Pace(concurrency=CONCURRENCY, attempts=8, seconds=8.0, first_wait=0.02, longest_wait=2.0)
PASSING = sorted(
    set(TROUBLES)
    - {"none", "no_usage", "filtered", "refused", "wrong_tool", "telltale", "silence"}
    - {"limit_day", "limit_second", "limit_date", "bad_key", "bad_request", "no_model", "too_large"}
)
"""What makes a request be asked again, but for what takes seconds."""


def make_benchmark(folder: Path) -> Path:
    """Questions each of which meets one or two troubles, or none; the server is told what to say."""
    made, rng = [], random.Random(4)
    for number in range(QUESTIONS):
        troubles = rng.sample(PASSING, rng.choice([0, 0, 1, 1, 2]))
        last = "filtered" if number % 50 == 0 else "no_usage" if number % 50 == 1 else "none"
        words = f"Question {number} [trouble {' '.join([*troubles, last])}] [say SELECT {number}]"
        made.append(
            {"id": f"q{number}", "question": words, "database": "one.sqlite", "gold": f"SELECT {number}"}
        )
    with sqlite3.connect(folder / "one.sqlite") as connection:
        connection.execute("CREATE TABLE gene (id INTEGER PRIMARY KEY)")
    connection.close()
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(m) + "\n" for m in made))
    return file


def test_a_run_loses_nothing_and_tells_what_the_server_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.INFO)
    file, tape, out = make_benchmark(tmp_path), tmp_path / "tape.jsonl", tmp_path / "run"
    with (
        asked_for_openai(monkeypatch) as server,
        open_model("openai:gpt-4o-mini", pace=PACE, cassette=tape) as model,
    ):
        run = evaluate(file, "zero-shot-cot", RunOptions(model=model, workers=12, out=out))
    books, records = server.books["openai"], {r.id: r for r in run.records()}

    assert len(records) == QUESTIONS
    assert set(PASSING) <= set(books.troubles)
    assert CONCURRENCY / 2 < books.most_under_way <= CONCURRENCY
    summary = run.summary().as_json()
    filtered = QUESTIONS // 50
    assert summary["correct"] == QUESTIONS - filtered
    used = [r.usage["total"] for r in records.values()]
    assert sum(u["prompt_tokens"] for u in used) == books.prompt_tokens
    assert sum(u["completion_tokens"] for u in used) == books.completion_tokens
    assert sum(u["unmeasured_calls"] for u in used) == books.unmeasured
    assert all(u["cost_usd"] is None for u in used if u["unmeasured_calls"])
    assert sum(Decimal(u["cost_usd"]) for u in used if u["cost_usd"] is not None) > 0

    kept = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert {tape, out / "records.jsonl", out / "run.json"} <= set(kept)
    assert not [p for p, content in kept.items() if OPENAI_KEY.encode() in content]
    assert "HTTP Request" in caplog.text
    assert OPENAI_KEY not in caplog.text + "".join(capfd.readouterr())
