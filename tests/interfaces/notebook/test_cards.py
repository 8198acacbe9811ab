"""What notebooks are given of each kind of value."""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.runs.bench import make_benchmark

import fathom
from fathom.answering import Conversation
from fathom.databases import Database, connect
from fathom.errors import ConfigError, InputError, MissingExtra
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.interfaces.notebook import JSON, VEGA_LITE, mime_bundle
from fathom.records import Answer, Chart, Question, Reading, Refusal, Result

HOSTILE = "<script>alert(1)</script>&\u202e"
ROWS = Result(("name", "many"), ((HOSTILE, 3), (None, 12_345)), f"SELECT '{HOSTILE}'", 0.01)


@pytest.fixture
def pets(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "pets.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, owner_id INTEGER REFERENCES owner (id));"
            "INSERT INTO owner VALUES (1, 'Ada'); INSERT INTO pet VALUES (1, 'Rex', 1), (2, 'Tom', 1);"
        )
    with connect(file) as database:
        yield database


def _answer(**other: Any) -> Answer:
    return Answer(Question(HOSTILE), HOSTILE, **other)


def test_text_from_outside_stays_text_everywhere() -> None:
    reading = Reading(HOSTILE, HOSTILE, 0.4, HOSTILE, HOSTILE, result=ROWS)
    values = [
        ROWS,
        reading,
        _answer(sql=HOSTILE, explanation=HOSTILE, result=ROWS, method=HOSTILE),
        _answer(refusal=Refusal(HOSTILE, instead=(HOSTILE,))),
        _answer(readings=(reading, reading)),
    ]
    for value in values:
        made = value._repr_mimebundle_()
        assert "<script" not in made["text/html"]
        assert "\u202e" not in made["text/plain"]
        assert not re.search(r"<style|\son\w+=|javascript:|https?://", made["text/html"])
        json.dumps(made)


def test_an_answer_shows_words_rows_and_sql() -> None:
    chart = Chart({"mark": "bar", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a"}}})
    made = mime_bundle(
        Answer(Question("How many?"), "Many.", sql="SELECT 1", result=ROWS, chart=chart, confidence=0.93)
    )
    assert made[VEGA_LITE] == chart.specification
    text = made["text/plain"].splitlines()
    assert text[:2] == ["How many?", "Many."]
    assert text[2].split() == ["name", "many"]
    assert text[4].endswith("12,345")
    assert "    SELECT 1" in text
    assert text[-1].endswith("(confidence 93%).")
    assert "text-align:right" in made["text/html"]
    assert "<details><summary" in made["text/html"]  # the SQL, folded
    assert "background:#fff" not in made["text/html"]
    assert 'fill="currentColor"' in made["text/html"]  # letters in the notebook's own colour, light or dark
    assert made[JSON]["sql"] == "SELECT 1"


def test_only_the_first_rows_are_shown_and_kept() -> None:
    many = Result(("n",), tuple((i,) for i in range(1_500)), "SELECT n", 0.1, truncated="rows")
    made = mime_bundle(many)
    assert "the first 20 of 1,500 rows; the limits cut the rows, there are more" in made["text/plain"]
    assert made["text/html"].count("<tr>") == 21
    assert len(made[JSON]["rows"]) == 1_000
    answered = mime_bundle(_answer(result=many, shown=many))
    assert len(answered[JSON]["result"]["rows"]) == 1_000


def test_nothing_is_shown_in_place_of_the_html() -> None:
    # JupyterLab shows what it ranks first of a bundle: JSON, as a tree, then HTML; charts come later.
    assert not {"application/json", "text/markdown", "image/svg+xml"} & mime_bundle(ROWS).keys()


def test_the_forms_that_are_wanted_are_given() -> None:
    assert ROWS._repr_mimebundle_(include={"text/plain"}).keys() == {"text/plain"}
    assert "text/html" not in ROWS._repr_mimebundle_(exclude={"text/html"})
    with pytest.raises(TypeError, match="int has no form"):
        mime_bundle(1)


def test_databases_and_conversations_tell_what_they_hold(pets: Database) -> None:
    made = mime_bundle(pets)
    assert [t["name"] for t in made[JSON]["tables"]] == ["owner", "pet"]
    assert "pet (owner_id) → owner (id)" in made["text/html"]
    told = mime_bundle(pets.schema)["text/plain"].splitlines()
    assert [line.split() for line in told[1:4]] == [
        ["table", "rows", "columns", "what", "it", "holds"],
        ["owner", "1", "2"],
        ["pet", "2", "3"],
    ]
    talk = Conversation(pets)
    assert "Nothing was asked yet" in mime_bundle(talk)["text/html"]
    talk.ask("How many pets are there?")
    assert "How many pets are there?" in mime_bundle(talk)["text/plain"]
    assert len(mime_bundle(talk)[JSON]) == 1


def test_runs_and_scores_show_their_rates_with_what_was_counted(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    run = evaluate(benchmark, lambda question: None, RunOptions(name="silent", out=tmp_path / "run"))
    made = mime_bundle(run)
    assert "silent on genes" in made["text/plain"]
    assert re.search(r"correct +\S+% .* of \d+", made["text/plain"])
    assert made[JSON]["method"] == "silent"
    predictions = tmp_path / "predictions.json"
    predictions.write_text("{}")
    scored = mime_bundle(fathom.score(benchmark, predictions))
    assert "95 % interval" in scored["text/html"]
    assert scored[JSON]["n"] > 0


def test_rows_become_a_frame() -> None:
    twice = Result(("a", "a"), ((1, "x"), (2, None)), "SELECT 1", 0.1)
    frame = _answer(result=twice).frame("pandas")
    assert list(frame.columns) == ["a", "a_2"]
    assert frame.shape == (2, 2)
    assert frame["a"].sum() == 3
    named = Result(("Year", "Total"), twice.rows, "SELECT 1", 0.1)
    assert list(_answer(result=twice, shown=named).frame("pandas").columns) == ["Year", "Total"]


def test_frames_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"askfathom\[notebook\]"):
        ROWS.frame()
    with pytest.raises(ConfigError, match="choose of pandas, polars, pyarrow"):
        ROWS.frame("excel")
    with pytest.raises(InputError, match="there are no rows"):
        _answer(refusal=Refusal("No.")).frame()
