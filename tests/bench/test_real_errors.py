"""The model that writes what systems wrote: one query after the other, and the rest told truly."""

import json
from pathlib import Path

import pytest
from bench.real_errors import Recorded, _read
from bench.simulated import Gold

from fathom.llm import Message, Request
from fathom.llm.prompts import fence, load
from fathom.records import Column, Schema, Table

GENE = Table("gene", (Column("symbol", "TEXT", "text"), Column("length", "INTEGER", "integer")))
GOLD = Gold("Which genes are long?", "SELECT symbol FROM gene WHERE length > 9", Schema("sqlite", (GENE,)))
BESIDE = {"examples": "", "conventions": "", "dialect": "SQLite"}


def asked(name: str, **values: str) -> Request:
    words = load("fathom.nl2sql", name).render(
        question=GOLD.question, schema="gene(symbol, length)", **values
    )
    return Request("m", (Message("user", words),))


@pytest.mark.parametrize("name", ["adaptive_write", "adaptive_reason", "adaptive_plan"])
def test_each_request_for_a_query_gets_the_next_one(name: str) -> None:
    model = Recorded(GOLD, ["SELECT 1", "SELECT 2"])
    said = [model(asked(name, **BESIDE)) for _ in range(3)]
    assert said == [f"```sql\nSELECT {n}\n```" for n in (1, 2, 2)]


def test_what_is_no_query_is_told_truly_and_takes_none() -> None:
    model = Recorded(GOLD, ["SELECT 1"])
    told = json.loads(model(asked("adaptive_columns", dialect="SQLite")))
    assert sorted(told["gene"]) == ["length", "symbol"]
    assert model.given == 0
    assert fence("question", GOLD.question).count(GOLD.question) == 1


def test_both_layouts_of_predictions_are_read_in_their_order(tmp_path: Path) -> None:
    lines, keyed = tmp_path / "a.sql", tmp_path / "b.json"
    lines.write_text("SELECT 1\tbird\nSELECT 2\n")
    keyed.write_text(json.dumps({"10": "SELECT 3", "2": "SELECT 2\t----- bird -----\tfinancial"}))
    assert _read(lines) == ["SELECT 1", "SELECT 2"]
    assert _read(keyed) == ["SELECT 2", "SELECT 3"]
