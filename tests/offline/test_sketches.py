# ruff: noqa: E501
import pytest
from training.abstraction import abstract
from training.normal import normalise

from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, TableRef
from fathom.offline.queries.serial import decode, encode
from fathom.offline.queries.to_sql import render
from fathom.offline.sketches.parts import coherent, put_together, take_apart
from fathom.offline.sketches.sketches import SlotValues, instantiate

QUERIES = [
    "SELECT city FROM airport WHERE country = 'Peru' AND airport_id > 3",
    "SELECT country, COUNT(*) FROM airport GROUP BY country HAVING COUNT(*) >= 2 ORDER BY COUNT(*) DESC LIMIT 3",
    "SELECT pilot_name FROM pilot WHERE pilot_id NOT IN (SELECT pilot_id FROM crew)",
    "SELECT pilot_name FROM pilot WHERE pilot_id NOT IN (SELECT pilot_id FROM crew WHERE role = 'captain')",
    "SELECT pilot_name FROM pilot WHERE flown_hours > (SELECT AVG(flown_hours) FROM pilot)",
    "SELECT pilot_id FROM pilot EXCEPT SELECT pilot_id FROM crew",
    "SELECT city FROM airport WHERE country = 'Peru' UNION SELECT city FROM airport WHERE country = 'Chile'",
    "SELECT T2.pilot_name, COUNT(*) FROM crew AS T1 JOIN pilot AS T2 ON T1.pilot_id = T2.pilot_id GROUP BY T2.pilot_id",
    "SELECT AVG(number) FROM (SELECT COUNT(*) AS number FROM crew GROUP BY flight_id) AS q",
    "SELECT pilot_name FROM pilot WHERE flown_hours BETWEEN 10 AND 20 OR mentor_id IS NULL",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_a_sketch_filled_again_gives_the_query(sql: str, planner: JoinPlanner) -> None:
    sketch, filling = abstract(parse(sql, planner), planner)
    assert render(instantiate(sketch, filling, planner), planner) == sql


@pytest.mark.parametrize("sql", QUERIES)
def test_a_sketch_taken_apart_goes_together_again(sql: str, planner: JoinPlanner) -> None:
    sketch, _ = abstract(parse(sql, planner), planner)
    assert put_together(take_apart(sketch)) == sketch
    assert coherent(sketch)
    assert decode(encode(sketch)) == sketch


def test_questions_of_one_shape_share_a_sketch(planner: JoinPlanner) -> None:
    def sketch(sql: str) -> Query:
        return abstract(parse(sql, planner), planner)[0]

    counted = "SELECT {0}, COUNT({0}) FROM {1} GROUP BY {0} ORDER BY COUNT(*) LIMIT {2}"
    assert sketch(counted.format("city", "airport", 3)) == sketch(counted.format("role", "crew", 5))
    assert sketch("SELECT city FROM airport WHERE airport_id < 3") == sketch(
        "SELECT pilot_name FROM pilot WHERE flown_hours >= 7"
    )


def test_a_tail_that_needs_what_nothing_shows_is_not_coherent(planner: JoinPlanner) -> None:
    grouped, _ = abstract(parse("SELECT country, COUNT(*) FROM airport GROUP BY country", planner), planner)
    counted, _ = abstract(parse("SELECT COUNT(*) FROM airport", planner), planner)
    parts = take_apart(grouped)
    mixed = put_together(type(parts)(take_apart(counted).shown, parts.condition, parts.tail, parts.rest))
    assert not coherent(mixed)


def test_grouping_by_a_reference_keeps_the_table_that_is_counted(planner: JoinPlanner) -> None:
    query = parse(
        "SELECT p.pilot_name, COUNT(c.role) FROM pilot p JOIN crew c ON p.pilot_id = c.pilot_id GROUP BY c.pilot_id",
        planner,
    )
    normal = normalise(query, planner)
    assert normal.tables == (TableRef("crew"),)
    assert "COUNT(*)" in render(normal, planner)


def test_an_empty_sketch_needs_no_filling(planner: JoinPlanner) -> None:
    sketch, _ = abstract(parse("SELECT COUNT(*) FROM crew", planner), planner)
    filling = SlotValues({}, {"t0": TableRef("pilot")}, {})
    assert render(instantiate(sketch, filling, planner), planner) == "SELECT COUNT(*) FROM pilot"
