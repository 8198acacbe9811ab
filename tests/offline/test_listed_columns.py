"""Where a question says apart what it wants to see, and words that are written together or plainly."""

import pytest

from fathom.offline.checks.faults import contradicts_itself
from fathom.offline.combined.groups import Grouped, grouped
from fathom.offline.linking.text import last_word
from fathom.offline.paraphrase.listed_columns import told_columns
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Compound,
    Literal,
    Query,
    TableRef,
    conjunction,
)


@pytest.mark.parametrize(
    ("text", "question", "items", "beside"),
    [
        (
            "Who sold the most in 2020? Return the name and the number of orders.",
            "Who sold the most in 2020?",
            ["the name", "the number of orders"],
            False,
        ),
        (
            "Which shops are open on Sunday? Please show their ids, names and cities",
            "Which shops are open on Sunday?",
            ["their ids", "names", "cities"],
            False,
        ),
        (
            "Which shop is the largest, and what is its area?",
            "Which shop is the largest?",
            ["its area"],
            True,
        ),
        (
            "Which clerk has taken the most orders, and how many orders have they taken?",
            "Which clerk has taken the most orders?",
            ["how many orders have they taken"],
            True,
        ),
    ],
)
def test_what_is_to_be_shown_is_told_apart(text: str, question: str, items: list[str], beside: bool) -> None:
    told = told_columns(text)
    assert told is not None
    assert (told.question, [text[a:b] for a, b in told.items], told.beside) == (question, items, beside)
    assert told.least == len(items) + beside


@pytest.mark.parametrize(
    "text",
    [
        "How many shops are there?",
        "List the names and cities of shops.",
        "Show the area of Mr. Li's shop",
        "",
    ],
)
def test_nothing_is_told_apart(text: str) -> None:
    assert told_columns(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "What is the ratio of a to b for each city?",
            Grouped("What is the ratio of a to b", "for each city"),
        ),
        (
            "How does the ratio of a to b vary across different cities, ordered by descending ratio?",
            Grouped("What is the ratio of a to b", "by cities", descending=True),
        ),
        ("the ratio of a to b per day, in ascending order", Grouped("the ratio of a to b", "per day", False)),
        ("What is the ratio of a to b?", Grouped("What is the ratio of a to b")),
    ],
)
def test_of_each_of_what_is_said_apart(text: str, found: Grouped) -> None:
    assert grouped(text) == found


@pytest.mark.parametrize(("name", "word"), [("emp_name", "name"), ("CustId", "id"), ("", ""), ("__", "")])
def test_the_last_word_of_a_name_may_be_missing(name: str, word: str) -> None:
    assert last_word(name) == word


_SHOP = TableRef("shop")
_NAME = Query((ColumnRef(_SHOP, "name"),), tables=(_SHOP,))
_OPEN = ComparisonPredicate(ColumnRef(_SHOP, "open"), "=", Literal(1))
_BIG = ComparisonPredicate(ColumnRef(_SHOP, "area"), ">", Literal(9))


def test_no_two_sides_are_the_same_rows_and_some_of_them() -> None:
    def both(one: Query, operator: str, two: Query) -> Query:
        return Query(one.select, where=one.where, tables=one.tables, compound=Compound(operator, two))

    few = Query(_NAME.select, where=_OPEN, tables=(_SHOP,))
    other = Query(_NAME.select, where=_BIG, tables=(_SHOP,))
    fewer = Query(_NAME.select, where=conjunction(_OPEN, _BIG), tables=(_SHOP,))
    assert contradicts_itself(both(_NAME, "intersect", few))
    assert contradicts_itself(both(fewer, "union", few))
    assert not contradicts_itself(both(few, "intersect", other))
    assert not contradicts_itself(both(_NAME, "except", few))
