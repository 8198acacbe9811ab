import pytest

from fathom.offline.linking.dates import find_dates
from fathom.offline.linking.text import tokenize


@pytest.mark.parametrize(
    ("text", "first", "last", "comparison"),
    [
        ("before January 5th, 2009", "2009-01-05", "2009-01-05", "<"),
        ("on 5 Jan 2009", "2009-01-05", "2009-01-05", "="),
        ("on 2009-01-05", "2009-01-05", "2009-01-05", "="),
        ("since March 2012", "2012-03-01", "2012-03-31", ">="),
        ("in Feb 2012", "2012-02-01", "2012-02-29", "="),
        ("5/06/2010 or later", "2010-05-06", "2010-05-06", ">="),
    ],
)
def test_absolute_dates(text: str, first: str, last: str, comparison: str) -> None:
    (found,) = find_dates(text, tokenize(text))
    assert (found.first, found.last, found.comparison) == (first, last, comparison)


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("in the last 3 months", (3, "month")),
        ("last year", (1, "year")),
        ("two weeks ago", (2, "week")),
        ("today", (0, "day")),
        ("this quarter", (0, "quarter")),
    ],
)
def test_dates_relative_to_today(text: str, relative: tuple[int, str]) -> None:
    (found,) = find_dates(text, tokenize(text))
    assert found.relative == relative
    assert found.first is None


@pytest.mark.parametrize("text", ["on 2009-13-45", "in 1980", "31/31/2000", ""])
def test_no_such_day(text: str) -> None:
    assert not find_dates(text, tokenize(text))
