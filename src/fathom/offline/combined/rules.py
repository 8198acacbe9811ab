"""The rules by which a question is put together from plain ones: named, likeliest first."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from fathom.offline.combined.changes import changes
from fathom.offline.combined.first_to_last import spans
from fathom.offline.combined.medians import medians
from fathom.offline.combined.numbers_of_groups import counted
from fathom.offline.combined.records import Composition
from fathom.offline.combined.shares import parts_beside, shares
from fathom.offline.combined.top_of_each import leaders, nth
from fathom.offline.combined.two_columns import gaps
from fathom.offline.combined.two_numbers import contrasts
from fathom.offline.combined.two_statements import both, counts
from fathom.offline.question_facts import QuestionReading
from fathom.offline.rule import OfflineRule

CombiningReading = QuestionReading[Composition]
CombiningRule = OfflineRule[Callable[[CombiningReading], Iterator[Composition]]]

COMBINING: tuple[CombiningRule, ...] = (
    CombiningRule(
        "changes",
        lambda r: changes(r.text),
        "month over month change in the number of orders",
        "shop",
    ),
    CombiningRule(
        "first_to_last",
        lambda r: spans(r.text),
        "How many days lie between the first and the last order of each customer?",
        "shop",
    ),
    CombiningRule("medians", lambda r: medians(r.text, r.linking), "median price of products", "shop"),
    CombiningRule(
        "two_columns",
        lambda r: gaps(r.text, r.linking, r.names),
        "average difference between round trip cost and one way cost",
        "airline",
    ),
    CombiningRule(
        "two_numbers",
        lambda r: contrasts(r.text, r.linking),
        "How many more customers are from Brazil than from France?",
        "shop",
    ),
    CombiningRule(
        "parts_beside",
        lambda r: parts_beside(r.text, r.planner),
        "How many orders are there and how many of them were returned?",
        "shop",
    ),
    CombiningRule(
        "shares",
        lambda r: shares(r.text, r.planner),
        "What percentage of customers have ordered?",
        "shop",
    ),
    CombiningRule(
        "both", lambda r: both(r.text, r.names), "customers who ordered both in 2021 and in 2022", "shop"
    ),
    CombiningRule(
        "top_of_each",
        lambda r: leaders(r.text, r.linking),
        "the top 2 products by price in each category",
        "shop",
    ),
    CombiningRule("nth", lambda r: nth(r.text), "the second longest track", "chinook"),
    CombiningRule(
        "numbers_of_groups",
        lambda r: counted(r.text),
        "How many albums have more than 20 tracks?",
        "chinook",
    ),
    CombiningRule(
        "two_counts",
        lambda r: counts(r.text),
        "How many customers and how many products are there?",
        "shop",
    ),
)


def compositions(reading: CombiningReading) -> Iterator[Composition]:
    """The ways to ask a question in parts, each with the name of its rule."""
    for rule in COMBINING:
        yield from (replace(c, rule=rule.name) for c in reading.found(rule.name))
