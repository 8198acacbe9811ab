import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.answering.followup import MOST_COMPLETIONS, completions

SINGERS = "List the singers from France"
SALES = "How many sales were there in 2014?"
CASES = [
    ("How many are there?", SINGERS, "How many singers from France?"),
    ("how many", "Which genes are near APOE?", "How many genes are near APOE?"),
    ("and how many of those", SINGERS, "How many singers from France?"),
    ("Count them", SINGERS, "How many singers from France?"),
    ("And in 2015?", SALES, "How many sales were there in 2015"),
    ("what about 2015", SALES, "How many sales were there in 2015"),
    ("How about Germany?", SINGERS, "List the singers from Germany"),
    ("What about from Germany?", SINGERS, "List the singers from Germany"),
    ("Only those older than 30", SINGERS, "List the singers from France older than 30"),
    ("Which of them are older than 30?", SINGERS, "List the singers from France older than 30"),
    ("sorted by age", SINGERS, "List the singers from France sorted by age"),
    ("now sort them by age", SINGERS, "List the singers from France sort by age"),
    ("and for 'New York'?", "Total budget for 'Old Town' in 2020", "Total budget for 'New York' in 2020"),
]


@pytest.mark.parametrize(("follow_up", "previous", "whole"), CASES)
def test_completes_a_follow_up(follow_up: str, previous: str, whole: str) -> None:
    assert whole in completions(follow_up, previous)[:2]


@pytest.mark.parametrize(
    "text",
    [
        "How many albums were sold in 2014?",
        "Which gene is nearest to rs429358?",
        "List all drugs",
        "",
        "   ?",
    ],
)
def test_a_whole_question_is_left_alone(text: str) -> None:
    assert completions(text, SINGERS) == ()


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_taken(follow_up: str, previous: str) -> None:
    assert len(completions(follow_up, previous)) <= MOST_COMPLETIONS
