"""The rules that complete a query: named, in their order, each with a query that it changes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from fathom.offline.finishing.calendar_order import in_calendar_order
from fathom.offline.finishing.counted_once import counted_once
from fathom.offline.finishing.extremes import with_known_extremes
from fathom.offline.finishing.finished_query import FinishedQuery, FinishReading
from fathom.offline.finishing.held_numbers import with_held_numbers
from fathom.offline.finishing.one_group import as_one_number
from fathom.offline.finishing.repeats import kept_apart, without_repeats
from fathom.offline.finishing.said_order import in_said_order
from fathom.offline.finishing.said_outright import as_said
from fathom.offline.finishing.shown_keys import shown_by_names
from fathom.offline.queries.query import Query
from fathom.offline.queries.rows import grouped_by_names, grouped_by_whole_names
from fathom.offline.roles import with_said_roles
from fathom.offline.rule import OfflineRule, RuleSwitches

Finish = Callable[[FinishedQuery, FinishReading], FinishedQuery]


@dataclass(frozen=True)
class FinishRule(OfflineRule[Finish]):
    """A rule that completes a query, and a query `before` it that it changes for the example.

    `of_solved` says that it holds for the queries of solved questions too; `evidence` goes with the example.
    """

    before: str
    of_solved: bool = False
    evidence: str = ""


def _of_query(change: Callable[[Query, FinishReading], Query]) -> Finish:
    """A rule that changes nothing but the query."""
    return lambda finished, reading: replace(finished, query=change(finished.query, reading))


def _extremes(finished: FinishedQuery, reading: FinishReading) -> FinishedQuery:
    query, told = with_known_extremes(finished.query, reading.profiles)
    return replace(finished, query=query, told=(*finished.told, *told))


def _said_order(query: Query, r: FinishReading) -> Query:
    # Without evidence rows are named first, whatever names their columns.
    return in_said_order(query, r.meant, r.hints) if r.meant.told else query


def _said_roles(finished: FinishedQuery, reading: FinishReading) -> FinishedQuery:
    query, said = with_said_roles(finished.query, reading.meant, reading.planner)
    return replace(finished, query=query, says_roles=said)


FINISHING: tuple[FinishRule, ...] = (
    FinishRule(
        "extremes", _extremes, "Which order was shipped first?", "northwind",
        'SELECT Id FROM "Order" ORDER BY ShippedDate LIMIT 1',
        of_solved=True,
    ),
    FinishRule(
        "kept_apart", _of_query(lambda q, r: kept_apart(q, r.planner, r.names, r.profiles)),
        "customers with returned orders but without completed ones", "shop",
        "SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id "
        "WHERE T2.status = 'returned' EXCEPT SELECT T1.name FROM customers AS T1 JOIN orders AS T2 "
        "ON T1.customer_id = T2.customer_id WHERE T2.status = 'completed'",
    ),
    FinishRule(
        "repeats", _of_query(lambda q, r: without_repeats(q, r.planner, r.names, r.profiles)),
        "Which customers have returned orders?", "shop",
        "SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id "
        "WHERE T2.status = 'returned'",
    ),
    FinishRule(
        "said_outright",
        _of_query(lambda q, r: as_said(q, r.asked, [c for h in r.hints for c in h.columns])),
        "products in descending alphabetical order", "shop",
        "SELECT product_name FROM products ORDER BY product_name",
    ),
    FinishRule(
        "one_group", _of_query(lambda q, r: as_one_number(q, r.asked)),
        "How many customers are from Brazil?", "shop",
        "SELECT COUNT(*) FROM customers WHERE country = 'Brazil' GROUP BY country",
    ),
    FinishRule(
        "counted_once", _of_query(lambda q, r: counted_once(q, r.asked, r.planner)),
        "How many customers have returned an order?", "shop",
        "SELECT COUNT(*) FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id "
        "WHERE T2.status = 'returned'",
    ),
    FinishRule(
        "held_numbers", _of_query(lambda q, r: with_held_numbers(q, r.asked, r.names)),
        "How many checkins are there?", "reviews",
        "SELECT COUNT(*) FROM checkin",
    ),
    FinishRule(
        "whole_names", _of_query(lambda q, r: grouped_by_whole_names(q, r.names)),
        "number of visits of each patient", "clinic",
        "SELECT T1.first_name, T1.last_name, COUNT(*) FROM patients AS T1 JOIN visits AS T2 "
        "ON T1.patient_id = T2.patient_id GROUP BY T1.last_name",
    ),
    FinishRule(
        "group_names", _of_query(lambda q, r: grouped_by_names(q, r.meant, r.names)),
        "How many customers does each support rep have?", "chinook",
        "SELECT SupportRepId, COUNT(*) FROM Customer GROUP BY SupportRepId",
        of_solved=True,
    ),
    FinishRule(
        "shown_keys", _of_query(lambda q, r: shown_by_names(q, r.meant, r.names, r.planner)),
        "Who is the support rep of Frank Harris?", "chinook",
        "SELECT SupportRepId FROM Customer WHERE FirstName = 'Frank' AND LastName = 'Harris'",
    ),
    FinishRule(
        "calendar_order", _of_query(lambda q, r: in_calendar_order(q, r.profiles)),
        "number of checkins by day, in order of the days", "reviews",
        "SELECT day, SUM(cnt) FROM checkin GROUP BY day ORDER BY day",
    ),
    FinishRule(
        "said_order", _of_query(_said_order), "Show the price and the category of products", "shop",
        "SELECT category, price FROM products",
        evidence="price refers to price; category refers to category",
    ),
    FinishRule(
        "said_roles", _said_roles, "How many flights arrive at each airport?", "airline",
        "SELECT T2.airport_name, COUNT(*) FROM flight AS T1 JOIN airport AS T2 "
        "ON T1.from_airport = T2.airport_code GROUP BY T2.airport_code",
        of_solved=True,
    ),
    FinishRule(
        "said_units", _of_query(lambda q, r: r.measures.shown_by(q)),
        "What is the average duration of clips in minutes?", "media",
        "SELECT AVG(duration_ms) FROM clips",
        of_solved=True,
    ),
)  # fmt: skip


def finished(query: Query, reading: FinishReading, switches: RuleSwitches) -> FinishedQuery:
    """The query as its question has it: each thing once, by its name, in the order said."""
    found = FinishedQuery(query)
    for rule in FINISHING:
        if rule.of_solved or not reading.is_solved:
            changed = switches.changed(rule, found, reading)
            found = replace(changed, rules=(*found.rules, rule.name)) if changed != found else found
    return found
