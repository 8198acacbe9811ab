"""What an evidence says of how to write any query, and what it says of the question."""

from pathlib import Path

import pytest

import fathom
from fathom.offline.hints import tells_how, without_instructions
from fathom.records import Question
from tests.offline.making import made

SHOPS = """
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, shop_name TEXT, city TEXT, rating REAL);
INSERT INTO shop VALUES (1, 'Blue', 'Rome', 4), (2, 'Red', 'Oslo', 2), (3, 'Old', 'Rome', 3);
"""


@pytest.mark.parametrize(
    ("evidence", "left"),
    [
        ("", ""),
        ("Always filter names using exact string matching", ""),
        ("Match strings case-insensitively", ""),
        (
            "Filter strings using LIKE.\nUse the visits table for all visits.",
            "Use the visits table for all visits.",
        ),
        (
            "Use LIKE with wildcards to match names; a member is late if due < returned",
            "a member is late if due < returned",
        ),
        ("When asked for specific students, do not return duplicates.", ""),
        ("matches refers to match_id", "matches refers to match_id"),
        ("filter = lens.filter_size", "filter = lens.filter_size"),
        ("name refers to full_name; use of LIKE is fine", "name refers to full_name; use of LIKE is fine"),
    ],
)
def test_instructions_are_no_evidence(evidence: str, left: str) -> None:
    asked = Question("How many matches did Ann Li win?", evidence=evidence)
    assert without_instructions(asked).evidence == left


@pytest.mark.parametrize(
    ("words", "tells"),
    [
        ("Assume the rating of a shop to be its average", True),
        ("you must compute the average of each shop first", True),
        ("ratings are from 1 to 5", False),
        ("", False),
    ],
)
def test_words_may_tell_how_to_answer(words: str, tells: bool) -> None:
    assert tells_how(words) == tells


def test_instructions_that_cannot_be_followed_make_doubtful(tmp_path: Path) -> None:
    with made(SHOPS, tmp_path) as shops:
        asked = "What is the average rating of the shops in Rome?"
        assert fathom.ask(asked, shops).refusal is None
        assert fathom.ask(asked, shops, evidence="Always match cities exactly").refusal is None
        told = "Assume the rating of a shop to be its average rating"
        assert fathom.ask(asked, shops, evidence=told).refusal is not None
