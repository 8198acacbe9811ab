# ruff: noqa: E501
import sqlite3
from contextlib import closing

import pytest

from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Unrepresentable
from fathom.offline.queries.to_sql import render

# Each query reads the same after parsing and rendering, or as the second text says.
ROUND_TRIPS = [
    ("SELECT city FROM airport", None),
    ("SELECT DISTINCT city, country FROM airport WHERE country != 'Peru' ORDER BY city DESC LIMIT 3", None),
    ("SELECT COUNT(*) FROM pilot WHERE flown_hours > 100 AND (pilot_name LIKE 'A%' OR mentor_id IS NULL)", None),
    ("SELECT country, COUNT(*) FROM airport GROUP BY country HAVING COUNT(*) >= 2", None),
    ("SELECT pilot_name FROM pilot WHERE flown_hours > (SELECT AVG(flown_hours) FROM pilot)", None),
    ("SELECT pilot_name FROM pilot WHERE pilot_id NOT IN (SELECT pilot_id FROM crew)", None),
    ("SELECT city FROM airport EXCEPT SELECT city FROM airport WHERE country = 'Peru'", None),
    ("SELECT MAX(flown_hours) - MIN(flown_hours) FROM pilot", None),
    ("SELECT pilot_name FROM pilot WHERE flown_hours NOT BETWEEN 10 AND 20", None),
    ("SELECT pilot_name FROM pilot WHERE NOT (flown_hours > 5 AND pilot_name NOT LIKE 'B%')",
     "SELECT pilot_name FROM pilot WHERE flown_hours <= 5 OR pilot_name LIKE 'B%'"),
    ('SELECT city FROM airport WHERE country = "Peru"', "SELECT city FROM airport WHERE country = 'Peru'"),
    ('SELECT "unit price" FROM "order"', None),
    ("SELECT AVG(number) FROM (SELECT COUNT(*) AS number FROM crew GROUP BY flight_id) AS q", None),
    ("SELECT SUM(CASE WHEN country = 'Peru' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM airport",
     "SELECT (SUM(CASE WHEN country = 'Peru' THEN 1 ELSE 0 END) * 100.0) / COUNT(*) FROM airport"),
    ("SELECT p.pilot_name FROM pilot p, crew c WHERE p.pilot_id = c.pilot_id AND c.role = 'captain'",
     "SELECT T2.pilot_name FROM crew AS T1 JOIN pilot AS T2 ON T1.pilot_id = T2.pilot_id WHERE T1.role = 'captain'"),
    ("SELECT a.city FROM airport a JOIN flight f ON a.airport_id = f.to_id WHERE f.flight_number = 7",
     "SELECT T1.city FROM airport AS T1 JOIN flight AS T2 ON T1.airport_id = T2.to_id WHERE T2.flight_number = 7"),
    ("SELECT p.pilot_name, m.pilot_name FROM pilot p JOIN pilot m ON p.mentor_id = m.pilot_id",
     "SELECT T1.pilot_name, T2.pilot_name FROM pilot AS T1 JOIN pilot AS T2 ON T1.mentor_id = T2.pilot_id"),
    ("SELECT p.pilot_name FROM pilot p LEFT JOIN crew c ON p.pilot_id = c.pilot_id WHERE c.pilot_id IS NULL",
     "SELECT T1.pilot_name FROM pilot AS T1 LEFT JOIN crew AS T2 ON T1.pilot_id = T2.pilot_id "
     "WHERE T2.pilot_id IS NULL"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), ROUND_TRIPS)
def test_round_trip(sql: str, expected: str | None, planner: JoinPlanner) -> None:
    assert render(parse(sql, planner), planner) == (expected or sql)


@pytest.mark.parametrize(("sql", "expected"), ROUND_TRIPS)
def test_rendered_queries_are_read_by_the_engine(
    sql: str, expected: str | None, planner: JoinPlanner
) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in planner.schema.tables:
            listed = ", ".join(f'"{c.name}"' for c in table.columns)
            connection.execute(f'CREATE TABLE "{table.name}" ({listed})')
        connection.execute(render(parse(sql, planner), planner))


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM pilot",
        "SELECT nothing FROM pilot",
        "SELECT rank() OVER (ORDER BY flown_hours) FROM pilot",
        "SELECT city FROM nowhere",
        "SELECT (",
        pytest.param("SELECT " + "(" * 2000 + "1" + ")" * 2000, id="nested deeply"),
    ],
)
def test_what_has_no_place_is_said(sql: str, planner: JoinPlanner) -> None:
    with pytest.raises(Unrepresentable):
        parse(sql, planner)
