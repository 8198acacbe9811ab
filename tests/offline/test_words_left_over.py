"""Words that restrict rows and for which nothing stands are named: there is no answer with other rows."""

from collections.abc import Iterator

import pytest

import fathom
from fathom.databases import Database, connect
from fathom.records import Ending
from tests.data import needed


@pytest.fixture(scope="module")
def chinook() -> Iterator[Database]:
    with connect(needed("samples", "chinook.sqlite")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Which customers have a dog?", "dog"),  # there is a band called Temple of the Dog
        ("How many customers have a boat?", "boat"),
        ("albums with a red cover", "cover"),
        ("Which customers smoke?", "smoke"),
        ("Which customers complained?", "complained"),
        ("customers that churned", "churned"),
        ("employees who drive a car", "car"),
        ("number of customers with a dog by country", "dog"),
        ("artists without any angry album", "angry"),
        ("average unpaid track length", "unpaid"),
        ("which band has the most digital albums?", "digital"),
        ("what's the longest temporary track in every genre?", "temporary"),
        ("albums by AC/DC before 1962", "1962"),
        ("customers living in Paris in March 2016", "March"),
        ("how many tracks do we have by firstname?", "firstname"),
        ("old customers", "old"),
        ("how many new employees are there?", "new"),
        ("which country has the most cheap customers?", "cheap"),
        ("tracks that nobody has never bought", "nobody"),
        ("invoices for headaches", "headaches"),
        ("how many tracks are there about gardening?", "gardening"),
    ],
)
def test_what_rows_are_to_have_is_named_where_nothing_stands_for_it(
    chinook: Database, question: str, missing: str
) -> None:
    given = fathom.ask(question, chinook)
    assert given.ending is not Ending.SURE
    assert given.refusal is not None
    assert missing in given.refusal.missing


@pytest.mark.parametrize(
    "question",
    [
        "Which customers have invoices?",
        "Which albums exist?",
        "Show the customers with their email addresses",
        "artists without any album",
        "average track length",
        "which band has the most albums?",
        "How many different artists are there?",
        "albums by AC/DC",
        "customers living in Paris",
        "how many tracks do we have by genre?",
        "tracks that nobody ever bought",
        "number of customers per country",
    ],
)
def test_what_the_query_stands_for_is_answered(chinook: Database, question: str) -> None:
    assert fathom.ask(question, chinook).ending is Ending.SURE


@pytest.mark.parametrize("question", ["cumulative revenue by month in 2010", "monthly revenue in 2010"])
def test_a_year_is_no_postal_code(chinook: Database, question: str) -> None:
    given = fathom.ask(question, chinook)
    assert given.ending is not Ending.SURE  # the data begin in 2021
    assert not any("PostalCode" in reading.sql for reading in given.readings)


def test_a_year_that_the_data_have_restricts_dates(chinook: Database) -> None:
    given = fathom.ask("cumulative revenue by month in 2022", chinook)
    assert given.result is not None
    assert len(given.result.rows) == 12
    assert given.result.rows[-1][1] == pytest.approx(481.45)
