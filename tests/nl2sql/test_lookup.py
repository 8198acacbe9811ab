import asyncio
import sqlite3
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.knowledge import ColumnNote, KnowledgePack, TableNote
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.conditions import Condition, conditions
from fathom.nl2sql.keywords import extract_keywords, keywords_of, plain_keywords
from fathom.nl2sql.lookup import (
    as_selection,
    described_columns,
    only_about,
    queries_of,
    searched_columns,
    similar_columns,
    similar_values,
)
from fathom.records import Question

QUESTION = Question("Which drugs have the trade name 'Aricept'?", evidence="phase = 4")


def test_keywords_are_what_is_looked_up() -> None:
    assert queries_of("status = 'open'") == ["status = 'open'", "open"]
    assert queries_of("a b c") == ["a b c", "a", "b c", "a b", "c"]


def test_a_keyword_finds_the_cells_spelt_most_like_it(context: Context) -> None:
    found = asyncio.run(similar_values(context, ["aricept", "Donepzil", "nothing like it"]))
    assert found == {"drug": {"name": ["Donepezil"], "trade name": ["Aricept"]}}


def test_columns_are_found_by_names_in_either_number_and_spelling(context: Context) -> None:
    schema = context.database.schema
    found = similar_columns(schema, ["Trade_Names", "chromosomes (lengths)", "phase = 4", "unknown"])
    assert as_selection(place for places in found.values() for place in places).tables == {
        "drug": ("trade name", "phase"),
        "gene": ("chromosome", "length"),
    }


def test_columns_are_found_by_what_is_written_of_them(context: Context, tmp_path: Path) -> None:
    found = asyncio.run(described_columns(context, Question("How many base pairs has APOE?"), ["base pairs"]))
    assert "length" in found.tables["gene"]


def test_a_pack_is_cut_down_to_some_columns() -> None:
    notes = {"length": ColumnNote(description="in base pairs"), "id": ColumnNote(description="a number")}
    pack = KnowledgePack(tables={"gene": TableNote(columns=notes)})
    cut = only_about(pack, {"gene": ["length"], "other": ["x"]})
    assert cut.column("gene", "length") is not None
    assert cut.column("gene", "id") is None


def test_keywords_come_from_a_list_in_any_form_or_from_the_question(context: Context) -> None:
    for reply, wanted in {
        "Here you are:\n```python\n['Aricept', 'trade name',]\n```": ["Aricept", "trade name"],
        '{"keywords": ["phase = 4"]}': ["phase = 4"],
        "I can't.": plain_keywords(QUESTION),
    }.items():
        model = ScriptedModel.of(reply)
        given = Context(context.database, model=model)
        draft = asyncio.run(run_method(Method("keywords", (extract_keywords,)), QUESTION, given))
        assert keywords_of(draft) == wanted
        assert model.script.requests[0].sampling.temperature == 0.2
    assert plain_keywords(QUESTION)[0] == "Aricept"
    assert {"drugs", "trade", "phase", "4"} <= set(plain_keywords(QUESTION))


def test_conditions_of_a_query_with_their_columns(context: Context) -> None:
    sql = (
        "SELECT g.symbol FROM gene g JOIN target AS t ON t.gene_id = g.id WHERE 5 < length AND action = 'x' "
        "AND t.drug_id IN (SELECT id FROM drug WHERE `trade name` != 'it''s') AND g.symbol LIKE 'A%'"
    )
    assert set(conditions(sql, context.database.schema)) == {
        Condition("gene", "length", ">", "5", is_text=False),
        Condition("target", "action", "=", "x", is_text=True),
        Condition("drug", "trade name", "!=", "it's", is_text=True),
    }
    assert conditions("SELECT FROM (", context.database.schema) == []


def test_cells_of_long_texts_and_keys_are_not_searched_unless_they_are_few(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "town.db") as made:
        made.execute("CREATE TABLE town (id TEXT PRIMARY KEY, name TEXT, story TEXT, web TEXT, kind TEXT)")
        told = "once there was a town by the name of"
        rows = [(f"T{i}", f"Aa{i}", f"{told} Aa{i}") for i in range(99)]
        made.executemany("INSERT INTO town VALUES (?, ?, ?, 'x', 'harbour')", rows)
    made.close()
    with connect(tmp_path / "town.db") as database:
        context = Context(database, cache=tmp_path)
        assert asyncio.run(searched_columns(context)) == {("town", "name"), ("town", "kind")}
        few = asyncio.run(searched_columns(context, few=100))
        assert few == {("town", "name"), ("town", "kind"), ("town", "story")}


def test_without_embeddings_a_cell_must_be_spelt_alike(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE shop (name TEXT, city TEXT)")
        made.executemany(
            "INSERT INTO shop VALUES (?, ?)",
            [("Green Grocer", "Oslo"), ("Green Tea and Coffee House", "Rome")],
        )
    made.close()
    with connect(path) as database:
        context = Context(database, cache=tmp_path)
        assert asyncio.run(similar_values(context, ["green grocers"])) == {"shop": {"name": ["Green Grocer"]}}
        assert asyncio.run(similar_values(context, ["green"])) == {}


@pytest.mark.parametrize("name", ["chess-ir-ss-cg", "chess-ir-cg-ut", "opensearch-sql"])
def test_codes_that_are_spelt_nearer_crowd_out_no_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "ward.db"
    names = [f"Remedy {i}" for i in range(300)]
    names[250] = "Donepezil"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE dose (dose_id TEXT PRIMARY KEY, drug TEXT)")
        made.executemany(
            "INSERT INTO dose VALUES (?, ?)", [(f"Donepzil {i}", n) for i, n in enumerate(names)]
        )
    made.close()
    model = ScriptedModel.of(
        rules={
            "Before a database is searched|word for word": '["Donepzil"]',
            "at most ten": '{"columns": [], "values": ["Donepzil"]}',
            "": "SELECT 1",
        }
    )
    with connect(path) as database:
        context = Context(database, model=model, cache=tmp_path)
        asyncio.run(run_method(find_method(name), Question("Who was given Donepzil?"), context))
    assert "Donepezil" in "".join(model.prompts)
