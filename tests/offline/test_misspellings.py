"""Misspelt words are taken for what they were meant to be where one word fits, and the answer tells so."""

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
    ("question", "right", "told"),
    [
        ("how many trakcs are in the genre Regae", "how many tracks are in the genre Reggae", "tracks"),
        ("custmers in Germny", "customers in Germany", "Germany"),
        ("abums by Led Zepelin", "albums by Led Zeppelin", "albums"),
        ("hich artist has the most albums?", "Which artist has the most albums?", "Which"),
        ("avedage track length", "average track length", "average"),
        ("what's the longets track", "what's the longest track", "longest"),
    ],
)
def test_one_slip_is_mended_and_told(chinook: Database, question: str, right: str, told: str) -> None:
    meant, given = fathom.ask(right, chinook), fathom.ask(question, chinook)
    assert given.ending is Ending.SURE
    assert given.sql == meant.sql
    assert any(f"“{told}”" in a.text for a in given.assumptions)
    assert not any("is taken for" in a.text for a in meant.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "how many tacks are there?",  # a word of its own
        "how many tracks are by Qxeen?",  # a name is no other word
        "how many xyzzies are there?",
    ],
)
def test_what_may_be_meant_as_it_stands_is_not_mended(chinook: Database, question: str) -> None:
    given = fathom.ask(question, chinook)
    assert not any("is taken for" in a.text for a in given.assumptions if "Qxeen" not in a.text)
