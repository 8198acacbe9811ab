"""The way from a draft to an answer, with a method whose queries are written down here."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from fathom.answering import Conversation, as_json, ask, prepare
from fathom.databases import Database
from fathom.methods import Context, Method, step
from fathom.records import Draft, Question, Reading, Refusal

TOTAL = "SELECT SUM(amount) FROM sale WHERE year = 2014"


def written_down(queries: Mapping[str, str], confidence: float = 0.9) -> Method:
    @step("generation")
    async def look_up(draft: Draft, context: Context) -> Draft:
        sql = queries.get(draft.question.text)
        if sql is None:
            return replace(draft, refusal=Refusal("Nothing is known of 'moon'.", ("moon",)), confidence=0.1)
        return replace(draft, sql=sql, confidence=confidence)

    return Method("written down", (look_up,))


@step("generation")
async def two_readings(draft: Draft, context: Context) -> Draft:
    readings = (Reading("the total", TOTAL), Reading("how many", "SELECT COUNT(*) FROM sale"))
    return replace(draft, sql=TOTAL, readings=readings, confidence=0.5)


def test_an_answer_carries_its_evidence(shop: Database) -> None:
    given = ask("Total in 2014?", shop, method=written_down({"Total in 2014?": TOTAL}))
    assert given.text == "The total of amount is 17.5."
    assert given.sql == TOTAL
    assert given.explanation == "Shows the total of amount from sale. Only rows where year is 2014."
    assert given.result is not None
    assert given.result.rows == ((17.5,),)
    assert given.confidence == 0.9
    assert [s.name for s in given.trace.steps] == ["look up"]


def test_what_is_not_known_is_said(shop: Database) -> None:
    given = ask("To the moon?", shop, method=written_down({}))
    assert given.text == "I don't know. Nothing is known of 'moon'."
    assert given.refusal is not None
    assert given.refusal.missing == ("moon",)
    assert given.sql is None


@pytest.mark.parametrize("text", ["", "  ", "?", "…"])
def test_a_question_without_words_is_declined(shop: Database, text: str) -> None:
    given = ask(text, shop)
    assert given.text == "I don't know. There are no words in the question."
    assert as_json(given)["status"] == "declined"


def test_a_query_that_fails_or_writes_is_a_refusal(shop: Database) -> None:
    queries = {"a": "SELECT nothing FROM sale", "b": "DELETE FROM sale"}
    for question in queries:
        given = ask(question, shop, method=written_down(queries))
        assert given.refusal is not None
        assert given.text.startswith("I don't know.")
    assert shop.run("SELECT COUNT(*) FROM sale").rows == ((4,),)


def test_two_readings_are_asked_back_and_one_chosen(shop: Database) -> None:
    method = Method("torn", (two_readings,))
    given = ask("What about 2014?", shop, method=method)
    assert given.text == "Did you mean (1) the total, or (2) how many?"
    assert given.result is None
    chosen = ask("What about 2014?", shop, method=method, reading=given.readings[1])
    assert chosen.result is not None
    assert chosen.result.rows == ((4,),)


def test_asking_works_where_a_loop_runs_already(shop: Database) -> None:
    async def in_a_notebook() -> str:
        return ask("q", shop, method=written_down({"q": TOTAL})).text

    assert asyncio.run(in_a_notebook()) == "The total of amount is 17.5."


def test_every_answer_has_a_json_form(shop: Database) -> None:
    queries = {"q": "SELECT city, year, amount, NULL, x'00ff', 1e999 FROM sale"}
    for question, status in (("q", "answered"), ("other", "declined")):
        form = as_json(ask(question, shop, method=written_down(queries)))
        assert json.loads(json.dumps(form, allow_nan=False))["status"] == status
    form = as_json(ask("q", shop, method=Method("torn", (two_readings,))))
    assert form["status"] == "asks_back"
    assert [r["text"] for r in form["readings"]] == ["the total", "how many"]


def test_a_conversation_edits_or_completes_what_was_asked(shop: Database) -> None:
    queries = {"Total in 2014?": TOTAL, "Total in 2014 for the moon": "SELECT 0 AS total"}
    talk = Conversation(prepare(shop, method=written_down(queries)))

    def said(text: str) -> str:
        return asyncio.run(talk.ask(text)).text

    assert said("Total in 2014?") == "The total of amount is 17.5."
    assert said("and in 2015?") == "The total of amount is 29.25."
    assert talk.answers[-1].assumptions[0].text.endswith("of sale where sale.year is 2015.")
    assert said("Total of the moon?").startswith("I don't know.")
    assert said("Total in 2014?") == "The total of amount is 17.5."
    assert said("and for the moon?") == "Total is 0."
    assert "follow-up: 'Total in 2014 for the moon'" in talk.answers[-1].assumptions[0].text


def test_a_conversation_takes_the_number_of_a_reading(shop: Database) -> None:
    talk = Conversation(prepare(shop, method=Method("torn", (two_readings,))))
    assert asyncio.run(talk.ask("2014?")).readings
    assert asyncio.run(talk.ask("(2)")).text == "The count is 4: rows of sale."


@pytest.mark.parametrize("evidence", ["", "sales are amounts"])
def test_evidence_reaches_the_method(shop: Database, evidence: str) -> None:
    seen: list[Question] = []

    @step("generation")
    async def look(draft: Draft, context: Context) -> Draft:
        seen.append(draft.question)
        return replace(draft, sql=TOTAL)

    ask("q", shop, method=Method("looking", (look,)), evidence=evidence)
    assert seen == [Question("q", evidence=evidence)]
