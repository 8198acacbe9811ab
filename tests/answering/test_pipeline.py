"""The way from a draft to an answer, with a method whose queries are written down here."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from fathom.answering import Conversation, answer_from_json, as_json, ask, prepare
from fathom.databases import Database
from fathom.errors import InputError, QuestionTooLong
from fathom.methods import Context, Method, step
from fathom.records import Answer, Assumption, Draft, Ending, Question, Reading, Refusal

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
    assert given.text == "Total in 2014: 17.50."
    assert given.sql == TOTAL
    assert given.explanation == "Shows the total of amount from sale. Only rows where year is 2014."
    assert given.result is not None
    assert given.result.rows == ((17.5,),)
    assert given.confidence == 0.9
    assert [s.name for s in given.trace.steps] == ["look_up"]


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
    assert as_json(given)["ending"] == "unknown"


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
    assert given.ending is Ending.UNSURE
    assert given.text == "I'm not sure. Did you mean (1) the total, or (2) how many?"
    assert given.result is None
    chosen = ask("What about 2014?", shop, method=method, reading=given.readings[1])
    assert chosen.result is not None
    assert chosen.result.rows == ((4,),)


def test_a_reading_holds_all_that_its_answer_needs(shop: Database) -> None:
    method = Method("torn", (two_readings,))
    given = ask("What about 2014?", shop, method=method)
    first, second = (given.choose(n) for n in (1, 2))
    assert (first.ending, first.text) == (Ending.SURE, "Total amount: 17.50.")
    assert first.result is not None
    assert first.result.rows == ((17.5,),)
    assert first.assumptions == (Assumption("choice", "Read as chosen: the total."),)
    ran = ask("What about 2014?", shop, method=method, reading=given.readings[1])
    assert (second.sql, second.text, second.explanation) == (ran.sql, ran.text, ran.explanation)
    for number in (0, 3):
        with pytest.raises(InputError, match=f"no reading {number}. There are 2."):
            given.choose(number)
    with pytest.raises(InputError, match="none to choose among"):
        first.choose(1)


def test_a_reading_that_can_not_be_run_is_left_out(shop: Database) -> None:
    @step("generation")
    async def torn(draft: Draft, context: Context) -> Draft:
        readings = (Reading("nothing", "SELECT nothing FROM sale"), Reading("the total", TOTAL))
        return replace(draft, readings=readings[: len(draft.question.text)])

    given = ask("qq", shop, method=Method("torn", (torn,)))
    assert [r.text for r in given.readings] == ["the total"]
    assert given.text == "I'm not sure. Did you mean this: the total?"
    assert ask("q", shop, method=Method("torn", (torn,))).ending is Ending.UNKNOWN


@pytest.mark.parametrize("question", ["Total in 2014?", "To the moon?"])
def test_an_answer_is_read_back_from_its_json(shop: Database, question: str) -> None:
    _reads_back(
        ask(question, shop, method=written_down({"Total in 2014?": TOTAL}), evidence="2014 is a year")
    )


def test_readings_are_read_back_from_their_json(shop: Database) -> None:
    given = ask("What about 2014?", shop, method=Method("torn", (two_readings,)))
    _reads_back(given)
    again = answer_from_json(as_json(given))
    assert again.choose(2).text == given.choose(2).text


def _reads_back(given: Answer) -> None:
    form = json.loads(json.dumps(as_json(given)))
    assert "trace" not in form
    again = answer_from_json(form)
    assert json.loads(json.dumps(as_json(again))) == form
    assert (again.question, again.ending) == (given.question, given.ending)


@pytest.mark.parametrize("damage", [{"version": 0}, {"readings": 3}, {"question": None}, {"result": {}}])
def test_what_is_no_answer_is_not_read(shop: Database, damage: dict[str, object]) -> None:
    form = as_json(ask("q", shop, method=written_down({"q": TOTAL})))
    with pytest.raises(InputError, match="is no answer"):
        answer_from_json({**form, **damage})


def test_asking_works_where_a_loop_runs_already(shop: Database) -> None:
    async def in_a_notebook() -> str:
        return ask("q", shop, method=written_down({"q": TOTAL})).text

    assert asyncio.run(in_a_notebook()) == "Q: 17.50."


def test_every_answer_has_a_json_form(shop: Database) -> None:
    queries = {"q": "SELECT city, year, amount, NULL, x'00ff', 1e999 FROM sale"}
    for question, ending in (("q", "sure"), ("other", "unknown")):
        form = as_json(ask(question, shop, method=written_down(queries)))
        assert json.loads(json.dumps(form, allow_nan=False))["ending"] == ending
    form = as_json(ask("q", shop, method=Method("torn", (two_readings,))))
    assert form["ending"] == "unsure"
    assert [r["text"] for r in form["readings"]] == ["the total", "how many"]


def test_a_conversation_edits_or_completes_what_was_asked(shop: Database) -> None:
    queries = {"Total in 2014?": TOTAL, "Total in 2014 for the moon": "SELECT 0 AS total"}
    talk = Conversation(prepare(shop, method=written_down(queries)))

    def said(text: str) -> str:
        return talk.ask(text).text

    assert said("Total in 2014?") == "Total in 2014: 17.50."
    assert said("and in 2015?") == "Total amount: 29.25."
    assert talk.answers[-1].assumptions[0].text.endswith("of sale where sale.year is 2015.")
    assert said("Total of the moon?").startswith("I don't know.")
    assert said("Total in 2014?") == "Total in 2014: 17.50."
    assert said("and for the moon?") == "Total in 2014 for the moon: 0."
    assert "follow-up: “Total in 2014 for the moon”" in talk.answers[-1].assumptions[0].text


def test_a_conversation_takes_the_number_of_a_reading(shop: Database) -> None:
    talk = Conversation(prepare(shop, method=Method("torn", (two_readings,))))
    assert talk.ask("2014?").readings
    assert talk.ask("(2)").text == "4 sales."


@pytest.mark.parametrize("evidence", ["", "sales are amounts"])
def test_evidence_reaches_the_method(shop: Database, evidence: str) -> None:
    seen: list[Question] = []

    @step("generation")
    async def look(draft: Draft, context: Context) -> Draft:
        seen.append(draft.question)
        return replace(draft, sql=TOTAL)

    ask("q", shop, method=Method("looking", (look,)), evidence=evidence)
    assert seen == [Question("q", evidence=evidence)]


def test_an_endless_follow_up_is_refused(shop: Database) -> None:
    talk = Conversation(prepare(shop, method=written_down({"Total in 2014?": TOTAL})))
    talk.ask("Total in 2014?")
    with pytest.raises(QuestionTooLong) as refused:
        talk.ask("and in 2015?" * 1_000)
    assert (refused.value.length, refused.value.limit) == (12_000, 4_000)
    assert len(talk.answers) == 1
