"""`fathom ask` on a terminal: what it says where it declines."""

import io
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.llm.hostile import Server, asked_for_openai

UNSURE = "Which zebra gene has the most frequent flyer miles per gallon?"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))


def test_a_declined_question_says_how_to_see_the_guess(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, UNSURE)
    assert done.code == 3
    assert "--explain" in done.out
    assert "SELECT" not in done.out


def test_no_guess_is_offered_at_what_the_database_knows_nothing_of(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, "What will the weather be tomorrow?")
    assert done.code == 3
    assert "“weather”" in done.out
    assert "guess" not in done.out


def test_explained_it_shows_guess_confidence_and_what_was_not_understood(fathom: Fathom, genes: Path) -> None:
    told = json.loads(fathom("ask", genes, UNSURE, "--json", "--explain").out)
    done = fathom("ask", genes, UNSURE, "--explain")
    assert done.code == 3
    assert "add --explain" not in done.out
    guess = next(s["found"]["sql"] for s in reversed(told["trace"]["steps"]) if s["found"].get("sql"))
    shown, _, _ = done.out.partition("How it was found")
    assert " ".join(guess.split()) in " ".join(shown.split())
    assert f"confidence {told['confidence']:.0%}" in shown
    assert "“zebra”" in shown


def test_who_asks_says_how_sure_an_answer_has_to_be(fathom: Fathom, genes: Path) -> None:
    sure = json.loads(fathom("ask", genes, UNSURE, "--json").out)["confidence"]
    assert fathom("ask", genes, UNSURE, "--confidence", sure + 0.01).code == 3
    done = fathom("ask", genes, UNSURE, "--confidence", 0)
    assert done.code == 0
    assert "SELECT" in done.out
    assert f"Confidence {sure:.0%}" in done.out
    assert fathom("ask", genes, "How many genes are there?", "--confidence", 1).code == 3


def test_a_bar_that_is_none_is_named(fathom: Fathom, genes: Path, server: Server) -> None:
    assert "from 0 to 1, not 80" in fathom("ask", genes, UNSURE, "--confidence", 80).err
    asking = ("ask", genes, UNSURE, "--model", f"{server.openai}#own", "--confidence", 0.5)
    assert "The method 'adaptive' has no setting 'confidence'." in fathom(*asking).err


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with asked_for_openai(monkeypatch) as running:
        yield running


ASKED = "How many? [say SELECT COUNT(*) FROM gene]"


def test_what_the_model_took_is_told(fathom: Fathom, genes: Path, server: Server) -> None:
    asking = ("ask", genes, ASKED, "--method", "zero-shot", "--model", "openai:gpt-4o-mini")
    done = fathom(*asking, "--explain")
    assert done.code == 0
    said = " ".join(done.out.split())
    assert "Asked the model: 2 calls, 240 + 16 tokens, 0.000031 dollars." in said
    assert "1 call, 120 + 8 tokens, 0.000015 dollars)" in said
    own = f"{server.openai}#own"
    assert "price not known" in fathom("ask", genes, ASKED, "--method", "zero-shot", "--model", own).out


def test_a_conversation_outlasts_a_question_without_a_reply_but_no_key_that_is_not_taken(
    fathom: Fathom, genes: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = f"How many? [trouble too_large]\n{ASKED}\nHow many? [trouble bad_key]\n{ASKED}\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    done = fathom("ask", genes, "--method", "zero-shot", "--model", "openai:gpt-4o-mini")
    assert done.code == 1
    assert "the request is too large" in done.err
    assert done.out.count("Asked the model: 2 calls") == 1
    assert done.err.rstrip().endswith("doesn't take the key in OPENAI_API_KEY.")


def test_a_spent_budget_declines_or_answers_with_what_there_is(
    fathom: Fathom, genes: Path, server: Server
) -> None:
    asking = ("ask", genes, ASKED, "--method", "din-sql", "--model", "openai:gpt-4o-mini")
    declined = fathom(*asking, "--max-tokens", 100)
    assert declined.code == 3
    assert "The budget of this question is used up: 128 of 100 tokens." in declined.out
    answered = fathom(*asking, "--max-tokens", 300)
    assert answered.code == 0
    said = " ".join(answered.out.split())
    assert "stands as it was before 'correct_by_checklist'" in said
    assert "384 of 300 tokens" in said


def test_an_answer_offers_no_guess(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, "How many genes are there?", "--explain")
    assert done.code == 0
    assert "My best guess" not in done.out


def test_long_cells_are_cut_and_it_is_said(fathom: Fathom, genes: Path) -> None:
    with sqlite3.connect(genes) as writer:
        writer.execute("UPDATE gene SET symbol = symbol || ?", ["x" * 200])
    writer.close()
    said = fathom("ask", genes, "List the symbols and chromosomes of all genes.").out
    assert "APOE" + "x" * 55 + "…" in "".join(said.split())
    assert "x" * 57 not in "".join(said.split())
    assert "long cells are cut, --json has all" in said
    assert "cut" not in fathom("ask", genes, "Which chromosomes are there?").out


def test_names_of_a_pack_that_the_database_lacks_are_told(
    fathom: Fathom, genes: Path, tmp_path: Path
) -> None:
    pack = tmp_path / "pack.json"
    columns = {"symbl": {"description": "what it is called"}, **{f"n{i}": {"name": "?"} for i in range(9)}}
    pack.write_text(json.dumps({"name": "lab", "tables": {"gene": {"columns": columns}, "genes": {}}}))
    done = fathom("ask", genes, "How many genes are there?", "--pack", pack, "--json")
    assert done.code == 0
    assert json.loads(done.out)["answer"] == "3 genes."
    assert "Not in the database: tables.gene: " in done.err
    assert "Did you mean 'symbol'?" in done.err
    assert "... and 6 more such names." in done.err
    assert "Not in the database" not in fathom("ask", genes, "How many genes are there?").err


def test_an_endless_question_is_refused_at_once(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, "How many genes are there? " * 3_000)
    assert done.code == 1
    assert "The question has 78,000 characters; the limit is 4,000." in done.err
    done = fathom("ask", genes, "How many genes are there?", "--evidence", "A gene is a row. " * 3_000)
    assert "The evidence has 51,000 characters; the limit is 20,000." in done.err


def test_rows_come_as_csv(fathom: Fathom, genes: Path) -> None:
    done = fathom("ask", genes, "List the symbols of all genes", "--csv")
    assert (done.code, done.out.splitlines()[0]) == (0, "Symbol")
    assert len(done.out.splitlines()) == 4
    declined = fathom("ask", genes, "What will the weather be?", "--safe-csv")
    assert (declined.code, declined.out) == (3, "")
    assert "I don't know" in declined.err


def test_json_has_the_trace_where_it_is_asked_for(fathom: Fathom, genes: Path) -> None:
    asked = ("ask", genes, "How many genes are there?")
    assert "trace" not in json.loads(fathom(*asked, "--json").out)
    assert json.loads(fathom(*asked, "--json", "--trace").out)["trace"]["steps"]
    assert "--trace goes with --json" in fathom(*asked, "--trace").err


def test_a_question_needn_t_wait_for_the_index(fathom: Fathom, genes: Path, tmp_path: Path) -> None:
    done = fathom("ask", genes, "How many genes are there?", "--no-index")
    assert done.code == 0
    assert not list((tmp_path / "cache").rglob("values/*.sqlite"))
    assert fathom("ask", genes, "How many genes are there?").out == done.out
    assert list((tmp_path / "cache").rglob("values/*.sqlite"))


def test_in_a_pipe_long_work_says_what_it_does(
    fathom: Fathom, genes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.interfaces.cli.answer_progress.LINE_SECONDS", 0.0)
    told = fathom("ask", genes, "How many genes are there?").err
    assert "indexing the values of" in told
    monkeypatch.setattr("fathom.interfaces.cli.answer_progress.LINE_SECONDS", 60.0)
    assert fathom("ask", genes, "How many genes are there?").err == ""


def test_rules_are_switched_off_by_name(fathom: Fathom, tmp_path: Path) -> None:
    file = tmp_path / "shop.sqlite"
    with sqlite3.connect(file) as made:
        made.executescript(
            "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, shipping_date DATE);"
            "INSERT INTO orders VALUES (1, '2022-01-05'), (2, NULL), (3, '2022-03-01');"
        )
    asked = ("ask", file, "How many orders have no shipping date?", "--json", "--trace")
    whole, without = (json.loads(fathom(*asked, *o).out) for o in ((), ("--without-rules", "filters")))
    assert "IS NULL" in whole["sql"]
    assert whole["trace"]["steps"][-1]["found"]["rules"] == ["has_or_lacks"]
    assert "has_or_lacks" not in without["trace"]["steps"][-1]["found"]["rules"]
    assert "Did you mean 'times'?" in fathom(*asked, "--without-rules", "tmes").err
