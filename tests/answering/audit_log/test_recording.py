"""What is asked is logged once, with all that it read and none of what it gave."""

import asyncio
import csv
import json
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.command import Fathom

import fathom
from fathom.answering import prepare
from fathom.answering.audit_log import AuditLog, LogEntry, logged_estimate, logged_run, logging_as
from fathom.answering.rehearsal import rehearse
from fathom.databases import Database
from fathom.databases.contained import ContainedSession
from fathom.databases.sqlite import SQLite, SQLiteSession
from fathom.errors import ConfigError, QueryRefused
from fathom.knowledge import KnowledgePack
from fathom.knowledge.lessons import synonym
from fathom.llm.exchange import Reply
from fathom.llm.scripted import ScriptedModel
from fathom.records import Draft, Limits, Question, SolvedExample, Usage


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AuditLog:
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(tmp_path / "audit.jsonl"))
    monkeypatch.setenv("USER", "ada")
    monkeypatch.setenv("LOGNAME", "ada")
    return AuditLog(tmp_path / "audit.jsonl")


def entries(log: AuditLog) -> list[LogEntry]:
    assert log.verify().problems == ()
    return list(log.entries())


def test_a_question_is_logged_with_what_it_read(shop: Database, log: AuditLog) -> None:
    given = fathom.ask("How many sales were there in Rome?", shop)
    (found,) = entries(log)
    assert (found.user, found.interface, found.status) == ("ada", "python", given.ending.value)
    assert found.question == "How many sales were there in Rome?"
    assert found.sql == given.sql
    assert found.tables.keys() == {"sale"}
    assert "city" in found.tables["sale"]
    assert (found.rows, found.truncated, found.model_calls, found.cost_usd) == (1, False, 0, "0")
    assert found.method == "offline"


def test_rows_are_never_in_it(shop: Database, log: AuditLog) -> None:
    given = fathom.ask("How many sales in each city?", shop)
    logged_run(shop, "SELECT city FROM sale", Limits())
    assert given.result is not None
    assert "Bern" in str(given.result.rows)
    assert "Bern" not in log.path.read_text()
    assert [e.rows for e in entries(log)] == [2, 4]


def test_follow_ups_are_one_entry_each(shop: Database, log: AuditLog) -> None:
    with fathom.Conversation(shop) as talk:
        talk.ask("How many sales were there in Rome?")
        talk.ask("and in Bern?")
        last = talk.ask("Which planets have rings?")
    assert [e.question for e in entries(log)] == [
        "How many sales were there in Rome?",
        "and in Bern?",
        "Which planets have rings?",
    ]
    assert [e.status for e in entries(log)] == ["sure", "sure", last.ending.value]


def test_what_a_model_cost_is_logged_with_its_name(shop: Database, log: AuditLog) -> None:
    reply = Reply("SELECT city FROM sale", usage=Usage(1, 90, 10, cost_usd=Decimal("0.0125")))
    model = ScriptedModel.of(rules={"": reply})
    fathom.ask("Which cities sell again and again?", shop, method="zero-shot", model=model)
    fathom.ask("How many sales were there in Rome?", shop)
    paid, free = entries(log)
    assert (paid.model, paid.method, paid.model_calls) == ("scripted", "zero-shot", 2)
    assert (paid.cost_usd, paid.tokens) == ("0.0250", 200)
    assert (free.model, free.cost_usd) == ("", "0")


def test_the_bytes_that_an_engine_reads_are_logged(
    shop: Database, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContainedSession, "bytes_read", 4_242)
    monkeypatch.setattr(SQLiteSession, "bytes_read", 4_242)
    monkeypatch.setattr(SQLite, "tells_size", True)
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 1_234)
    fathom.ask("How many sales were there in Rome?", shop)
    logged_run(shop, "SELECT city FROM sale", Limits())
    logged_estimate(shop, "SELECT city FROM sale")
    assert [e.bytes_read for e in entries(log)] == [4_242, 4_242, 1_234]


TERMINAL, KERNEL = SimpleNamespace(), SimpleNamespace(kernel="of Jupyter")


@pytest.mark.parametrize(
    ("loaded", "interface"),
    [
        ({"IPython": SimpleNamespace(get_ipython=lambda: KERNEL)}, "notebook"),
        ({"IPython": SimpleNamespace(get_ipython=lambda: TERMINAL)}, "python"),
        ({"IPython": SimpleNamespace(get_ipython=lambda: None)}, "python"),
        ({"marimo": SimpleNamespace(running_in_notebook=lambda: True)}, "notebook"),
        ({"marimo": SimpleNamespace(running_in_notebook=lambda: False)}, "python"),
    ],
)
def test_a_cell_is_told_from_a_script(
    shop: Database, log: AuditLog, monkeypatch: pytest.MonkeyPatch, loaded: dict[str, Any], interface: str
) -> None:
    for name in ("IPython", "marimo"):
        monkeypatch.setitem(sys.modules, name, loaded.get(name))
    logged_run(shop, "SELECT city FROM sale", Limits())
    assert [e.interface for e in entries(log)] == [interface]


def test_queries_by_hand_are_logged_also_refused_ones(shop: Database, log: AuditLog) -> None:
    with logging_as("browser", "eve"):
        logged_run(shop, "SELECT city FROM sale", Limits(rows=1))
        with pytest.raises(QueryRefused):
            logged_run(shop, "DELETE FROM sale", Limits())
    read, refused = entries(log)
    assert (read.user, read.interface, read.status, read.rows) == ("eve", "browser", "done", 1)
    assert (read.truncated, read.tables) == (True, {"sale": ["city"]})
    assert (refused.status, refused.sql, refused.rows) == ("QueryRefused", "DELETE FROM sale", None)


def test_an_error_is_logged_and_raised(
    shop: Database, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> Draft:
        raise RuntimeError("out of reach")

    monkeypatch.setattr("fathom.answering.pipeline.run_method", broken)
    with pytest.raises(RuntimeError):
        fathom.ask("How many sales were there?", shop)
    (found,) = entries(log)
    assert (found.status, found.question) == ("RuntimeError", "How many sales were there?")


def test_nothing_is_answered_without_the_log(
    shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(tmp_path / "file" / "audit.jsonl"))
    with pytest.raises(ConfigError, match="audit log"):
        fathom.ask("How many sales were there?", shop)


def test_eight_at_once_are_eight_entries(shop: Database, log: AuditLog) -> None:
    talks = [fathom.Conversation(shop) for _ in range(8)]

    async def all_at_once() -> None:
        await asyncio.gather(*(talk.answer(f"How many sales in {n}?") for n, talk in enumerate(talks)))

    asyncio.run(all_at_once())
    assert sorted(e.question for e in entries(log)) == [f"How many sales in {n}?" for n in range(8)]


@pytest.fixture
def asked(shop: Database, log: AuditLog, fathom: Fathom) -> Fathom:
    assert shop.file is not None
    fathom("ask", shop.file, "How many sales were there in Rome?")
    fathom("sql", shop.file, "SELECT city FROM sale")
    return fathom


def test_the_command_shows_verifies_exports_and_purges(asked: Fathom, log: AuditLog, tmp_path: Path) -> None:
    shown = json.loads(asked("audit-log", "--json").out)
    assert [(e["interface"], bool(e["question"])) for e in shown] == [
        ("command line", True),
        ("command line", False),
    ]
    assert "command line" not in asked("audit-log").out
    assert {"ada", "sale"} <= set(asked("audit-log").out.split())
    assert json.loads(asked("audit-log", "--user", "nobody", "--json").out) == []
    assert json.loads(asked("audit-log", "--since", "2100-01-01", "--json").out) == []
    assert len(json.loads(asked("audit-log", "--last", "1", "--json").out)) == 1
    assert log.verify().last in asked("audit-log", "verify").out.replace("\n", "")
    table = tmp_path / "log.csv"
    assert asked("audit-log", "export", "--out", table).code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert json.loads(rows[1]["tables"]) == {"sale": ["city"]}
    assert asked("audit-log", "export", "--out", tmp_path / "log.txt").code == 1
    assert len(asked("audit-log", "export").out.splitlines()) == 2
    assert "purge needs --before" in asked("audit-log", "purge").err
    assert "2 entries" in asked("audit-log", "purge", "--before", "2100-01-01").out
    log.path.write_bytes(log.path.read_bytes().replace(b'"purged":2', b'"purged":1'))
    broken = asked("audit-log", "verify")
    assert broken.code == 1
    assert "line 1: it was changed" in broken.err.replace("\n", " ")


def test_without_a_log_the_command_says_how_to_keep_one(fathom: Fathom) -> None:
    told = fathom("audit-log")
    assert told.code == 1
    assert "FATHOM_AUDIT_LOG" in told.err


def test_a_question_that_is_stopped_is_logged(
    shop: Database, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_: object) -> Draft:
        await asyncio.sleep(60)
        raise AssertionError

    monkeypatch.setattr("fathom.answering.pipeline.run_method", endless)
    talk = fathom.Conversation(shop)

    async def stop() -> None:
        work = asyncio.create_task(talk.answer("How many sales were there?"))
        await asyncio.sleep(0.05)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(stop())
    (found,) = entries(log)
    assert (found.status, found.question) == ("CancelledError", "How many sales were there?")


def test_of_a_rehearsal_only_the_question_is_logged(shop: Database, log: AuditLog) -> None:
    examples = (SolvedExample("How many sales are there?", "SELECT COUNT(*) FROM sale"),)
    asking = prepare(shop, packs=[KnowledgePack(examples=examples)])
    question = Question("How many deals were there?")
    asyncio.run(rehearse(asking, synonym("deals", "sale"), question))
    assert {e.question for e in entries(log)} == {question.text}
