"""Links that show one answer to whoever has them: that answer alone, until they end."""

import re
import sqlite3
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.command import Fathom
from tests.interfaces.web.conftest import HOSTILE, ODD, ORIGIN, TOKEN, Asked, finished, made_site

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site

FRAME = "https://intranet.example.org"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return made_site(tmp_path, embed_in=(FRAME,))


@pytest.fixture
def stranger(client: TestClient) -> TestClient:
    """Somebody who isn't let in."""
    return TestClient(client.app, base_url=ORIGIN)


def made(client: TestClient, id_: str, **body: object) -> dict[str, str]:
    done = client.post(f"/api/a/{id_}/links", json=body)
    assert done.status_code == 201, done.text
    found: dict[str, str] = done.json()
    return found


def test_whoever_has_a_link_sees_one_answer(client: TestClient, stranger: TestClient, asked: Asked) -> None:
    id_ = asked("How many sales are there per city?")["entry"]["id"]
    link = made(client, id_)["url"]
    assert len(link.removeprefix(f"{ORIGIN}/s/")) >= 40
    page = stranger.get(link)
    assert page.status_code == 200
    for shown in ("How many sales are there per city?", "Bern", "Rome", "data:image/svg+xml;base64,"):
        assert shown in page.text
    for hidden in ("shop", "SELECT", "<script", "<nav", id_, TOKEN):
        assert hidden not in page.text, hidden
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page.text)
    assert {a.split("/")[1] if a.startswith("/") else a[:4] for a in addresses} == {"static", "data"}
    assert page.headers["x-robots-tag"] == "noindex"
    assert page.headers["cache-control"] == "no-store"
    assert "set-cookie" not in page.headers
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy
    for path in (f"/a/{id_}", f"/a/{id_}/chart.svg", f"/api/a/{id_}", "/", "/history"):
        assert stranger.get(path).status_code == 401, path
    assert stranger.post(link.removeprefix(ORIGIN)).status_code in (401, 403, 405)


def test_a_link_ends_by_itself_when_ended_and_with_its_answer(
    client: TestClient, stranger: TestClient, site: Site, asked: Asked
) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    first, second, third = (made(client, id_) for _ in range(3))
    page = client.get(f"/a/{id_}").text
    assert page.count("End it") == 3
    assert first["url"] not in page  # it isn't kept
    client.post(f"/a/{id_}/links/{first['number']}/end")
    assert stranger.get(first["url"]).status_code == 404
    assert stranger.get(second["url"]).status_code == 200
    with sqlite3.connect(site.settings.store) as store:
        assert second["url"].rpartition("/")[2] not in str(store.execute("SELECT * FROM link").fetchall())
        store.execute(
            "UPDATE link SET ends_at = '2020-01-01T00:00:00.000+00:00' WHERE number = ?", (second["number"],)
        )
    gone = stranger.get(second["url"])
    assert (gone.status_code, "<nav" in gone.text, "shop" in gone.text) == (404, False, False)
    assert stranger.get(third["url"]).status_code == 200
    client.post(f"/a/{id_}/delete")
    assert stranger.get(third["url"]).status_code == 404
    for odd in ("/s/", "/s/x", f"/s/{'x' * 5_000}", "/s/..%2f..%2fhistory", "/embed/x", "/s/x/y", "/s"):
        assert stranger.get(odd).status_code in (401, 404), odd


def test_pages_of_other_sites_show_what_a_link_says_they_may(
    client: TestClient, stranger: TestClient, asked: Asked
) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    plain, framed = made(client, id_), made(client, id_, embeds=True)
    assert plain["embed"] == ""
    page = stranger.get(framed["embed"])
    assert page.status_code == 200
    assert f"frame-ancestors {FRAME}" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in stranger.get(framed["url"]).headers["content-security-policy"]
    assert stranger.get(plain["url"].replace("/s/", "/embed/")).status_code == 404
    told = client.post(f"/a/{id_}/links", data={"days": "30", "embeds": "true"}).text
    assert "&lt;iframe src=" in told
    assert FRAME in told
    for path in ("/", f"/a/{id_}"):
        assert "frame-ancestors 'none'" in client.get(path).headers["content-security-policy"]


def test_links_that_can_t_be_made(client: TestClient, site: Site, asked: Asked, tmp_path: Path) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    for body in ({"days": 0}, {"days": 366}, {"days": "x"}):
        assert client.post(f"/api/a/{id_}/links", json=body).status_code == 422
    assert client.post("/api/a/nothing/links", json={}).status_code == 404
    cross = client.post(f"/api/a/{id_}/links", json={}, headers={"sec-fetch-site": "cross-site"})
    assert cross.status_code == 403
    (tmp_path / "other").mkdir()
    with TestClient(make_app(made_site(tmp_path / "other")), base_url=ORIGIN) as plain:
        plain.get("/", params={"t": TOKEN})
        plain.headers["sec-fetch-site"] = "same-origin"
        made_ = plain.post("/api/ask/shop", json={"question": "How many sales are there?"}).json()["id"]
        finished(plain, made_)
        refused = plain.post(f"/api/a/{made_}/links", json={"embeds": True})
        assert (refused.status_code, "--embed-in" in refused.text) == (400, True)
        assert "may show it" not in plain.get(f"/a/{made_}").text


def test_hostile_rows_are_text_for_strangers_too(client: TestClient, stranger: TestClient) -> None:
    made_ = client.post("/api/db/shop/sql", json={"sql": f"SELECT * FROM {ODD}", "title": HOSTILE}).json()[
        "id"
    ]
    finished(client, made_)
    page = stranger.get(made(client, made_)["url"]).text
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "origin",
    ["*", "https://a.b/c", "intranet", "https://a.b; script-src *", "https://*.b", "ftp://a.b", "https://"],
)
def test_what_is_no_origin_isn_t_written_into_a_policy(fathom: Fathom, origin: str) -> None:
    done = fathom("serve", "--embed-in", origin, "--port", "0")
    assert done.code != 0
    assert "no origin" in done.err
