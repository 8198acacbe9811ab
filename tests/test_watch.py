import asyncio
import sqlite3
from pathlib import Path

import pytest

from fathom.answering import answer, prepare
from fathom.databases import connect
from fathom.records import Question
from fathom.watch import Event, tell, watching


def test_what_is_told_from_below_reaches_who_watches_the_step_at_work() -> None:
    heard: list[Event] = []
    tell("nobody listens yet")
    with watching(heard.append, "index"):
        tell("the values of gene", 3, 7)
        with watching(None, "inside"):
            tell("nobody listens here")
    tell("nor any more")
    assert [(e.step, e.state, e.text, e.done, e.total) for e in heard] == [
        ("index", "begun", "", None, None),
        ("index", "going on", "the values of gene", 3, 7),
        ("index", "ended", "", None, None),
    ]


def test_a_step_that_fails_has_ended() -> None:
    heard: list[Event] = []
    with pytest.raises(ValueError, match="broken"), watching(heard.append, "index"):
        raise ValueError("broken")
    assert [e.state for e in heard] == ["begun", "ended"]


def test_the_first_question_tells_each_step_and_how_far_the_index_is(tmp_path: Path) -> None:
    file = tmp_path / "genes.db"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE gene (symbol TEXT)")
        made.execute("CREATE TABLE drug (name TEXT)")
        made.execute("INSERT INTO gene VALUES ('APOE'), ('TP53')")
    made.close()
    heard: list[Event] = []
    with connect(file) as database:
        asking = prepare(database).watched(heard.append)
        asyncio.run(answer(Question("How many genes are there?"), asking))
    begun = [e.step for e in heard if e.state == "begun"]
    assert begun == [e.step for e in heard if e.state == "ended"]
    assert begun[:3] == ["link question", "propose queries", "choose query"]
    indexing = [(e.text, e.done, e.total) for e in heard if e.text.startswith("indexing")]
    assert {(d, t) for _, d, t in indexing} == {(0, 2), (1, 2)}
    assert {text for text, _, _ in indexing} == {"indexing the values of gene", "indexing the values of drug"}
