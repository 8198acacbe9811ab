"""A question that was solved in the same words is answered by its query, whatever the method."""

import asyncio

import pytest

from fathom.answering import Asking, Conversation, answer, prepare
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.knowledge.lessons import solved
from fathom.records import Answer, Ending, Question, SolvedExample

ODD = "Which place is the jolliest?"
# The method can't write this query, and nothing in the question leads to it.
SQL = "SELECT city FROM (SELECT city, ROW_NUMBER() OVER (ORDER BY amount DESC) AS n FROM sale) WHERE n = 1"


def asked(asking: Asking, text: str, evidence: str = "") -> Answer:
    return asyncio.run(answer(Question(text, evidence=evidence), asking))


def knowing(shop: Database, *examples: SolvedExample, dialect: str = "") -> Asking:
    return prepare(shop, packs=[KnowledgePack(examples=examples, dialect=dialect)])


@pytest.mark.parametrize("text", [ODD, "which  place is the JOLLIEST", f" {ODD}?! "])
def test_an_exact_repeat_is_answered_by_what_was_taught(shop: Database, text: str) -> None:
    taught = prepare(shop, packs=[solved(ODD, SQL).pack])
    given = asked(taught, text)
    assert given.ending is Ending.SURE
    assert given.sql == SQL
    assert given.result
    assert given.result.rows == (("Bern",),)
    assert [a.kind for a in given.assumptions] == ["example"]
    assert [s.name for s in given.trace.steps] == ["recall what was solved"]


def test_other_words_and_other_evidence_are_left_to_the_method(shop: Database) -> None:
    taught = knowing(shop, SolvedExample("How many sales?", "SELECT 0", evidence="sales are none"))
    assert asked(taught, "How many sales?", "sales are none").sql == "SELECT 0"
    for text, evidence in (("How many sales?", ""), ("How many sales are there?", "sales are none")):
        assert asked(taught, text, evidence).sql != "SELECT 0"


def test_what_was_taught_last_counts(shop: Database) -> None:
    taught = prepare(
        shop, packs=[solved(ODD, "SELECT 1").pack, solved("which place is the jolliest", SQL).pack]
    )
    assert asked(taught, ODD).sql == SQL


def test_a_query_that_fails_by_now_or_may_not_run_is_left_to_the_method(shop: Database) -> None:
    for sql in ("SELECT gone FROM sale", "DELETE FROM sale"):
        given = asked(
            knowing(shop, SolvedExample("How many sales are there?", sql)), "How many sales are there?"
        )
        assert given.result
        assert given.result.rows == ((4,),)


def test_a_pack_in_another_dialect_is_left_to_the_method_but_not_what_was_taught(shop: Database) -> None:
    foreign = knowing(shop, SolvedExample(ODD, SQL), dialect="bigquery")
    assert asked(foreign, ODD).ending is not Ending.SURE
    pack = KnowledgePack(dialect="bigquery").merge(solved(ODD, SQL).pack)
    assert asked(prepare(shop, packs=[pack]), ODD).sql == SQL


def test_what_was_solved_is_no_follow_up(shop: Database) -> None:
    taught = prepare(shop, packs=[solved("only those of 2015", SQL).pack])
    talk = Conversation(taught)
    talk.ask("How many sales are there per city?")
    assert talk.ask("only those of 2015").sql == SQL
