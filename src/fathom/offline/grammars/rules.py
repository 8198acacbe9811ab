"""The grammars: named rules that propose queries, each with an example.

They propose what training data hardly hold: shares, numbers of many rows, roles, times, lists under values.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fathom.offline.grammars.ages import ages
from fathom.offline.grammars.averages import averages
from fathom.offline.grammars.durations import asked_durations
from fathom.offline.grammars.events import events
from fathom.offline.grammars.facts import facts
from fathom.offline.grammars.firsts import firsts
from fathom.offline.grammars.hierarchies import hierarchies
from fathom.offline.grammars.most_used import most_used
from fathom.offline.grammars.numbers_below import led_by_each
from fathom.offline.grammars.periods import periods
from fathom.offline.grammars.plain_rows import plain_rows
from fathom.offline.grammars.question_facts import GrammarReading
from fathom.offline.grammars.ratios import ratios
from fathom.offline.grammars.sorted_rows import sorted_rows
from fathom.offline.grammars.summaries import Summaries
from fathom.offline.hints import complete
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.roles import role_counts, role_holders, role_players
from fathom.offline.rule import OfflineRule

MOST_RATIOS = 12
MOST_PERIODS = MOST_SUMS = 5

GrammarRule = OfflineRule[Callable[[GrammarReading], Iterator[Proposal]]]


@dataclass(frozen=True, slots=True)
class GrammarGroup:
    """Grammars that are asked together where they are `wanted`; all they propose, or `most` of it.

    Where it is `completed`, they are given what the question's evidence says.
    """

    rules: tuple[GrammarRule, ...]
    wanted: Callable[[GrammarReading], bool]
    most: int = 0
    completed: bool = False


def _summaries(r: GrammarReading) -> Iterator[Proposal]:
    made = Summaries(r.linking, r.planner, r.names, r.amounts, r.profiles)
    yield from made.proposals(r.best_score)


def _periods(r: GrammarReading) -> Iterator[Proposal]:
    """Totals and likely queries, each grouped by the period that is asked for."""
    totals = () if r.is_told_how else (p for p in r.found("summaries") if p.source == "total")
    yield from periods(r.linking, (*totals, *r.likely), r.planner, r.profiles, r.accounts)


def _without_formula(reading: GrammarReading) -> bool:
    return not reading.is_told_how


def _without_examples(reading: GrammarReading) -> bool:
    return not (reading.is_told_how or reading.has_examples)


GROUPS: tuple[GrammarGroup, ...] = (
    GrammarGroup(
        (
            GrammarRule(
                "ratios",
                lambda r: ratios(r.linking, r.likely, r.planner, r.accounts),
                "proportion of female customers in each country",
                "shop",
            ),
            GrammarRule(
                "averages",
                lambda r: averages(r.linking, r.planner, r.names, r.amounts, r.accounts),
                "average number of orders per customer",
                "shop",
            ),
        ),
        _without_formula,
        MOST_RATIOS,
        completed=True,
    ),
    GrammarGroup(
        (GrammarRule("summaries", _summaries, "total revenue by country", "shop"),),
        _without_formula,
        MOST_SUMS,
        completed=True,
    ),
    GrammarGroup(
        (
            GrammarRule(
                "hierarchies",
                lambda r: hierarchies(r.linking, r.planner, r.names, r.accounts),
                "Who reports to Andrew Adams?",
                "chinook",
            ),
            GrammarRule(
                "numbers_below",
                lambda r: led_by_each(r.linking, r.planner, r.names, r.accounts),
                "How many employees does each manager have?",
                "chinook",
            ),
            GrammarRule(
                "role_players",
                lambda r: role_players(r.linking, r.planner, r.names, r.accounts),
                "Which papers cite Paper 3?",
                "library_of_papers",
            ),
            GrammarRule(
                "role_counts",
                lambda r: role_counts(r.linking, r.planner, r.names, r.accounts),
                "Which airport has the most arriving flights?",
                "airline",
            ),
            GrammarRule(
                "role_holders",
                lambda r: role_holders(r.linking, r.planner, r.names, r.accounts),
                "Who is the support rep of Frank Harris?",
                "chinook",
            ),
            GrammarRule(
                "most_used",
                lambda r: most_used(r.linking, r.planner, r.names, r.accounts),
                "What is the most used media type?",
                "chinook",
            ),
            GrammarRule(
                "durations",
                lambda r: asked_durations(r.linking, r.planner, r.names, r.dates, r.accounts),
                "How long does it take to ship an order on average?",
                "northwind",
            ),
            GrammarRule(
                "firsts",
                lambda r: firsts(r.linking, r.planner, r.names, r.dates, r.accounts),
                "When was the first order?",
                "shop",
            ),
            GrammarRule(
                "events",
                events,
                "Which order was placed last?",
                "shop",
            ),
            GrammarRule(
                "ages",
                lambda r: ages(r.linking, r.planner, r.names, r.dates, r.accounts),
                "Who is the oldest employee?",
                "northwind",
            ),
            GrammarRule(
                "sorted_rows",
                lambda r: sorted_rows(r.linking, r.planner, r.names, r.dates, r.accounts),
                "products and their prices, dearest first",
                "shop",
            ),
        ),
        _without_formula,
    ),
    GrammarGroup(
        (
            GrammarRule(
                "facts",
                lambda r: facts(r.linking, r.names, r.profiles, r.accounts),
                "email of Frank Harris",
                "chinook",
            ),
            GrammarRule(
                "plain_rows",
                lambda r: plain_rows(r.linking, r.planner, r.names, r.accounts, r.amounts.lines),
                "Which albums does Iron Maiden have?",
                "chinook",
            ),
        ),
        _without_examples,
    ),
    GrammarGroup(
        (GrammarRule("periods", _periods, "number of orders over 100 per month", "shop"),),
        lambda _: True,
        MOST_PERIODS,
    ),
)
GRAMMAR_RULES: tuple[GrammarRule, ...] = tuple(rule for group in GROUPS for rule in group.rules)


def proposed(reading: GrammarReading) -> Iterator[Proposal]:
    """The queries that grammars propose, each with the name of its rule."""
    for group in GROUPS:
        if not group.wanted(reading):
            continue
        made = [replace(p, rule=rule.name) for rule in group.rules for p in reading.found(rule.name)]
        if group.most:
            made = sorted(made, key=lambda p: -p.score)[: group.most]
        if group.completed:
            made = complete(made, reading.hints, reading.linking, reading.planner, group.most)
        yield from made
