"""How follow-ups stand to the answer before, and what each rule reads of them."""

from collections.abc import Iterator

import pytest
from tests.offline.asked_databases import asked_database

from fathom.answering import Conversation, prepare
from fathom.databases import Database
from fathom.offline.engine import OfflineEngine
from fathom.offline.followups import FollowedUp, follow, standing
from fathom.offline.followups.rules import RULES, FollowUpRule

FRENCH = "SELECT name FROM singer WHERE country = 'France'"


@pytest.fixture(scope="module")
def singers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("follow_ups", "singers", tmp_path_factory.mktemp("singers")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(singers: Database) -> OfflineEngine:
    return OfflineEngine(singers)


@pytest.mark.parametrize("text", ["", "?", "...", "and?"])
def test_a_text_without_words_edits_nothing(text: str, engine: OfflineEngine) -> None:
    assert follow(text, FRENCH, engine) == FollowedUp()


def test_a_query_that_can_not_be_read_is_left_alone(engine: OfflineEngine) -> None:
    followed = follow("and from Sweden?", "SELECT name FROM nowhere", engine)
    assert followed == FollowedUp(editable=False)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_each_rule_reads_its_example(rule: FollowUpRule, engine: OfflineEngine) -> None:
    assert follow(rule.example, rule.before, engine).sql == rule.after
    others = tuple(r for r in RULES if r is not rule)
    assert follow(rule.example, rule.before, engine, others).sql != rule.after, (
        "another rule reads it as well"
    )


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("and in 2015?", "follows"),
        ("what about Germany?", "follows"),
        ("who is the oldest of them?", "follows"),
        ("how many are there?", "follows"),
        ("by country instead", "rather follows"),
        ("which one has the most?", "follows"),
        ("which has the most?", "rather follows"),
        ("show the prices too", "rather follows"),
        ("Which singers are from France?", "may follow"),
        ("How many artists are there in the database?", "may follow"),
        ("List all customers with their emails", "may follow"),
        ("", "whole"),
        ("and " * 13, "whole"),
    ],
)
def test_how_a_text_stands_to_the_answer_before(text: str, stands: str) -> None:
    assert standing(text) == stands


def test_a_conversation_tells_what_it_took_a_follow_up_for(singers: Database) -> None:
    talk = Conversation(prepare(singers))
    first = talk.ask("List the names of all singers from France.")
    assert first.refusal is None
    then = talk.ask("and from Sweden?")
    assert then.result is not None
    assert then.result.rows == (("Bo Ek",),)
    assert then.assumptions[0].text.startswith("I took this as: ")
    assert "Sweden" in then.assumptions[0].text
    counted = talk.ask("how many are there?")
    assert counted.result is not None
    assert counted.result.rows == ((1,),)
