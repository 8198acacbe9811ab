"""A run knows of a database what asking it does: the packs of the settings, and a demo's own."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.answering import prepare
from fathom.config import read_settings
from fathom.databases import connect
from fathom.evaluation.runs.folder import DifferentRun
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, evaluate
from fathom.knowledge import packs_beforehand
from fathom.methods import Context, Method, step
from fathom.records import Draft


@pytest.fixture
def clinic(tmp_path: Path, own_settings: None) -> Path:
    """A folder with settings that name a database and its pack, and a benchmark that asks it."""
    with closing(sqlite3.connect(tmp_path / "clinic.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE patient (id INTEGER PRIMARY KEY, age INTEGER)")
        connection.executemany("INSERT INTO patient VALUES (?, ?)", [(1, 30), (2, 70), (3, 90)])
    (tmp_path / "config.toml").write_text(
        f'[databases]\nclinic = "{tmp_path / "clinic.sqlite"}"\n[packs]\nclinic = "clinic.yaml"\n'
    )
    (tmp_path / "clinic.yaml").write_text(
        "name: clinic\nglossary:\n- term: greybeard\n  condition: age >= 65\n  tables: [patient]\n"
    )
    asked = {
        "id": "1",
        "question": "How many greybeard patients are there?",
        "database": "clinic",
        "gold": ["SELECT COUNT(*) FROM patient WHERE age >= 65"],
    }
    (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    return tmp_path


def _settings_of(run: Run) -> dict[str, object]:
    kept = json.loads((run.folder / "run.json").read_text())["configuration"]["settings"]
    assert isinstance(kept, dict)
    return kept


def test_a_run_is_told_what_asking_is_told(clinic: Path) -> None:
    run = evaluate(clinic / "asked.jsonl", "offline", RunOptions(out=clinic / "run"))
    assert [r.outcome.value for r in run.records()] == ["correct"]
    [packs] = _settings_of(run)["packs_of_databases"].values()  # type: ignore[attr-defined]
    assert list(packs) == ["clinic.yaml"]
    assert len(packs["clinic.yaml"]) == 64


def test_both_ways_of_asking_make_the_same_of_a_database(clinic: Path) -> None:
    seen: list[Context] = []

    @step("generation")
    async def look(draft: Draft, context: Context) -> Draft:
        seen.append(context)
        return draft

    evaluate(clinic / "asked.jsonl", Method("looks", (look,)), RunOptions(out=clinic / "run"))
    with connect("clinic") as database:
        asked = prepare(database).context
    assert seen[0].knowledge == asked.knowledge
    assert asked.knowledge.glossary[0].term == "greybeard"
    assert seen[0].cache == asked.cache == clinic / "cache"


def test_another_pack_makes_another_run(clinic: Path) -> None:
    evaluate(clinic / "asked.jsonl", "offline", RunOptions(out=clinic / "run"))
    (clinic / "clinic.yaml").write_text("name: clinic\n")
    with pytest.raises(DifferentRun, match="packs_of_databases"):
        evaluate(clinic / "asked.jsonl", "offline", RunOptions(out=clinic / "run"))


def test_a_callable_is_given_no_packs(clinic: Path) -> None:
    run = evaluate(clinic / "asked.jsonl", lambda _: "SELECT 2", RunOptions(out=clinic / "run"))
    assert _settings_of(run) == {}


def test_a_demo_has_the_pack_that_is_called_like_it(clinic: Path) -> None:
    settings = read_settings()
    assert [p.name for p in packs_beforehand("demo:biomed", settings)] == ["biomed.yaml"]
    assert packs_beforehand("elsewhere", settings) == ()
    assert packs_beforehand("demo:nowhere", settings) == ()
