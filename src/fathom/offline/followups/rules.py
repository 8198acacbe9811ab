"""The ways to read a follow-up: named rules, each with an example that is its first test."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fathom.offline.followups import amounts, calculations, columns, conditions, orders, times
from fathom.offline.followups.follow_up_words import Edit, FollowUpReading


@dataclass(frozen=True, slots=True)
class FollowUpRule:
    """A rule: what it reads, and a follow-up after a query on singers and concerts, with the edited query."""

    name: str
    reads: Callable[[FollowUpReading], Iterator[Edit]]
    before: str
    example: str
    after: str


_ALL, _FRENCH = "SELECT name FROM singer", "SELECT name FROM singer WHERE country = 'France'"
_COUNT = "SELECT COUNT(*) FROM singer WHERE country = 'France'"
_BY_COUNTRY = "SELECT country, AVG(age) FROM singer GROUP BY country"
_OLDEST_FIRST = "SELECT name FROM singer ORDER BY age DESC"

RULES: tuple[FollowUpRule, ...] = (
    FollowUpRule(
        "value", conditions.values, _FRENCH, "and from Sweden?",
        "SELECT name FROM singer WHERE country = 'Sweden'",
    ),
    FollowUpRule(
        "period", times.periods, "SELECT title FROM concert WHERE year = 2020", "and in 2019?",
        "SELECT title FROM concert WHERE year = 2019",
    ),
    FollowUpRule(
        "amount", amounts.amounts, _ALL, "only those older than 40",
        "SELECT name FROM singer WHERE age > 40",
    ),
    FollowUpRule("all", conditions.lifted, _FRENCH, "all of them", _ALL),
    FollowUpRule(
        "denied", conditions.denied, _COUNT, "and how many not?",
        "SELECT COUNT(*) FROM singer WHERE country != 'France'",
    ),
    FollowUpRule(
        "shown", columns.shown, _FRENCH, "and their ages?",
        "SELECT name, age FROM singer WHERE country = 'France'",
    ),
    FollowUpRule(
        "removed", columns.removed, "SELECT name, age FROM singer", "remove the age", _ALL,
    ),
    FollowUpRule(
        "grouped", columns.grouped, "SELECT COUNT(*) FROM singer", "by country instead",
        "SELECT country, COUNT(*) FROM singer GROUP BY country",
    ),
    FollowUpRule(
        "rows", columns.replaced_rows, "SELECT COUNT(*) FROM singer", "the same for concerts",
        "SELECT COUNT(*) FROM concert",
    ),
    FollowUpRule(
        "sorted", orders.sorted_by, _ALL, "sort them by age", "SELECT name FROM singer ORDER BY age",
    ),
    FollowUpRule(
        "first", orders.first_by_size, _BY_COUNTRY, "highest first",
        "SELECT country, AVG(age) FROM singer GROUP BY country ORDER BY AVG(age) DESC",
    ),
    FollowUpRule(
        "reversed", orders.reversed_order, _OLDEST_FIRST, "in reverse order",
        "SELECT name FROM singer ORDER BY age",
    ),
    FollowUpRule(
        "cut", orders.cut, _OLDEST_FIRST, "only the top 2",
        "SELECT name FROM singer ORDER BY age DESC LIMIT 2",
    ),
    FollowUpRule(
        "extreme", orders.extreme, _BY_COUNTRY, "which one is the highest?",
        "SELECT country, AVG(age) FROM singer GROUP BY country ORDER BY AVG(age) DESC LIMIT 1",
    ),
    FollowUpRule("counted", calculations.counted, _FRENCH, "how many are there?", _COUNT),
    FollowUpRule("listed", calculations.listed, _COUNT, "who are they?", _FRENCH),
    FollowUpRule(
        "calculated", calculations.calculated, "SELECT AVG(age) FROM singer", "and the maximum?",
        "SELECT MAX(age) FROM singer",
    ),
)  # fmt: skip
"""Every way to read a follow-up. One that none of them reads whole is no edit."""
