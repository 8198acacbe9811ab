"""Questions of a restricted user: no field of an answer holds what is hidden, on four engines.

Each engine is asked another fourth of the two hundred; `python -m bench leaks` asks every engine all. A
sample asks SQLite and one other engine a fifth of theirs.
"""

from itertools import islice
from pathlib import Path

import pytest

from fathom.answering import Conversation, ask
from tests.rights.conftest import Shop
from tests.rights.questions import questions, said, told
from tests.rights.world import leaks
from tests.sampling import Sample

ASKED = questions()
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


def test_there_are_two_hundred() -> None:
    assert len(ASKED) == 200
    assert 60 < sum(bool(leaks(question)) for question in ASKED) < 140


@pytest.mark.one_of("shop", beside=["sqlite"])
def test_no_answer_holds_what_is_hidden(shop: Shop, log: Path, sample: Sample) -> None:
    log.unlink(missing_ok=True)
    asked = sample.of(ASKED[ENGINES.index(shop.whole.dialect) :: len(ENGINES)], 0.2)
    for question in asked:
        told_all = said(ask(question, shop.seen))
        assert not leaks(told_all, question), (question, told_all)
    lines = log.read_text(encoding="utf-8").splitlines()
    for question, line in zip(asked, lines, strict=True):
        assert not leaks(line, question), line


FOLLOW_UPS = (
    "How many customers are there?",
    "list them",
    "and their quorvx?",
    "only those from Ulmengart",
    "by country instead",
    "and in Vrakhunt?",
    "How many orders were there in 2023?",
    "and in 2019?",
    "per customer",
    "and without Zambrokwyst?",
    "only those above 900000",
    "Which customers have orders?",
    "and their xylomancies?",
    "and their xylo bonus?",
    "show their names instead",
)
"""None says a hidden name or value as it is written: some are a letter away."""


def test_no_follow_up_brings_out_what_is_hidden(sqlite_shop: Shop) -> None:
    with Conversation(sqlite_shop.seen) as talk:
        for question in FOLLOW_UPS:
            talk.ask(question)
        told_all = "".join(map(said, talk.answers)) + talk.markdown()
    assert not leaks(FOLLOW_UPS)
    assert not leaks(told_all), told_all
    assert len({a.sql for a in talk.answers}) > 6


def test_an_answer_is_as_if_what_is_hidden_were_not_there(sqlite_shop: Shop, sample: Sample) -> None:
    """Else what is answered would tell of it, and who may see little would be answered worse."""
    for question in sample.of(ASKED[::4], 0.2):
        assert told(ask(question, sqlite_shop.seen)) == told(ask(question, sqlite_shop.twin)), question


def test_the_questions_bring_it_out_where_nothing_is_hidden(sqlite_shop: Shop) -> None:
    found = (q for q in ASKED if leaks(said(ask(q, sqlite_shop.whole)), q))
    assert len(list(islice(found, 6))) == 6
