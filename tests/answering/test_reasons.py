"""Why a question is declined: true reasons, the nearest names, and questions that work instead."""

from collections.abc import Iterator

import pytest
from tests.data import needed

import fathom
from fathom.databases import Database, connect
from fathom.records import Ending


@pytest.fixture(scope="module")
def chinook() -> Iterator[Database]:
    with connect(needed("samples", "chinook.sqlite")) as opened:
        yield opened


@pytest.mark.parametrize("question", ["revenue in 1997", "monthly revenue in 1997"])
def test_a_year_that_the_data_do_not_reach_is_told(chinook: Database, question: str) -> None:
    given = fathom.ask(question, chinook)
    assert given.ending is Ending.UNKNOWN
    assert given.refusal is not None
    assert given.refusal.reason == (
        "There is nothing from 1997: invoice date runs from 2021-01-01 to 2025-12-22."
    )
    assert given.refusal.instead == (question.replace("1997", "2025"),)


def test_an_empty_answer_tells_it_too(chinook: Database) -> None:
    given = fathom.ask("How many invoices were there in 1997?", chinook)
    assert given.ending is Ending.SURE
    assert given.text == (
        "No invoices whose invoice date is in 1997. "
        "There is nothing from 1997: invoice date runs from 2021-01-01 to 2025-12-22."
    )
    assert "nothing from" not in fathom.ask("How many invoices were there in 2023?", chinook).text


def test_misspelt_words_are_told_with_the_nearest_names(chinook: Database) -> None:
    given = fathom.ask("list the allbmus of AC/DC", chinook)
    assert given.refusal is not None
    assert "The closest match for “allbmus” is the table Album." in given.text
    assert given.refusal.instead[0] == "list the albums of AC/DC"


def test_a_value_is_near_that_differs_in_few_of_its_letters(chinook: Database) -> None:
    assert (
        "The closest match for “glorps” is “Paths Of Glory” in Name of Track."
        in fathom.ask("glorps", chinook).text
    )
    assert "closest" not in fathom.ask("Which invoices were paid late?", chinook).text  # as “Mama Said”


@pytest.mark.parametrize("question", ["list the allbmus of AC/DC", "Which customers have a dog?", "weather?"])
def test_what_is_offered_is_answered(chinook: Database, question: str) -> None:
    refusal = fathom.ask(question, chinook).refusal
    assert refusal is not None
    assert refusal.instead
    for offered in refusal.instead:
        again = fathom.ask(offered, chinook)
        assert again.ending is Ending.SURE, offered
        assert again.result is not None
        assert again.result.rows
