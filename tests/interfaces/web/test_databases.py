from collections.abc import Mapping
from pathlib import Path
from threading import Event
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
    assert page["sample"][0] == [1, "Bern", 2014, 10.5]
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


def test_the_api_tells_what_a_query_would_read(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"sql": "SELECT max(amount) FROM sale"}
    assert client.post("/api/db/shop/estimate", json=asked).json() == {"bytes": None}
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 4_242)
    assert client.post("/api/db/shop/estimate", json=asked).json() == {"bytes": 4_242}
