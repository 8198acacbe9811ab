import json
from pathlib import Path

import pytest

from fathom.errors import InputError
from fathom.evaluation.scoring.predictions import Prediction, predictions_rule, read_predictions

BIRD = "SELECT 1\t----- bird -----\tshop"


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "text", "rule", "expected"),
    [
        ("p.json", json.dumps({"0": BIRD}), "position", [Prediction("0", ("SELECT 1",), "shop")]),
        ("p.json", json.dumps({"0": 3, "1": ""}), "position", [("0", "not text"), Prediction("1", ())]),
        ("p.json", json.dumps(["SELECT 1"]), "position", [Prediction("0", ("SELECT 1",))]),
        ("p.json", json.dumps([{"question_id": 7, "SQL": "S"}]), "id", [Prediction("7", ("S",))]),
        ("p.txt", "SELECT 1\tshop\nSELECT 2\n", "position", [
            Prediction("0", ("SELECT 1",), "shop"), Prediction("1", ("SELECT 2",))]),
        ("p.sql", "SELECT 1\n\nSELECT 3", "position", [
            Prediction("0", ("SELECT 1",)), Prediction("1", ()), Prediction("2", ("SELECT 3",))]),
        ("p.sql", "SELECT 'a\tb c'\n", "position", [Prediction("0", ("SELECT 'a\tb c'",))]),
        ("p.jsonl", '{"id": "a", "sql": "S"}\n', "id", [Prediction("a", ("S",))]),
        ("p.jsonl", '{"id": 1, "candidates": ["S", "T"]}\n', "id", [Prediction("1", ("S", "T"))]),
        ("p.jsonl", '{"id": "a", "sql": "S"\n{"id": "b", "sql": "T"}\n', "id", [
            ("a", "line 1 is not valid JSON"), Prediction("b", ("T",))]),
        ("p.jsonl", '{"sql": "S"}\n', "id", [("", "no id")]),
        ("p.jsonl", '{"id": "a", "sql": 4}\n', "id", [("a", "not text")]),
        ("p.json", '{\n "0": "S",\n "1": "T\n "2": "U"\n}', "position", [
            Prediction("0", ("S",)), ("1", "line 3 is not valid JSON"), Prediction("2", ("U",))]),
    ],
)  # fmt: skip
def test_files_are_read_as_they_are(
    tmp_path: Path, name: str, text: str, rule: str, expected: list[Prediction | tuple[str, str]]
) -> None:
    file = write(tmp_path / name, text)
    assert predictions_rule(file, "position") == rule
    found = list(read_predictions(file))
    assert len(found) == len(expected)
    for one, wanted in zip(found, expected, strict=True):
        if isinstance(wanted, Prediction):
            assert one == wanted
        else:
            assert one.key == wanted[0]
            assert wanted[1] in one.problem
            assert not one.candidates


@pytest.mark.parametrize(
    ("records", "sql"),
    [
        ([{"node_type": "schema_selection"}, {"node_type": "candidate_generation", "SQL": "A"},
          {"node_type": "query_revision", "SQL": "B"}], "B"),
        ([{"node_type": "schema_extraction"}, {"node_type": "candidate_generation", "PREDICTED_SQL": ["A"]},
          {"node_type": "revision", "PREDICTED_SQL": "C"}], "C"),
        ([{"node_type": "candidate_generation", "SQL": ["A", "B"]}], "A"),
    ],
)  # fmt: skip
def test_record_folders_give_the_last_modules_query(
    tmp_path: Path, records: list[dict[str, object]], sql: str
) -> None:
    told = [record | {"question_id": 5, "db_id": "shop"} for record in records]
    write(tmp_path / "records" / "5_shop.json", json.dumps(told))
    write(tmp_path / "records" / "12_shop.json", "{broken")
    found = list(read_predictions(tmp_path / "records"))
    assert (found[0].key, found[0].candidates[0], found[0].database_name) == ("5", sql, "shop")
    assert found[1].key == "12"
    assert "can't be read" in found[1].problem


def test_bytes_that_are_not_utf8_cost_one_prediction(tmp_path: Path) -> None:
    file = tmp_path / "p.sql"
    file.write_bytes(b"SELECT 1\nSELECT '\xff'\nSELECT 3\n")
    first, second, third = read_predictions(file)
    assert first.candidates
    assert third.candidates
    assert "UTF-8" in second.problem


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_predictions(tmp_path / "none.json")
