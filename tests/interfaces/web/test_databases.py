import sqlite3
from collections.abc import Mapping
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ODD, ORIGIN, TOKEN, finished, made_site
from tests.interfaces.web.test_answers import ENDLESS

from fathom.databases import Database
from fathom.databases.sqlite import SQLite
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site
from fathom.records import TableProfile


def test_a_database_tells_its_tables_joins_and_what_to_ask(client: TestClient) -> None:
    page = client.get("/api/db/shop").json()
    sale = next(t for t in page["tables"] if t["name"] == "sale")
    assert (sale["rows"], sale["columns"]) == (4, ["id", "city", "year", "amount"])
    assert page["examples"]
    html = client.get("/db/shop").text
    assert "No key leads" in html
    assert "<script>alert" not in html
    assert [t["name"] for t in client.get("/api/db/shop?q=AMOUNT").json()["tables"]] == ["sale"]
    assert "No table fits" in client.get("/db/shop?q=zebra").text
    assert "shop" in client.get("/db").text
    assert client.get("/db/nothing").status_code == 404


def test_a_table_tells_what_its_columns_hold(client: TestClient, site: Site) -> None:
    site.profile("shop", within=30)
    page = client.get("/api/db/shop/t/sale").json()
    city = next(c for c in page["columns"] if c["name"] == "city")
    assert (city["distinct"], city["exact"], city["common"][0]["share"]) == (2, True, 0.5)
    assert page["shown"]["rows"][0] == [1, "Bern", 2014, 10.5]
    assert not page["looking"]
    odd = client.get("/db/shop/t/" + quote(ODD.strip('"'), safe=""))
    assert odd.status_code == 200
    assert "<script>alert" not in odd.text
    assert client.get("/db/shop/t/nothing").status_code == 404


def test_values_that_take_long_are_looked_at_behind_the_page(
    client: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, profile = Event(), Database.profile

    def slow(database: Database, seconds: float = 20.0) -> Mapping[str, TableProfile]:
        assert go_on.wait(60)
        return profile(database, seconds)

    monkeypatch.setattr(Database, "profile", slow)
    assert site.profile("shop", within=0.01) == (None, "")
    page = client.get("/api/db/shop/t/sale").json()
    assert page["looking"]
    assert {c["distinct"] for c in page["columns"]} == {None}
    go_on.set()
    looked, why = site.profile("shop", within=30)
    assert looked
    assert not why
    assert not client.get("/api/db/shop/t/sale").json()["looking"]


def test_a_page_shows_a_replaced_file_and_can_be_told_to_read_again(
    client: TestClient, site: Site, tmp_path: Path
) -> None:
    assert "schema read" in client.get("/db/shop").text
    first = client.get("/api/db/shop").json()
    new = tmp_path / "new.db"
    with closing(sqlite3.connect(new)) as made:
        made.execute("CREATE TABLE supplier (name TEXT)")
    new.replace(tmp_path / "shop.db")
    second = client.get("/api/db/shop").json()
    assert [t["name"] for t in second["tables"]] == ["supplier"]
    assert second["read_at"] > first["read_at"]
    told = client.post("/db/shop/read-again", headers={"origin": ORIGIN}, follow_redirects=False)
    assert (told.status_code, told.headers["location"]) == (HTTPStatus.SEE_OTHER, "/db/shop")
    assert site.database("shop").renewals == 2
    (tmp_path / "shop.db").unlink()
    gone = client.get("/db/shop")
    assert gone.status_code == HTTPStatus.BAD_REQUEST
    assert "is gone: it was removed or renamed" in gone.text


def test_sql_written_by_hand_runs_under_the_guard(client: TestClient) -> None:
    assert "may only read" in client.get("/db/shop/sql?sql=SELECT+1").text
    form = {"sql": "SELECT max(amount) FROM sale", "title": "The largest sale", "key": "k"}
    led = [client.post("/db/shop/sql", data=form, follow_redirects=False) for _ in range(2)]
    assert led[0].headers["location"] == led[1].headers["location"]
    page = finished(client, led[0].headers["location"].removeprefix("/a/"))
    assert page["answer"]["result"]["rows"] == [[20.0]]
    assert page["entry"]["question"] == "The largest sale"
    refused = client.post("/api/db/shop/sql", json={"sql": "DELETE FROM sale"}).json()["id"]
    assert "Refused" in finished(client, refused)["answer"]["answer"]
    endless = client.post("/api/db/shop/sql", json={"sql": ENDLESS}).json()["id"]
    client.post(f"/api/a/{endless}/cancel", json={})
    assert finished(client, endless, within=10)["entry"]["status"] == "cancelled"


def test_no_sql_means_none(tmp_path: Path) -> None:
    with TestClient(make_app(made_site(tmp_path, sql=False)), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        assert "switched off" in client.get("/db/shop/sql").text
        assert client.post("/api/db/shop/sql", json={"sql": "SELECT 1"}).status_code == 400


TELLING = {"sql": "SELECT max(amount) FROM sale", "title": "The largest sale"}


def telling(monkeypatch: pytest.MonkeyPatch, size: int | None) -> None:
    """Let SQLite tell what a query reads, as warehouses do."""
    monkeypatch.setattr(SQLite, "tells_size", True)
    monkeypatch.setattr(SQLite, "estimate", lambda *_: size)


def test_the_api_tells_what_a_query_would_read(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"sql": "SELECT max(amount) FROM sale"}
    assert client.post("/api/db/shop/estimate", json=asked).json() == {"bytes": None}
    telling(monkeypatch, 4_242)
    assert client.post("/api/db/shop/estimate", json=asked).json() == {"bytes": 4_242}
    for sql in ("EXPLAIN SELECT 1", "SELECT 1; SELECT 2", "DELETE FROM sale"):
        refused = client.post("/api/db/shop/estimate", json={"sql": sql})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (400, "QueryRefused"), sql


@pytest.mark.parametrize("path", ["/db/shop/sql/explain", "/api/db/shop/estimate"])
def test_estimates_keep_to_the_rules_of_queries(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling(monkeypatch, 1)

    def statuses(client: TestClient, *sites: str) -> list[int]:
        client.get("/", params={"t": TOKEN})
        sent = {"json": TELLING} if path.startswith("/api") else {"data": TELLING}
        return [client.post(path, headers={"sec-fetch-site": s}, **sent).status_code for s in sites]  # type: ignore[arg-type]

    def served(name: str, **rules: Any) -> TestClient:
        (tmp_path / name).mkdir()
        return TestClient(make_app(made_site(tmp_path / name, **rules)), base_url=ORIGIN)

    with served("no queries", sql=False) as client:
        assert statuses(client, "same-origin") == [400]
    with served("paced", jobs_a_minute=1) as client:
        sites = ("cross-site", "same-site", "same-origin", "same-origin")
        assert statuses(client, *sites) == [403, 403, 200, 429]
    with served("strange") as nobody:
        assert nobody.post(path, headers={"sec-fetch-site": "same-origin"}).status_code == 401
