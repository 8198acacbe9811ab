"""Modifiers, groups, numbers, dates and denials that a query passes over are named, not answered."""

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


PASSED_OVER = [
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
]


@pytest.mark.parametrize(("question", "missing"), PASSED_OVER)
def test_what_restricts_rows_is_named_where_nothing_stands_for_it(
    chinook: Database, question: str, missing: str
) -> None:
    given = fathom.ask(question, chinook)
    assert given.ending is not Ending.SURE
    assert given.refusal is not None
    assert missing in given.refusal.missing


@pytest.mark.parametrize(
    "question",
    [
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
def test_the_same_without_it_is_answered(chinook: Database, question: str) -> None:
    assert fathom.ask(question, chinook).ending is Ending.SURE
