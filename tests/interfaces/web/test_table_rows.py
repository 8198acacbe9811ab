"""Rows of a table, sorted, filtered and paged by the database itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlglot import transpile
from tests.databases.makers import duckdb_databases, mysql_databases, postgres_databases, sqlite_databases
from tests.interfaces.web.conftest import HOSTILE

from fathom.databases import Database
from fathom.errors import InputError, SchemaError
from fathom.interfaces.web.pages.table_rows import PAGE, Comparison, RowsWanted, rows_of

MADE = (
    'CREATE TABLE city (id INTEGER PRIMARY KEY, "na me" VARCHAR(40), size DOUBLE, land_id INTEGER)',
    """INSERT INTO city VALUES (1, 'Bern', 3.5, 2), (2, 'it''s 100%', -10, 1), (3, NULL, NULL, 1),
    (4, 'b_c', 2, 2), (5, 'bxc\\', 100, NULL)""",
)


_MAKERS = {
    "sqlite": sqlite_databases,
    "duckdb": duckdb_databases,
    "postgres": postgres_databases,
    "mysql": mysql_databases,
}


@pytest.fixture(params=_MAKERS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    making = _MAKERS[request.param]
    with making(tmp_path) as make:
        yield make(*(transpile(one, read="duckdb", write=request.param)[0] for one in MADE))


def ids(database: Database, **wanted: object) -> list[int]:
    shown = rows_of(database, database.schema.table("city"), RowsWanted.model_validate(wanted))
    assert not shown.problem
    return [row[0] for row in shown.rows]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"sort": "size"}, [2, 4, 1, 5, 3]),
        ({"sort": "size", "down": True}, [5, 1, 4, 2, 3]),
        ({"column": "size", "how": "at least", "value": "3.5"}, [1, 5]),
        ({"column": "size", "how": "at most", "value": " -1e1 "}, [2]),
        ({"column": "land_id", "value": "2", "sort": "size"}, [4, 1]),
        ({"column": "na me", "value": "it's 100%"}, [2]),
        ({"column": "na me", "how": "contains", "value": "0%"}, [2]),
        ({"column": "na me", "how": "contains", "value": "b_"}, [4]),
        ({"column": "na me", "how": "contains", "value": "c\\"}, [5]),
        ({"column": "size", "how": "contains", "value": "10"}, [2, 5]),
        ({"column": "na me", "how": "missing"}, [3]),
        ({"column": "na me", "value": "' OR 1=1 --"}, []),
    ],
)
def test_the_database_sorts_and_filters(
    database: Database, wanted: dict[str, object], found: list[int]
) -> None:
    given = ids(database, **wanted)
    assert given == found if "sort" in wanted else sorted(given) == found


@pytest.mark.parametrize("value", ["much", "", "nan", "1e999", "1; DROP TABLE city"])
def test_numbers_are_held_against_numbers_alone(database: Database, value: str) -> None:
    with pytest.raises(InputError, match="size holds numbers"):
        ids(database, column="size", value=value)


@pytest.mark.parametrize("wanted", [{"sort": "siz"}, {"column": "id; --"}])
def test_an_unknown_column_is_told(database: Database, wanted: dict[str, str]) -> None:
    with pytest.raises(SchemaError, match="has no column"):
        ids(database, **wanted)


def test_every_row_is_on_one_page(tmp_path: Path) -> None:
    with sqlite_databases(tmp_path) as make:
        many = ", ".join(f"({n})" for n in range(2 * PAGE + 1))
        database = make("CREATE TABLE city (id INTEGER PRIMARY KEY)", f"INSERT INTO city VALUES {many}")
        pages = [ids(database, sort="id", page=number) for number in (1, 2, 3, 4)]
        assert [len(page) for page in pages] == [PAGE, PAGE, 1, 0]
        assert [one for page in pages for one in page] == [*range(2 * PAGE + 1)]
        table = database.schema.table("city")
        more = [
            rows_of(database, table, RowsWanted.model_validate({"page": number})).more for number in (1, 2, 3)
        ]
        assert more == [True, True, False]


def test_a_key_leads_to_the_row_that_it_names(tmp_path: Path) -> None:
    with sqlite_databases(tmp_path) as make:
        land = "CREATE TABLE land (id INTEGER PRIMARY KEY, name TEXT)"
        city = "CREATE TABLE city (id INTEGER PRIMARY KEY, land_id INTEGER REFERENCES land (id))"
        database = make(land, city)
        shown = rows_of(database, database.schema.table("city"), RowsWanted.model_validate({}))
    assert shown.leads_to == {"land_id": ("land", "id")}


def test_the_page_browses_without_a_script(client: TestClient) -> None:
    page = client.get("/db/shop/t/sale", params={"sort": "amount", "column": "city", "value": "Bern"}).text
    rows = page[page.index('aria-label="Rows of the table"') :]
    assert rows.index("10.50") < rows.index("20.00")
    assert "Rome" not in rows[: rows.index("</table>")]
    assert (
        'href="/db/shop/t/sale?sort=amount&amp;down=true&amp;column=city&amp;how=is&amp;value=Bern"' in page
    )
    assert client.get("/db/shop/t/sale", params={"sort": "none"}).status_code == 404
    hostile = client.get("/db/shop/t/sale", params={"column": "city", "value": HOSTILE}).text
    assert "<script>alert" not in hostile
    assert "No row fits" in hostile


def test_comparisons_of_the_form_are_those_of_the_page(client: TestClient) -> None:
    page = client.get("/db/shop/t/sale").text
    for how in Comparison.__args__:  # type: ignore[attr-defined]
        assert f">{how}</option>" in page
