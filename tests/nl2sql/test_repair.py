import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from fathom.databases import connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.repair import repair_by_schema, repaired, with_repair
from fathom.records import Candidate, Draft, Question

MADE = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, label TEXT);
CREATE TABLE "order" (
  no INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id),
  product_id INTEGER REFERENCES product (product_id), day DATE, amount REAL
);
INSERT INTO customer VALUES (1, 'Ada', 'Oslo'), (2, 'O''Hara', 'Stockholm'), (3, 'Bo', 'Oslo');
INSERT INTO product VALUES (1, 'Pen'), (2, 'Ink');
INSERT INTO "order" VALUES (1, 1, 1, '2024-02-03', 9), (2, 2, 2, '2024-03-01', 4);
"""
BROKEN, MENDED = "SELECT COUNT(*) FROM order", "SELECT COUNT(*) FROM `order`"


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    folder = tmp_path_factory.mktemp("repair")
    with sqlite3.connect(folder / "shop.sqlite") as made:
        made.executescript(MADE)
    with connect(folder / "shop.sqlite") as database:
        yield Context(database, cache=folder)


def test_what_fails_is_mended_and_what_runs_is_left_alone(context: Context) -> None:
    cases = yaml.safe_load(Path(__file__).with_name("repair.yaml").read_text(encoding="utf-8"))

    def mended(sql: str) -> str | None:
        found = asyncio.run(repaired(context, sql))
        assert found is None or (found.run.ran and found.changes)
        return found.run.sql if found else None

    assert [{**case, "mended": mended(case["sql"])} for case in cases] == cases


def test_what_was_changed_is_told_in_words(context: Context) -> None:
    found = asyncio.run(repaired(context, "SELECT name FROM custumer WHERE city = 'oslo'"))
    assert found is not None
    assert found.changes == (
        "the table custumer is read as customer",
        "the value oslo is spelt Oslo in customer.city",
    )


def test_the_query_that_stands_and_failed_candidates_are_mended_in_the_trace(context: Context) -> None:
    draft = Draft(
        Question("q"),
        sql=BROKEN,
        candidates=(Candidate(BROKEN, error="syntax"), Candidate("SELECT 1"), Candidate("?", error="no")),
    )
    after = asyncio.run(repair_by_schema.function(draft, context))
    assert (after.sql, [c.sql for c in after.candidates]) == (MENDED, [MENDED, "SELECT 1", "?"])
    assert after.candidates[0].result is not None
    assert [r["sql"] for r in after.notes["repairs"]] == [BROKEN]


def test_any_method_takes_it_before_it_answers_in_words(context: Context) -> None:
    method = with_repair(find_method("baseline"))
    assert [s.module for s in method.steps] == ["generation", "repair", "answering"]
    assert with_repair(method) is method
    assert [s.module for s in with_repair(method, False).steps] == ["generation", "answering"]
    asked = replace(context, model=ScriptedModel.of(f"```sql\n{BROKEN}\n```", "Two."))
    draft = asyncio.run(run_method(method, Question("How many orders are there?"), asked))
    assert draft.sql == MENDED
    (told,) = [s for s in draft.trace.steps if s.module == "repair"]
    assert told.found["repairs"][0]["changes"] == ["the name order is put in quotes"]
    assert told.usage.calls == 0
