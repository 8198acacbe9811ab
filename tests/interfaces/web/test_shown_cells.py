"""Cells and names as pages show them: what is missing, empty, long, or turns the direction of letters."""

import sqlite3
from pathlib import Path

from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, finished, made_site

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.examples import examples_of
from fathom.interfaces.web.html import LONG


def of_query(client: TestClient, sql: str) -> tuple[dict[str, object], str]:
    """An answer by a query, and its page."""
    id_ = client.post("/api/db/shop/sql", json={"sql": sql}).json()["id"]
    page = finished(client, id_)
    return page["entry"], client.get(f"/a/{id_}").text


def test_cells_say_what_they_hold(client: TestClient) -> None:
    long = "x" * (LONG + 1)
    odd = "'one' || char(10) || 'two' AS c, 'l' || char(8238) || 'r' AS d"
    sql = f"SELECT NULL AS a, '' AS b, {odd}, '{long}' AS e"
    _, page = of_query(client, sql)
    assert '<td class="none" data-label="a"><span class="hidden">not known</span></td>' in page
    assert '<td data-label="b"><span class="about">empty</span></td>' in page
    assert "<bdi>one ↵ two</bdi>" in page
    assert "<bdi>lr</bdi>" in page
    assert f'<details class="long"><summary><bdi>{long[:120]}…</bdi></summary>' in page
    assert f"<bdi>{long}</bdi>" in page


def test_a_query_is_named_by_its_first_line_and_its_columns_by_itself(client: TestClient) -> None:
    entry, page = of_query(client, "\n SELECT city AS the_City, amount FROM sale\nORDER BY amount, id ")
    assert entry["question"] == "SELECT city AS the_City, amount FROM sale"
    assert '<th scope="col">the_City</th>' in page
    assert 'class="question sql"' in page
    entry, page = of_query(client, f"SELECT {', '.join(['amount'] * 40)} FROM sale")
    assert len(str(entry["question"])) == 80
    _, page = of_query(client, "SELECT id, year FROM sale UNION ALL SELECT id, amount FROM sale")
    assert '<p class="says">8 rows.</p>' in page


def test_examples_leave_out_what_is_empty_and_ask_of_tables_alike_once(tmp_path: Path) -> None:
    site = made_site(tmp_path)
    with sqlite3.connect(tmp_path / "shop.db") as made:
        made.execute("CREATE TABLE nothing_yet (id INTEGER)")
        for number, rows in ((11, 5), (12, 7)):
            made.execute(f"CREATE TABLE event_{number} (id INTEGER PRIMARY KEY)")
            made.executemany(f"INSERT INTO event_{number} VALUES (?)", [(n,) for n in range(rows)])
    made.close()
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.get("/db/shop")
        told = examples_of(site, "shop")
    assert "How many event 12 rows are there?" in told
    assert not [one for one in told if "event 11" in one or "nothing" in one]


def test_what_columns_hold_is_told_by_kind(client: TestClient) -> None:
    client.get("/db/shop")
    columns = {one["name"]: one for one in client.get("/api/db/shop/t/sale").json()["columns"]}
    assert (columns["city"]["ordered"], columns["amount"]["ordered"]) == (False, True)
