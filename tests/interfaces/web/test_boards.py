"""Boards: saved questions of a tag on one page, with one filter for what they ask for in common."""

from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import finished
from tests.interfaces.web.test_saved_values import define, places

from fathom.interfaces.web.site import Site

QUERIES = {
    "Per year": "SELECT year, sum(amount) FROM sale WHERE city = 'Bern' GROUP BY year",
    "Largest": "SELECT id, amount FROM sale WHERE city = 'Bern' AND amount > 1 ORDER BY amount DESC",
    "All": "SELECT count(*) FROM sale",
}


@pytest.fixture
def slugs(client: TestClient, site: Site) -> list[str]:
    """Three saved questions under one tag; two ask for a city, one of them for an amount as well."""
    site.profile("shop", within=30)
    made = []
    for title, sql in QUERIES.items():
        id_ = client.post("/api/db/shop/sql", json={"sql": sql, "title": title}).json()["id"]
        finished(client, id_)
        url = client.post(f"/api/a/{id_}/save", json={"title": title, "tag": "sales"}).json()["url"]
        made.append(url.removeprefix("/saved/"))
    (city,) = places(client, made[0])
    assert define(client, made[0], (city, "City", "choice")) == 201
    city, amount = places(client, made[1])
    assert define(client, made[1], (city, "city", "choice"), (amount, "Least", "number")) == 201
    return made


def rows(client: TestClient, **values: str) -> dict[str, object]:
    """The rows of each card, once all are there; None where a card has no answer."""
    query = urlencode({"tag": "sales", **values})
    found: dict[str, object] = {}
    for one in client.get(f"/api/board?{query}").json()["cards"]:
        card = one["card"]
        answer = finished(client, card["saved"]["entry"]["id"])["answer"] if card else None
        found[one["saved"]["title"]] = answer and answer["result"]["rows"]
    return found


def test_a_board_shows_tables_and_one_filter(client: TestClient, slugs: list[str]) -> None:
    page = client.get("/board?tag=sales").text
    assert page.count('class="card"') == 3
    assert page.count('name="v.city"') == 1  # as the first of them has it
    assert "Least" not in page  # one alone asks for it
    assert rows(client)["Per year"] == [[2014, 10.5], [2015, 20.0]]
    assert rows(client, **{"v.City": "Rome"}) == {"All": [[4]], "Largest": None, "Per year": None}
    assert "asked with these values yet" in client.get("/board?tag=sales&v.City=Rome").text
    led = client.post("/board/ask", data={"tag": "sales", "v.City": "Rome"}, follow_redirects=False)
    assert led.headers["location"] == "/board?tag=sales&v.City=Rome"
    filtered = rows(client, **{"v.City": "Rome"})
    assert filtered["Per year"] == [[2014, 7.0], [2015, 9.25]]
    assert [row[1] for row in filtered["Largest"]] == [9.25, 7.0]  # type: ignore[attr-defined]
    assert rows(client)["Per year"] == [[2014, 10.5], [2015, 20.0]]
    page = client.get("/board?tag=sales&v.City=Rome").text
    assert f'href="/saved/{slugs[0]}?v.City=Rome"' in page
    assert f'href="/saved/{slugs[1]}?v.city=Rome&amp;v.Least=1"' in page


def test_a_board_is_refreshed_by_request_alone(client: TestClient, slugs: list[str]) -> None:
    asked = len(client.get("/api/history").json()["entries"])
    for url in ("/board?tag=sales", "/board?tag=sales&v.City=Rome", f"/saved/{slugs[0]}?v.City=Rome"):
        client.get(url)
    assert len(client.get("/api/history").json()["entries"]) == asked
    before = [one["saved"]["entry"]["id"] for one in client.get("/api/board?tag=sales").json()["cards"]]
    body = {"tag": "sales", "values": {}}
    assert client.post("/api/board/ask", json=body).status_code == 201
    rows(client)
    after = [one["saved"]["entry"]["id"] for one in client.get("/api/board?tag=sales").json()["cards"]]
    assert not set(before) & set(after)


def test_a_filter_of_no_card_and_a_hostile_one_do_no_harm(client: TestClient, slugs: list[str]) -> None:
    page = client.get("/board", params={"tag": "sales", "v.City": '"><script>x', "v.Zebra": "1"}).text.split(
        "</header>"
    )[1]
    assert "<script>x" not in page
    assert "Zebra" not in page.split("<footer")[0]
    client.post("/board/ask", data={"tag": "sales", "v.City": "x' OR 1=1 --"})
    assert rows(client, **{"v.City": "x' OR 1=1 --"})["Largest"] == []
    assert (
        client.post("/board/ask", data={"tag": "sales"}, headers={"sec-fetch-site": "none"}).status_code
        == 200
    )


def saved_with(client: TestClient, title: str, sql: str, **named: str) -> str:
    """A saved question of the tag "mixed" whose values have these names, in the order of the query."""
    id_ = client.post("/api/db/shop/sql", json={"sql": sql, "title": title}).json()["id"]
    finished(client, id_)
    url: str = client.post(f"/api/a/{id_}/save", json={"title": title, "tag": "mixed"}).json()["url"]
    slug = url.removeprefix("/saved/")
    kinds = [kind for _, kind in named.items()]
    places_ = places(client, slug)
    assert define(client, slug, *zip(places_, named, kinds, strict=True)) == 201
    return slug


def fields(client: TestClient) -> list[str]:
    return [one["name"] for one in client.get("/api/board?tag=mixed").json()["fields"]]


def test_one_column_is_one_filter_whatever_it_is_called(client: TestClient, site: Site) -> None:
    site.profile("shop", within=30)
    first = saved_with(client, "A", "SELECT count(*) FROM sale WHERE city = 'Bern'", Place="text")
    second = saved_with(client, "B", "SELECT sum(amount) FROM sale AS s WHERE s.city = 'Bern'", Town="choice")
    assert fields(client) == ["Place"]
    body = {"tag": "mixed", "values": {"place": "Rome"}}
    led = client.post("/api/board/ask", json=body).json()["url"]
    cards = client.get(f"/api{led}").json()["cards"]
    assert [one["url"] for one in cards] == [f"/saved/{first}?v.Place=Rome", f"/saved/{second}?v.Town=Rome"]
    answers = [finished(client, one["card"]["saved"]["entry"]["id"])["answer"] for one in cards]
    assert [one["result"]["rows"] for one in answers] == [[[2]], [[16.25]]]


def test_one_name_for_two_columns_is_no_filter(client: TestClient, site: Site) -> None:
    site.profile("shop", within=30)
    saved_with(client, "A", "SELECT count(*) FROM sale WHERE year = 2014", Number="number")
    saved_with(client, "B", "SELECT count(*) FROM sale WHERE amount = 7", Number="number")
    assert fields(client) == []


def test_over_and_under_one_bound_are_two_things(client: TestClient, site: Site) -> None:
    site.profile("shop", within=30)
    saved_with(client, "A", "SELECT count(*) FROM sale WHERE amount > 8", Least="number")
    saved_with(client, "B", "SELECT count(*) FROM sale WHERE amount < 30", Most="number")
    assert fields(client) == []
    saved_with(
        client, "C", "SELECT id FROM sale WHERE amount > 9 AND amount < 40", Above="number", Below="number"
    )
    assert fields(client) == ["Least", "Most"]
