"""Each form's expression on the real engines: the rows are those of the values that are meant."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.databases import Database
from fathom.errors import Misread
from fathom.forms import FormReader
from tests.databases import makers

TABLES = (
    "CREATE TABLE stays (id INTEGER PRIMARY KEY, adm VARCHAR(20), loose VARCHAR(20), day_number INTEGER,"
    " made_at BIGINT, spoken VARCHAR(20), price VARCHAR(20), weight VARCHAR(20), tags VARCHAR(60),"
    " listed VARCHAR(60), unclear VARCHAR(20), phone VARCHAR(20), ended VARCHAR(20))",
    """INSERT INTO stays VALUES
    (1, '31/01/2024', '3/4/2019', 20240131, 1577836800, 'Jan 5, 2024', '$1,200.50', '9,5', '["flu"]',
     'red, blue', '03/04/2026', '555-1', '31/01/2024'),
    (2, '01/02/2024', '30/11/2021', 20240115, 1600000000, 'Feb 9, 2024', '$1,000.00', '12,5',
     '["flu", "cold"]', 'blue', '05/06/2026', '', ''),
    (3, '29/02/2024', '1/1/2022', 20240201, 1700000000, 'Mar 12, 2024', '$100.00', '20,25', '["cold", "flu"]',
     'green, red', '01/02/2026', 'n/a', '15/12/2023'),
    (4, '15/12/2023', '9/10/2010', 20240301, 1700000001, 'Dec 1, 2023', 'n/a', '0,5', '["rash"]', 'green',
     '02/01/2026', '555-2', 'n/a')""",
    "CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(20), city VARCHAR(20))",
    "INSERT INTO people VALUES (1, 'Ann', 'Rome'), (2, 'Ann', NULL), (3, 'Bo', NULL), (4, 'Cy', 'Rome'),"
    " (5, 'Di', NULL)",
    "CREATE TABLE work (id INTEGER PRIMARY KEY, spent TIME)",
    "INSERT INTO work VALUES (1, '01:30:00'), (2, '02:15:00')",
    "CREATE TABLE members (code INTEGER, name VARCHAR(20))",
    "INSERT INTO members VALUES (1, 'Ann'), (2, 'Ann'), (3, 'Bo'), (4, 'Cy'), (5, 'Di')",
    "CREATE TABLE pay (id INTEGER PRIMARY KEY, who CHAR(3), salary INTEGER, valid_from DATE, valid_to DATE)",
    "INSERT INTO pay VALUES (1, 'Ann', 10, '2021-01-01', '2021-12-31'), (2, 'Ann', 30, '2022-01-01', NULL),"
    " (3, 'Bo', 50, '2022-01-01', NULL)",
    "CREATE TABLE wages (id INTEGER PRIMARY KEY, who VARCHAR(20), wage INTEGER, is_current CHAR(1))",
    "INSERT INTO wages VALUES (1, 'Ann', 10, 'N'), (2, 'Ann', 30, 'Y'), (3, 'Bo', 20, 'Y')",
    "CREATE TABLE terms (id INTEGER PRIMARY KEY, fee INTEGER, valid_from DATE, valid_to DATE)",
    "INSERT INTO terms VALUES (1, 4, '2020-01-01', '2022-12-31'), (2, 6, '2023-01-01', '9999-12-31')",
    "CREATE TABLE boxes (id INTEGER PRIMARY KEY, count INTEGER)",
    "INSERT INTO boxes VALUES (1, 20), (2, 30)",
    "CREATE TABLE bills (id INTEGER PRIMARY KEY, who VARCHAR(20), total INTEGER, currency VARCHAR(3))",
    "INSERT INTO bills VALUES (1, 'Ann', 5, 'EUR'), (2, 'Bo', 7, 'USD'), (3, 'Ann', 2, 'USD')",
    "CREATE TABLE loans (id INTEGER PRIMARY KEY, person INTEGER)",
    "INSERT INTO loans VALUES (1, 1), (2, 3), (3, 5)",
)
CASES = yaml.safe_load((Path(__file__).parent / "engines.yaml").read_text(encoding="utf-8"))
UNREAD = (
    "SELECT id FROM stays WHERE unclear > '2026-03-01'",
    "SELECT id FROM stays ORDER BY unclear",
    "SELECT tags, COUNT(*) FROM stays GROUP BY tags",
    'SELECT COUNT(*) FROM stays WHERE tags = \'["flu", "cold"]\'',
)


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "mysql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with getattr(makers, f"{request.param}_databases")(tmp_path_factory.mktemp(request.param)) as make:
        yield make(*TABLES)


@pytest.fixture(scope="module")
def reader(database: Database) -> FormReader:
    return FormReader(database.schema, database.profile(), database.dialect)


@pytest.mark.parametrize("case", [c for c in CASES if "rows" in c], ids=lambda c: c["sql"][:60])
def test_columns_are_read_as_what_they_mean(
    case: dict[str, Any], database: Database, reader: FormReader
) -> None:
    if database.dialect not in case.get("dialects", (database.dialect,)):
        pytest.skip("the engine has no such expression")
    question = case.get("question", "")
    read = reader.read(case["sql"], question)
    rows = [[_plain(cell) for cell in row] for row in database.run(read).rows]
    assert sorted(rows) == sorted(case["rows"]), read
    assert reader.read(read, question) == read  # a query that was read once isn't written anew


@pytest.mark.parametrize("sql", UNREAD)
def test_what_cannot_be_read_is_refused_with_the_form(sql: str, reader: FormReader) -> None:
    with pytest.raises(Misread) as refused:
        reader.read(sql)
    named = "tags" if "tags" in sql else "unclear"
    assert named in refused.value.reason.casefold()


def test_a_ranking_over_several_currencies_is_refused(reader: FormReader) -> None:
    sql = "SELECT who FROM bills GROUP BY who ORDER BY SUM(total) DESC LIMIT 1"
    with pytest.raises(Misread, match="several currencies"):
        reader.check(reader.read(sql, "Who pays the most?"), "Who pays the most?")


def test_a_count_of_rows_with_earlier_ones_is_refused(reader: FormReader) -> None:
    with pytest.raises(Misread, match="earlier rows"):
        reader.check(reader.read("SELECT COUNT(*) FROM pay", "How many?"), "How many?")


def test_current_rows_are_told(reader: FormReader) -> None:
    sql = reader.read("SELECT AVG(salary) FROM pay", "average salary")
    assert list(reader.remarks(sql)) == ["Only the current rows of pay."]
    assert not list(reader.remarks("SELECT AVG(salary) FROM pay"))


def _plain(cell: object) -> object:
    return float(cell) if isinstance(cell, Decimal) else cell
