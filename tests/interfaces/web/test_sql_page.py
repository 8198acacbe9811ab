"""SQL written by hand: names, faults, layout and plans are told without anything being run or kept."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, finished, made_site
from tests.interfaces.web.test_databases import telling

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site
from fathom.rights import Granted

DRAFTS = ("names", "check", "format", "explain")
WRITTEN = {"sql": "SELECT city, sum(amount) FROM sale GROUP BY city", "title": "Sales </textarea> by city"}


def told(client: TestClient, what: str, sql: str, **more: Any) -> dict[str, Any]:
    answer = client.post(f"/api/db/shop/sql/{what}", json={"sql": sql, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_names_and_faults_are_told_while_a_query_is_typed(client: TestClient) -> None:
    found = told(client, "names", "SELECT s.c FROM sale s", at=10)
    assert found == {"start": 9, "names": [{"text": "city", "about": "TEXT"}]}
    assert told(client, "check", "SELECT city FROM sale") == {"fault": None}
    assert told(client, "check", " ") == {"fault": None}
    fault = told(client, "check", "SELECT city\nFROM sael s")["fault"]
    assert fault["text"] == "There is no table 'sael'. Did you mean 'sale'?"
    assert [fault[part] for part in ("line", "column", "start", "end")] == [2, 6, 17, 21]
    assert [fault[part] for part in ("before", "marked", "after")] == ["FROM ", "sael", " s"]
    assert told(client, "check", "SELECT nam FROM sale" + " " * 30_000) == {"fault": None}  # too long for it
    too_long = {"sql": "SELECT" + " " * 30_000, "at": 3}
    assert client.post("/api/db/shop/sql/names", json=too_long).status_code == 422
    assert client.get("/api/history").json()["entries"] == []


def test_the_page_shows_a_fault_and_a_layout_without_a_script(client: TestClient) -> None:
    page = client.get("/db/shop/sql", params={"sql": "SELECT <b>,\n ctiy FROM sale"}).text
    assert "<b>" not in page
    page = client.get("/db/shop/sql", params={"sql": "SELECT\n  ctiy FROM sale"}).text
    assert "Line 2, column 3: There is no column &#39;ctiy&#39;. Did you mean &#39;city&#39;?" in page
    assert "<mark>ctiy</mark>" in page
    laid = client.post("/db/shop/sql/format", data=WRITTEN).text
    assert "SELECT\n  city,\n  SUM(amount)\nFROM sale" in laid
    assert 'value="Sales &lt;/textarea&gt; by city"' in laid
    assert told(client, "format", WRITTEN["sql"])["sql"].startswith("SELECT\n  city,")
    assert told(client, "format", "SELECT (")["sql"] == "SELECT ("
    assert client.get("/api/history").json()["entries"] == []


def test_a_query_is_explained_without_being_run(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    page = client.post("/db/shop/sql/explain", data=WRITTEN).text
    assert "Explained; nothing was run" in page
    assert "It reads sale (4 rows)." in page
    assert "SCAN sale" in page
    found = told(client, "explain", WRITTEN["sql"])
    assert "sale" in found["words"]
    assert (found["tables"], found["size"], found["problem"]) == (["sale (4 rows)"], "", "")
    for sql, why in (
        ("DELETE FROM sale", "only a query"),
        ("SELECT ctiy FROM sale", "no such column"),
        ("EXPLAIN SELECT 1", "only a query"),
    ):
        found = told(client, "explain", sql)
        assert found["plan"] == ""
        assert why in found["problem"]
    telling(monkeypatch, 12_345_678_900)
    page = client.post("/db/shop/sql/explain", data=WRITTEN).text
    assert "The query would read about 12.3 GB." in page
    assert client.get("/api/history").json()["entries"] == []


def test_rights_give_no_plan_for_it_would_tell_of_hidden_rows(client: TestClient, site: Site) -> None:
    assert told(client, "explain", WRITTEN["sql"])["plan"]
    site.database("shop").granted = Granted("anna", ())
    found = told(client, "explain", WRITTEN["sql"])
    assert (found["plan"], found["problem"]) == ("", "")


def test_a_query_that_failed_is_shown_with_its_fault(client: TestClient) -> None:
    made = client.post("/api/db/shop/sql", json={"sql": "SELECT city,\n amuont FROM sale"}).json()["id"]
    assert finished(client, made)["fault"]["marked"] == "amuont"
    page = client.get(f"/a/{made}").text
    assert "<mark>amuont</mark>" in page
    assert "Did you mean &#39;amount&#39;?" in page
    sound = client.post("/api/db/shop/sql", json={"sql": "SELECT city FROM sale"}).json()["id"]
    assert finished(client, sound)["fault"] is None


@pytest.mark.parametrize("what", DRAFTS)
def test_drafts_keep_to_the_rules_of_queries(what: str, tmp_path: Path) -> None:
    asked = {"sql": "SELECT 1", "at": 3}
    path = f"/api/db/shop/sql/{what}"
    with TestClient(make_app(made_site(tmp_path, sql=False)), base_url=ORIGIN) as client:
        assert client.post(path, json=asked).status_code == 403
        client.get("/", params={"t": TOKEN})
        assert client.post(path, json=asked, headers={"sec-fetch-site": "cross-site"}).status_code == 403
        client.headers["sec-fetch-site"] = "same-origin"
        refused = client.post(path, json=asked)
        assert (refused.status_code, "switched off" in refused.text) == (400, True)
    (tmp_path / "open").mkdir()
    with TestClient(make_app(made_site(tmp_path / "open")), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        assert client.post(path.replace("shop", "zebra"), json=asked).status_code == 404
