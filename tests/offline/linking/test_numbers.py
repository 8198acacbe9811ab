import pytest

from fathom.offline.linking.numbers import find_numbers
from fathom.offline.linking.text import tokenize


@pytest.mark.parametrize(
    ("text", "value", "comparison"),
    [
        ("older than 56", 56, ">"),
        ("at least two hundred and five dogs", 205, ">="),
        ("no more than 7 days", 7, "<="),
        ("20 or more rooms", 20, ">="),
        ("younger than twenty-one", 21, "<"),
        ("more than the age of 30", 30, ">"),
        ("cheaper than $1,200.50", 1200.5, "<"),
        ("1.5 million people", 1_500_000, "="),
        ("other than 5", 5, "!="),
        ("in 1999", 1999, "="),
    ],
)
def test_values_and_comparisons(text: str, value: float, comparison: str) -> None:
    (number,) = find_numbers(tokenize(text))
    assert (number.value, number.comparison) == (value, comparison)


@pytest.mark.parametrize("text", ["between 3 and 9 rooms", "from 3 to 9 rooms"])
def test_ranges_are_joined(text: str) -> None:
    first, _ = find_numbers(tokenize(text))
    assert (first.value, first.upper, first.comparison) == (3, 9, "between")


@pytest.mark.parametrize(
    ("text", "counts_rows"),
    [
        ("the top 3 cities", True),
        ("the 3 largest cities", True),
        ("which 3 cities have the most rivers", True),
        ("cities with 3 rivers", False),
        ("which cities with 3 rivers are there", False),
    ],
)
def test_numbers_that_count_rows(text: str, counts_rows: bool) -> None:
    (number,) = find_numbers(tokenize(text))
    assert (number.limit > 0.5) == counts_rows


def test_marks() -> None:
    (ordinal,) = find_numbers(tokenize("the third one was")[:2])
    (percent,) = find_numbers(tokenize("20 percent"))
    (year,) = find_numbers(tokenize("born in 1980"))
    assert ordinal.ordinal
    assert percent.percent
    assert year.year
