"""Two hundred questions of a restricted user: no field of an answer holds what is hidden, on four engines."""

import json
import os
from pathlib import Path

import pytest

from fathom.answering import as_json, ask
from fathom.answering.markdown import answer_as_markdown
from fathom.databases import Database
from fathom.records import Answer
from tests.rights.conftest import Shop
from tests.rights.questions import questions
from tests.rights.test_restricted import leaks

ASKED = questions()
ALL = os.environ.get("FATHOM_TEST_LEAKS") == "all"
"""Whether every engine is asked all of them, for ten minutes; else each another fourth."""
ENGINES = ("sqlite", "duckdb", "postgres", "mysql")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "audit.jsonl"


@pytest.fixture(autouse=True)
def kept_apart(log: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches and settings of these tests alone, with an audit log."""
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path_factory.getbasetemp() / "rights-cache"))
    monkeypatch.setenv("FATHOM_CONFIG", str(log.with_name("config.toml")))
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(log))


def unsaid(text: str, question: str) -> str:
    """A text without the words of the question, which may be given back."""
    for word in sorted(question.casefold().strip("?").split(), key=len, reverse=True):
        text = text.casefold().replace(word, "~")
    return text


def test_there_are_two_hundred() -> None:
    assert len(ASKED) == 200
    assert 60 < sum(bool(leaks(question)) for question in ASKED) < 140


def test_no_answer_holds_what_is_hidden(shop: Shop, log: Path) -> None:
    log.unlink(missing_ok=True)
    asked = ASKED if ALL else ASKED[ENGINES.index(shop.whole.dialect) :: len(ENGINES)]
    for question in asked:
        given = ask(question, shop.seen)
        said = json.dumps([as_json(given, trace=True), answer_as_markdown(given)], default=str)
        assert not leaks(unsaid(said, question)), (question, said)
    lines = log.read_text(encoding="utf-8").splitlines()
    for question, line in zip(asked, lines, strict=True):
        assert not leaks(unsaid(line, question)), line


def told(question: str, database: Database) -> object:
    given: Answer = ask(question, database)
    rows = given.result and given.result.rows
    return given.ending, given.text.partition(" Nearest")[0], given.sql, rows, [r.sql for r in given.readings]


def test_an_answer_is_as_if_what_is_hidden_were_not_there(sqlite_shop: Shop) -> None:
    """Else what is answered would tell of it, and who may see little would be answered worse."""
    for question in ASKED[:: 1 if ALL else 4]:
        assert told(question, sqlite_shop.seen) == told(question, sqlite_shop.twin), question


def test_the_questions_bring_it_out_where_nothing_is_hidden(sqlite_shop: Shop) -> None:
    found = [q for q in ASKED[:60] if leaks(unsaid(json.dumps(as_json(ask(q, sqlite_shop.whole))), q))]
    assert len(found) > 5
