"""Saved questions that ask for values: defined from the query, filled by a form, found by the address."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, finished, made_site

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site

QUERY = "SELECT year, amount FROM sale WHERE city = 'Bern' AND amount > 1"


@pytest.fixture
def slug(client: TestClient, site: Site) -> str:
    """A saved question that asks for a city and an amount."""
    site.profile("shop", within=30)
    made = client.post("/api/db/shop/sql", json={"sql": QUERY, "title": "Sales of a city"}).json()["id"]
    finished(client, made)
    client.post(f"/a/{made}/save", data={"title": "Sales of a city"})
    return "sales-of-a-city"


def define(client: TestClient, slug: str, *named: tuple[int, str, str]) -> int:
    places, names, kinds = zip(*named, strict=True) if named else ((), (), ())
    body = {"place": places, "name": names, "kind": kinds}
    return client.post(f"/api/saved/{slug}/parameters", json=body).status_code


def places(client: TestClient, slug: str) -> list[int]:
    return [p["value"]["place"] for p in client.get(f"/api/saved/{slug}").json()["places"]]


def test_a_saved_question_is_asked_with_other_values(client: TestClient, slug: str) -> None:
    page = client.get(f"/saved/{slug}").text
    assert "city is Bern" in page
    assert 'name="v.' not in page
    city, amount = places(client, slug)
    form = {"place": [city, amount], "name": ["City", "Least"], "kind": ["choice", "number"]}
    assert client.post(f"/saved/{slug}/parameters", data=form, follow_redirects=False).status_code == 303
    page = client.get(f"/saved/{slug}").text
    assert (
        '<select id="v-1" name="v.City"><option selected>Bern</option><option>Rome</option></select>' in page
    )
    assert 'name="v.Least" value="1" maxlength="500" type="number"' in page
    led = client.post(f"/saved/{slug}/ask", data={"v.City": "Rome", "v.Least": "8"}, follow_redirects=False)
    address = f"/saved/{slug}?{urlencode({'v.City': 'Rome', 'v.Least': '8'})}"
    assert led.headers["location"] == address
    entry = client.get(f"/api{address}").json()["card"]["saved"]["entry"]
    answer = finished(client, entry["id"])
    assert answer["answer"]["result"]["rows"] == [[2015, 9.25]]
    assert answer["entry"]["question"] == "Sales of a city: City Rome, Least 8"
    page = client.get(address).text
    assert "<option selected>Rome</option>" in page
    assert "9.25" in page
    saved = client.get(f"/api/saved/{slug}").json()
    assert saved["card"]["answer"]["result"]["rows"] == [[2014, 10.5], [2015, 20.0]]
    again = client.post(f"/api/saved/{slug}/again", json={}).json()["id"]
    assert (
        finished(client, again)["answer"]["sql"]
        == "SELECT year, amount FROM sale WHERE city = 'Bern' AND amount > 1"
    )


def test_looking_at_values_runs_nothing(client: TestClient, slug: str) -> None:
    city, _ = places(client, slug)
    define(client, slug, (city, "City", "text"))
    before = len(client.get("/api/history").json()["entries"])
    page = client.get(f"/saved/{slug}", params={"v.City": "<script>Oslo"})
    assert "asked with these values yet" in page.text
    assert "<script>Oslo" not in page.text
    assert 'value="&lt;script&gt;Oslo"' in page.text
    assert len(client.get("/api/history").json()["entries"]) == before


def test_values_are_values_whatever_stands_in_them(client: TestClient, slug: str) -> None:
    city, _ = places(client, slug)
    define(client, slug, (city, "City", "text"))
    for value in ("x' OR 1=1 --", "'; DROP TABLE sale; --", "Rome' UNION SELECT 1, 2 --"):
        made = client.post(f"/api/saved/{slug}/ask", json={"values": {"City": value}}).json()["id"]
        answer = finished(client, made)["answer"]
        assert answer["result"]["rows"] == []
        quoted = value.replace("'", "''")
        assert answer["sql"] == QUERY.replace("Bern", quoted)


def test_definitions_and_values_that_don_t_fit_are_refused(client: TestClient, slug: str) -> None:
    city, amount = places(client, slug)
    assert define(client, slug, (city, "A", "text"), (amount, "a", "number")) == 400  # one name twice
    assert define(client, slug, (99, "A", "text")) == 400
    assert define(client, slug, (city, "A", "date")) == 400  # Bern is none
    assert define(client, slug, (city, "x" * 41, "text")) == 422
    assert client.post(f"/api/saved/{slug}/ask", json={"values": {}}).status_code == 400  # asks for none
    assert define(client, slug, (amount, "Least", "text")) == 201
    for values in ({"Least": "1 OR 1"}, {"Most": "1"}, {"Least": "x" * 501}):
        assert client.post(f"/api/saved/{slug}/ask", json={"values": values}).status_code in (400, 422)
    assert define(client, slug, (amount, "", "number")) == 201
    assert client.get(f"/api/saved/{slug}").json()["fields"] == []


def test_values_are_given_where_no_queries_are_written_by_hand(tmp_path: Path) -> None:
    site = made_site(tmp_path)
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        made = client.post("/api/db/shop/sql", json={"sql": QUERY}).json()["id"]
        finished(client, made)
        client.post(f"/api/a/{made}/save", json={"title": "Sales"})
        define(client, "sales", (places(client, "sales")[0], "City", "text"))
    (tmp_path / "shop.db").unlink()
    with TestClient(make_app(made_site(tmp_path, sql=False)), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        made = client.post("/api/saved/sales/ask", json={"values": {"City": "Rome"}}).json()["id"]
        assert len(finished(client, made)["answer"]["result"]["rows"]) == 2
        assert (
            client.post("/api/saved/sales/ask", json={}, headers={"sec-fetch-site": "cross-site"}).status_code
            == 403
        )
