import json
import sqlite3
from pathlib import Path

import pytest
from tests.command import Fathom

QUESTIONS = [
    ("SELECT name FROM player WHERE height > 180", "Which players are tall?", "tall refers to height > 180"),
    ("SELECT name FROM player WHERE height > 190", "Which players are tall?", "tall refers to height > 180"),
    ("SELECT name FROM player", "Which players are there?", "tall refers to height > 180"),
    ("SELECT name FROM player", "Which players are there?", "players refers to `player_name`"),
    ("SELECT name FROM player", "Which players are there?", ""),
]
DISAGREE = [None, "evidence_value_unused", "evidence_off_question", "evidence_unknown_column", None]


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    connection = sqlite3.connect(tmp_path / "games.sqlite")
    connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, height REAL)")
    connection.commit()
    connection.close()
    file = tmp_path / "b.jsonl"
    lines = [
        {"id": str(i), "question": text, "database": "games.sqlite", "gold": [sql], "evidence": evidence}
        for i, (sql, text, evidence) in enumerate(QUESTIONS)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def test_where_question_evidence_and_gold_disagree(benchmark: Path, fathom: Fathom) -> None:
    told = json.loads(fathom("benchmarks", "align", benchmark, "--json").out)
    assert (told["questions"], told["with_evidence"], told["agree"]) == (5, 4, 1)
    found = {item["id"]: [one["kind"] for one in item["disagree"]] for item in told["items"]}
    assert found == {str(i): [kind] for i, kind in enumerate(DISAGREE) if kind}
    assert told["kinds"] == {kind: 1 for kind in DISAGREE if kind}


def test_it_is_told_in_words(benchmark: Path, fathom: Fathom) -> None:
    said = fathom("benchmarks", "align", benchmark, "--limit", 2).out
    assert "2 questions, 2 with evidence: 1 agree with it, 1 don't." in said
    assert "the evidence says 'tall refers to height > 180', and the query has no 180" in said
