"""Words of a question that a query leaves over, with all that is known of both.

They restrict rows, or ask for a period, for money or for what was sold where it gives nothing of the kind.
"""

from fathom.offline.checks.checked_query import CheckedQuery
from fathom.offline.checks.counted_things import counts_again
from fathom.offline.checks.passed_over import aims_passed_over, passed_over
from fathom.offline.grammars.amounts import adds_money, asked_money
from fathom.offline.grammars.asked_numbers import asked_units
from fathom.offline.grammars.periods import asked_period
from fathom.offline.grammars.sold import holds_lines, trade_verbs
from fathom.offline.queries.query import ColumnRef, all_queries, mentioned_tables
from fathom.offline.roles.keys import SIDES, role_pairs


def period_left(checked: CheckedQuery) -> tuple[int, ...]:
    """The place of the period that a question groups by and that a query has no place for."""
    query, period = checked.query, asked_period(checked.linking)
    if period is None or any(not isinstance(e, ColumnRef) for e in query.group):
        return ()
    named = period.named & {t.name for q in all_queries(query) for t in mentioned_tables(q)}
    return () if named else (period.places[0],)


def money_left(checked: CheckedQuery) -> tuple[int, ...]:
    """The place of the word for money that a question asks for and that a query doesn't add up."""
    place = asked_money(checked.linking)
    return () if place is None or adds_money(checked.query, checked.amounts) else (place,)


def sales_left(checked: CheckedQuery) -> tuple[int, ...]:
    """The places of words that say that something was sold where a query looks at nothing that was.

    Where the question asks for units, their lines have to be looked at, and it has to be clear that it does.
    """
    query, linking, amounts = checked.query, checked.linking, checked.amounts
    verbs = trade_verbs(linking, amounts.lines, checked.names)
    units = asked_units(linking, checked.names, amounts) if verbs else ()
    clear = all(m.sources for m in units) and not counts_again(query, linking, checked.planner)
    held = clear and holds_lines(query, checked.planner, amounts.lines, orders=not units)
    return () if held else tuple(verbs)


def restrictions_left(checked: CheckedQuery) -> tuple[int, ...]:
    """The places of modifiers, groups, numbers and dates, and of what rows have to do with.

    A grammar that settled a question has accounted for its words, though not for what it is about.
    """
    over = aims_passed_over if checked.settled else passed_over
    return over(checked.query, checked.linking, _accounted_elsewhere(checked))


def _accounted_elsewhere(checked: CheckedQuery) -> frozenset[int]:
    """The places of words that the form of a query or what the question was told stands for, and of those
    for periods and for roles, "destination city", that have checks of their own.
    """
    linking, period = checked.linking, asked_period(checked.linking)
    sides = SIDES if role_pairs(checked.planner) else {}
    roles = (i for i, token in enumerate(linking.tokens) if token.lower in sides)
    return checked.said_by_form.union(checked.told, period.places if period else (), roles)
