"""Steps by a model over a schema that is longer than a prompt: shown in parts, the replies merged."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.data import needed

from fathom.authoring.business import by_model
from fathom.authoring.business.grammar import COMPLEXITIES
from fathom.databases import Database, connect
from fathom.llm import Request, ScriptedModel

QUESTION = "How do sales of genres differ?"
ITEM: dict[str, Any] = {"id": "1", "question": QUESTION, "tables": ["Invoice"], "database": "d"}


@pytest.fixture(scope="module")
def chinook() -> Iterator[Database]:
    with connect(needed("samples/chinook.sqlite")) as database:
        yield database


@pytest.fixture(autouse=True)
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_model, "PART", 1_500)


def said(request: Request) -> str:
    return request.messages[-1].text


def lacking(*tables: str, **columns: list[str]) -> str:
    told = {"reasoning": "It lacks.", "answerable": False}
    return json.dumps({**told, "missing_tables": tables, "missing_columns": columns})


YES = json.dumps({"reasoning": "All is there.", "answerable": True})


def answerable(database: Database, *replies: str) -> dict[str, Any]:
    parts = len(by_model.parts_shown(database, ITEM["question"]))
    assert parts > 2
    given = [*replies, *[lacking("everything", *REST)] * (parts - len(replies))]
    return asyncio.run(by_model.answerable(ITEM, database, ScriptedModel.of(*given)))


REST = ("orders", "genres", "weather")


def test_a_part_that_holds_all_is_enough(chinook: Database) -> None:
    found = answerable(chinook, lacking("genres"), YES)
    assert found["answerable"]["schema_parts"] == 2
    assert "rejected" not in found


def test_what_one_part_lacks_another_may_hold(chinook: Database) -> None:
    found = answerable(chinook, lacking("genres"), lacking("orders"))
    assert found["answerable"]["answerable"]


def test_what_every_part_lacks_is_missing(chinook: Database) -> None:
    found = answerable(chinook, lacking("genres", "Weather"), lacking("weather"))
    assert found["answerable"]["missing_tables"] == ["weather"]
    assert found["rejected"].startswith("not answerable")


def test_missing_columns_are_kept_apart_by_table(chinook: Database) -> None:
    parts = len(by_model.parts_shown(chinook, ITEM["question"]))
    model = ScriptedModel.of(
        lacking(Invoice=["mood"]), lacking("x", invoice=["Mood"]), *[lacking(invoice=["mood"])] * (parts - 2)
    )
    found = asyncio.run(by_model.answerable(ITEM, chinook, model))
    assert found["answerable"]["missing_columns"] == {"invoice": ["mood"]}


def test_a_part_decides_on_its_own_tables(chinook: Database) -> None:
    def tables(request: Request) -> str:
        return json.dumps([t for t in ("Genre", "Invoice") if f"{t} " in said(request)])

    model = ScriptedModel.of(rules={"smallest set": tables})
    found = asyncio.run(by_model.smallest_tables(ITEM, chinook, model))
    assert sorted(found["tables"]) == ["Genre", "Invoice"]

    def completed(_: Request) -> str:
        return json.dumps({"reasons": "Both.", "tables": ["Genre", "Invoice", "Nowhere"]})

    model = ScriptedModel.of(rules={"Somebody says": completed})
    found = asyncio.run(by_model.completed(ITEM, chinook, model))
    assert sorted(found["tables"]) == ["Genre", "Invoice"]
    assert found["reason"].count("Both.") == len(by_model.parts_shown(chinook, ITEM["question"]))


def test_questions_are_shared_out_over_the_parts(chinook: Database) -> None:
    asked: list[str] = []

    def nine(request: Request) -> str:
        asked.append(said(request))
        made = [(f"{c} {n} of {len(asked)}", c) for c in COMPLEXITIES for n in range(3)]
        return json.dumps([{"question": q, "complexity": c} for q, c in made])

    source = {"id": "0-descriptive", "category": "descriptive", "database": "d"}
    model = ScriptedModel.of(rules={"business": nine})
    made = asyncio.run(by_model.questions(source, chinook, model, 1))

    assert len(asked) == 3
    assert len(made) == 9
    assert [q["complexity"] for q in made].count("basic") == 3
    assert {q["question"].rpartition(" ")[2] for q in made} == {"1", "2", "3"}
    assert "of the schema" in made[0]["reason"]
