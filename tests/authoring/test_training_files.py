"""Training files for text-to-SQL: one text in each layout, parts that share nothing, fractions that nest."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.data import needed

from fathom.authoring.training_files import TrainingPlan, write_sql_training
from fathom.errors import InputError


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Sixty questions over three databases, one of which isn't there, and one without gold."""
    databases = [str(needed("samples", f"{n}.sqlite")) for n in ("chinook", "northwind")] + ["gone.sqlite"]
    made: list[Mapping[str, Any]] = [
        {"id": f"{n}", "question": f"Question {n}?", "database": databases[n % 3], "gold": [f"SELECT {n}"],
         "evidence": "two is 2" if n == 4 else ""}
        for n in range(60)
    ]  # fmt: skip
    made.append({"id": "x", "question": "Why?", "database": databases[0], "gold": [], "answerable": False})
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(m) + "\n" for m in made), encoding="utf-8")
    return file


def test_layouts_hold_the_same_words_and_the_schema(own: Path, tmp_path: Path) -> None:
    about = write_sql_training(TrainingPlan(str(own), tested=0.4), tmp_path / "out")
    assert about["examples"]["train"] + about["examples"]["test"] + len(about["left_out"]) == 60
    assert len(about["left_out"]) == 20
    for part, count in about["examples"].items():
        chats, alpacas = (lines(tmp_path / "out" / f"{part}.{layout}.jsonl") for layout in ("chat", "alpaca"))
        assert len(chats) == len(alpacas) == count
        for chat, alpaca in zip(chats, alpacas, strict=True):
            said = [turn["content"] for turn in chat["messages"]]
            assert said == [alpaca["system"], alpaca["instruction"], alpaca["output"]]
            assert "CREATE TABLE" in said[1]
            assert f"Question: Question {said[2].removeprefix('SELECT ')}?" in said[1]
            assert "one sqlite query" in said[0]


def test_no_database_is_in_both_parts(own: Path, tmp_path: Path) -> None:
    write_sql_training(TrainingPlan(str(own), tested=0.4), tmp_path)
    train, test = (
        {int(line["output"].split()[1]) % 3 for line in lines(tmp_path / f"{p}.alpaca.jsonl")}
        for p in ("train", "test")
    )
    assert not train & test


def test_smaller_fractions_are_among_greater_ones(own: Path, tmp_path: Path) -> None:
    found = []
    for fraction in (0.2, 0.5, 1.0):
        write_sql_training(TrainingPlan(str(own), fraction=fraction, tested=0.0), tmp_path / str(fraction))
        found.append({line["output"] for line in lines(tmp_path / str(fraction) / "train.alpaca.jsonl")})
    assert found[0] < found[1] < found[2]
    assert len(found[2]) == 40


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.333, 0.9])
def test_a_fraction_is_one_to_the_nearest_question(tmp_path: Path, fraction: float) -> None:
    """Of two databases one is kept for testing, though a tenth of two would be none."""
    databases = [str(needed("samples", f"{n}.sqlite")) for n in ("chinook", "northwind")]
    made = [{"id": f"{n}", "question": "?", "database": databases[n % 2], "gold": [f"SELECT {n}"]}
            for n in range(120)]  # fmt: skip
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(m) + "\n" for m in made), encoding="utf-8")
    about = write_sql_training(TrainingPlan(str(own), fraction=fraction), tmp_path)
    assert about["examples"] == {"train": round(60 * fraction), "test": 60}


def test_schemas_are_in_any_style_with_samples_and_evidence(own: Path, tmp_path: Path) -> None:
    plan = TrainingPlan(str(own), style="commented", samples=2, tested=0.0)
    write_sql_training(plan, tmp_path)
    held = {line["output"]: line["instruction"] for line in lines(tmp_path / "train.alpaca.jsonl")}
    assert "-- examples: " in held["SELECT 3"]
    assert "Evidence: two is 2" in held["SELECT 4"]
    write_sql_training(TrainingPlan(str(own), style="lines", tested=0.0), tmp_path / "lines")
    assert "CREATE TABLE" not in lines(tmp_path / "lines" / "train.alpaca.jsonl")[0]["instruction"]


def test_one_database_is_split_by_question(tmp_path: Path) -> None:
    file = str(needed("samples", "chinook.sqlite"))
    own = tmp_path / "one.jsonl"
    made = [
        {"id": str(n), "question": "How many?", "database": file, "gold": ["SELECT 1"]} for n in range(100)
    ]
    own.write_text("".join(json.dumps(m) + "\n" for m in made), encoding="utf-8")
    about = write_sql_training(TrainingPlan(str(own), tested=0.3), tmp_path / "out")
    assert about["examples"]["train"] + about["examples"]["test"] == 100
    assert 15 < about["examples"]["test"] < 45


def test_what_cant_be_is_told(own: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--fraction"):
        write_sql_training(TrainingPlan(str(own), fraction=0), tmp_path)
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="nothing to learn"):
        write_sql_training(TrainingPlan(str(empty)), tmp_path / "out")
