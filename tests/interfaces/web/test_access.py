import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import HOST, ORIGIN, TOKEN, finished, made_site
from tests.reports.stored import make_run

from fathom.answering.store import Store
from fathom.interfaces.web.access import HEADERS, RateLimit
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site

CASES = yaml.safe_load(Path(__file__).with_name("access.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_who_is_let_in(client: TestClient, site: Site, case: dict[str, Any]) -> None:
    cookie, bearer = case.get("cookie"), case.get("bearer")
    if cookie:
        client.cookies.clear()
    if cookie == "made-up":
        client.cookies.set(site.rules.cookie, "made-up")
    del client.headers["sec-fetch-site"]
    headers = {"host": case.get("host", HOST)}
    if "origin" in case:
        headers["origin"] = case["origin"]
    if "site" in case:
        headers["sec-fetch-site"] = case["site"]
    if bearer:
        headers["authorization"] = f"Bearer {TOKEN if bearer == 'right' else bearer}"
    method, path = case.get("method", "GET"), case.get("path", "/")
    if method == "POST":
        path = "/ask/shop"
    asked = client.request(
        method,
        path.replace("right", TOKEN),
        headers=[(k.encode(), v.encode()) for k, v in headers.items()],
        data={"question": "How many sales are there?"} if method == "POST" else None,
        follow_redirects=False,
    )
    assert asked.status_code == case["status"], asked.text
    for name, value in HEADERS.items():
        assert asked.headers[name] == value
    if case["status"] >= 400:
        assert not site.store.history()


def test_two_names_at_once_are_none(client: TestClient) -> None:
    asked = client.get("/", headers=[("host", HOST), ("host", "evil.example")])
    assert asked.status_code == 421


def test_the_token_becomes_a_cookie_that_scripts_and_other_pages_do_not_get(site: Site) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        first = client.get("/history", params={"t": TOKEN, "q": "a b"}, follow_redirects=False)
        assert first.headers["location"] == "/history?q=a+b"
        cookie = first.headers["set-cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=2592000;"))
        assert TOKEN not in cookie
        assert client.get("/history").status_code == 200
        assert client.get("/", params={"t": TOKEN}, follow_redirects=False).status_code == 303  # once more


def test_a_session_outlives_the_server(site: Site) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        kept = dict(client.cookies)
    after = Site(site.settings, site.rules, Store(site.settings.store), site.databases)
    with TestClient(make_app(after), base_url=ORIGIN, cookies=kept) as again:
        assert again.get("/").status_code == 200


def test_a_session_ends_while_the_server_runs(client: TestClient, site: Site) -> None:
    client.get("/", params={"t": TOKEN})
    assert client.get("/history").status_code == 200
    with sqlite3.connect(site.settings.store) as file:
        file.execute("UPDATE session SET begun_at = '2020-01-01T00:00:00.000+00:00'")
    assert client.get("/history").status_code == 401


def test_an_address_never_leads_elsewhere(site: Site) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
            led = client.get(f"{ORIGIN}{path}?t={TOKEN}", follow_redirects=False)
            assert led.headers["location"].startswith("/evil.example"), path


def test_wrong_tokens_are_few(site: Site) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        told = [client.get("/", params={"t": f"guess{i}"}).status_code for i in range(7)]
        assert told == [403] * 5 + [429] * 2
        assert client.get("/", params={"t": TOKEN}).status_code == 200


def test_too_much_is_not_taken(client: TestClient) -> None:
    long = client.post("/ask/shop", data={"question": "x" * 1_100_000})
    assert long.status_code == 413
    question = client.post("/api/ask/shop", json={"question": "x" * 2_001})
    assert question.status_code == 422
    sql = client.post("/api/a/any/sql", json={"sql": "x" * 100_001})
    assert sql.status_code == 422


def test_a_body_that_hides_its_length_is_cut(client: TestClient) -> None:
    def chunks() -> Any:
        for _ in range(20):
            yield b"question=" + b"x" * 100_000

    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/ask/shop", content=chunks(), headers=kind).status_code in (400, 413, 422)


def test_so_many_questions_a_minute(tmp_path: Path) -> None:
    with TestClient(make_app(made_site(tmp_path, jobs_a_minute=2)), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        told = [client.post("/api/ask/shop", json={"question": "How many sales?"}) for _ in range(3)]
        assert [t.status_code for t in told] == [201, 201, 429]
        assert told[-1].headers["retry-after"]


def test_a_rate_counts_each_name_by_itself() -> None:
    rate = RateLimit(2)
    assert [rate.allows(n) for n in ("a", "a", "b", "a", "b")] == [True, True, True, False, True]


def test_no_template_trusts_what_it_shows() -> None:
    for package in ("interfaces/web", "answering"):
        folder = Path("src/fathom") / package / "templates"
        for file in folder.glob("*.html"):
            text = file.read_text(encoding="utf-8")
            assert "|safe" not in text.replace(" ", ""), file
            assert "autoescape" not in text, file
            assert package == "answering" or ("<style" not in text and "style=" not in text), file
            assert " on" not in text or not any(f' on{e}="' in text for e in ("click", "load", "error")), file


def test_no_page_holds_a_path_or_a_secret(tmp_path: Path) -> None:
    pack = tmp_path / "sales.yaml"
    pack.write_text("tables: {sale: {description: What was sold}}", encoding="utf-8")
    make_run(tmp_path / "runs" / "first", seed=1, count=3)
    site = made_site(tmp_path, packs={"shop": (pack,)}, runs=tmp_path / "runs")
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        id_ = client.post("/api/ask/shop", json={"question": "How many sales are there?"}).json()["id"]
        finished(client, id_)
        pages = (
            "/", "/ask/shop", f"/a/{id_}", "/history", "/saved", "/db", "/db/shop", "/db/shop/t/sale",
            "/db/shop/sql", "/db/shop/knowledge", "/db/shop/knowledge/1", "/tools", "/runs", "/runs/first",
            "/compare?run=first", "/help", "/nothing", "/db/nothing", "/runs/nothing",
        )  # fmt: skip
        for page in pages:
            for url in (page, f"/api{page if page != '/' else '/home'}"):
                text = client.get(url).text
                assert str(tmp_path) not in text, url
                assert TOKEN not in text, url
                assert client.cookies[site.rules.cookie] not in text, url
