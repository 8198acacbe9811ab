"""Users of one server, each with what they may see: who they are, what pages, programs and assistants get."""

import asyncio
import json
import socket
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi.testclient import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from fathom.answering.audit_log import AuditLog
from fathom.answering.store import Store
from fathom.config import Settings
from fathom.databases.sqlite import SQLite
from fathom.errors import ConfigError
from fathom.interfaces.cli.serve import serve
from fathom.interfaces.web.site import Rules, Site
from fathom.interfaces.web.users import Entrance, Gate
from tests.interfaces.web.conftest import finished
from tests.rights.questions import questions
from tests.rights.world import HIDDEN_TABLE, WHOLE, leaks

HOST, TOKEN, HEADER = "127.0.0.1:8765", "all-of-it", "X-Forwarded-User"
RIGHTS = """
[users.anna]
token = "sha256:{anna}"
[users.carl]
token = "sha256:{carl}"
[users.ben]
token = "sha256:{ben}"
[users.dora]
token = "sha256:{dora}"

[[grants]]
to = ["anna", "carl"]
databases = ["shop"]
tables = ["*"]
deny_tables = ["xylomancy"]
[grants.columns.customers]
deny = ["quorvex"]
[grants.rows]
customers = "country = 'France'"
orders = "customer_id < 5"

[[grants]]
to = ["ben"]
databases = ["shop"]
tables = ["products"]
sql = false
"""
SEEN = ("/", "/db", "/db/shop", "/db/shop/t/customers", "/db/shop/t/orders", "/ask/shop", "/db/shop/sql")
ASKED = (
    "How many customers are there?",
    "Which customers live in Ulmengard?",
    "orders per city",
    "quorvex by city",
)


def entrance(folder: Path, **more: Any) -> Entrance:
    file = folder / "rights.toml"
    digests = {n: sha256(f"of-{n}".encode()).hexdigest() for n in ("anna", "ben", "carl", "dora")}
    file.write_text(RIGHTS.format(**digests), encoding="utf-8")
    return Entrance(file, **more)


def made_site(folder: Path, host: str) -> Site:
    with sqlite3.connect(folder / "shop.db") as writer:
        for statement in WHOLE:
            writer.execute(statement)
    writer.close()
    return reopened(folder, host)


def reopened(folder: Path, host: str = HOST) -> Site:
    settings = Settings(folder / "config.toml", folder / "cache", store=folder / "fathom.sqlite")
    rules = Rules(TOKEN, frozenset({host}), frozenset({f"http://{host}"}))
    return Site(settings, rules, Store(settings.store), {"shop": str(folder / "shop.db")})


@contextmanager
def served(folder: Path, **more: Any) -> Iterator[TestClient]:
    gate = Gate(made_site(folder, HOST), entrance(folder, **more))
    with TestClient(gate, base_url=f"http://{HOST}") as client:
        yield client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with served(tmp_path, header=HEADER, proxies=frozenset({"testclient"})) as made:
        yield made


def by(name: str) -> dict[str, str]:
    """The headers of a program of a user's."""
    return {"authorization": f"Bearer of-{name}"}


def asked(client: TestClient, question: str, headers: dict[str, str]) -> dict[str, Any]:
    client.headers.update(headers)
    done = client.post("/api/ask/shop", json={"question": question})
    assert done.status_code == 201, done.text
    return finished(client, done.json()["id"])


FORMS = ("", "/answer.json", "/answer.md", "/answer.html", "/answer.csv", "/chart.json", "/events")
"""How an answer can be had."""


def test_no_page_shows_what_is_hidden(client: TestClient) -> None:
    for question in ASKED:
        id_ = asked(client, question, by("anna"))["entry"]["id"]
        for path in (*(f"/a/{id_}{form}" for form in FORMS), "/history", *SEEN):
            for where in (path, f"/api{path}"):
                told = client.get(where).text
                assert not leaks(told, " ".join(ASKED)), (where, told)
    assert "customers" in client.get("/api/db/shop").text


def test_no_answer_to_a_program_holds_what_is_hidden(client: TestClient) -> None:
    """Every fifth question begins a conversation, the others go on with it."""
    client.headers.update(by("anna"))
    talk: list[str] = []
    endings, conversation = set(), ""
    for question in questions()[3::8]:
        if len(talk) == 5:
            talk, conversation = [], ""
        talk.append(question)
        body = {"question": question, "conversation": conversation}
        page = finished(client, client.post("/api/ask/shop", json=body).json()["id"])
        conversation = page["entry"]["conversation"]
        endings.add(page["entry"]["status"])
        told = [client.get(f"/a/{page['entry']['id']}{form}").text for form in ("", "/answer.html")]
        assert not leaks([page, told], " ".join(talk)), (question, page)
    assert len(endings) == 3


def test_users_put_no_files_there(client: TestClient) -> None:
    put = {"files": {"file": ("a.csv", b"x,y\n1,2\n")}}
    assert client.post("/api/files", headers=by("anna"), **put).status_code >= 400  # type: ignore[arg-type]
    whole = {"authorization": f"Bearer {TOKEN}"}
    assert client.post("/api/files", headers=whole, **put).status_code == 201  # type: ignore[arg-type]
    assert "a.csv" in client.get("/api/db", headers=whole).text
    assert "a.csv" not in client.get("/api/db", headers=by("anna")).text
    assert client.get("/api/db/a.csv", headers=by("anna")).status_code == 404


def test_a_hidden_table_is_told_of_as_one_that_nothing_has(client: TestClient) -> None:
    hidden = client.get(f"/api/db/shop/t/{HIDDEN_TABLE}", headers=by("anna"))
    missing = client.get("/api/db/shop/t/qlomancyx", headers=by("anna"))
    assert hidden.status_code == missing.status_code == 404
    assert hidden.text.replace(HIDDEN_TABLE, "~") == missing.text.replace("qlomancyx", "~")
    assert client.get(
        f"/api/db/shop/t/{HIDDEN_TABLE}", headers={"authorization": f"Bearer {TOKEN}"}
    ).is_success


def test_a_query_by_hand_is_filtered_or_refused(client: TestClient) -> None:
    def sent(sql: str, name: str) -> Any:
        return client.post("/api/db/shop/sql", json={"sql": sql}, headers=by(name))

    done = sent("SELECT name FROM customers", "anna")
    assert done.is_success, done.text
    client.headers.update(by("anna"))
    page = finished(client, done.json()["id"])
    assert "Anna Petit" in json.dumps(page)
    assert not leaks(json.dumps(page))
    assert not sent("SELECT title FROM products", "ben").is_success


def test_what_is_asked_in_a_browser_is_logged_with_its_user(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(tmp_path / "audit.jsonl"))
    monkeypatch.setenv("LOGNAME", "server")
    page = asked(client, "How many customers are there?", by("anna") | {"user-agent": "Firefox/150.0"})
    by_hand = client.post("/api/db/shop/sql", json={"sql": "SELECT name FROM customers"}).json()["id"]
    finished(client, by_hand)
    client.get("/db/shop/t/customers")
    asked(client, "How many orders are there?", {"authorization": f"Bearer {TOKEN}"})
    first, second, looked, last = AuditLog(tmp_path / "audit.jsonl").entries()
    assert {e.interface for e in (first, second, looked, last)} == {"browser"}
    assert [e.user for e in (first, second, looked, last)] == ["server as anna"] * 3 + ["server"]
    assert (first.answer_id, second.answer_id) == (page["entry"]["id"], by_hand)
    assert (first.client, second.sql) == ("Firefox/150.0", "SELECT name FROM customers")


def test_answers_are_opened_by_those_alone_who_see_the_same(client: TestClient) -> None:
    question = "How many products are there?"
    id_ = asked(client, question, by("anna"))["entry"]["id"]
    assert client.get(f"/api/a/{id_}", headers=by("carl")).is_success
    assert client.get(f"/api/a/{id_}", headers=by("ben")).status_code == 404
    assert client.get(f"/api/a/{id_}", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 404
    whole = asked(client, question, {"authorization": f"Bearer {TOKEN}"})["entry"]["id"]
    assert client.get(f"/api/a/{whole}", headers=by("anna")).status_code == 404
    assert question not in client.get("/api/history", headers=by("ben")).text


def test_nobody_else_sees_or_stops_what_a_user_s_question_does(client: TestClient) -> None:
    # It counts to two thousand millions: nobody waits for it.
    endless = "SELECT count(*) FROM products a" + "".join(f" JOIN products p{n} ON 1 = 1" for n in range(19))
    begun = client.post("/api/db/shop/sql", json={"sql": endless}, headers=by("anna")).json()["id"]
    for other in (by("ben"), {"authorization": f"Bearer {TOKEN}"}):
        for path in (f"/api/a/{begun}", f"/api/a/{begun}/events", f"/a/{begun}", f"/a/{begun}/answer.json"):
            assert client.get(path, headers=other).status_code == 404, path
        for path in (f"/api/a/{begun}/cancel", f"/api/a/{begun}/delete", f"/api/a/{begun}/again"):
            assert client.post(path, json={}, headers=other).status_code == 404, path
        assert client.get("/api/history", headers=other).json()["entries"] == []
    assert client.get(f"/api/a/{begun}", headers=by("anna")).json()["entry"]["status"] in (
        "waiting",
        "working",
    )
    entry = client.get(f"/api/a/{begun}", headers=by("carl")).json()["entry"]  # who may see the same
    assert entry["asked_by"] == "anna"
    assert client.post(f"/api/a/{begun}/cancel", json={}, headers=by("anna")).status_code == 201
    client.headers.update(by("anna"))
    assert finished(client, begun)["entry"]["status"] == "cancelled"


def test_who_has_no_grant_finds_no_database(client: TestClient) -> None:
    assert "shop" not in client.get("/api/db", headers=by("dora")).text
    assert client.get("/api/db/shop", headers=by("dora")).status_code == 404


ALL_OF_IT = """
/runs /review /db/shop/knowledge /db/shop/teach /db/shop/lessons.yaml /openapi.json /metrics /compare
/run-question /api/runs /api/db/shop/knowledge/1 /api/review
"""


@pytest.mark.parametrize("path", ALL_OF_IT.split())
def test_what_shows_more_than_a_part_is_not_for_users(client: TestClient, path: str) -> None:
    assert client.get(path, headers=by("anna")).status_code == 403


def test_a_wrong_token_or_none_lets_nobody_in(client: TestClient) -> None:
    assert client.get("/api/db").status_code == 401
    assert client.get("/api/db", headers=by("nobody")).status_code == 401
    assert client.get("/api/db", headers={"cookie": "fathom=anna"}).status_code == 401


def test_a_browser_logs_in_by_the_token_in_an_address(client: TestClient) -> None:
    answer = client.get("/db?t=of-anna", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/db")
    assert "httponly" in answer.headers["set-cookie"].casefold()
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "shop" in client.get("/db").text
    body = {"question": "How many products are there?"}
    assert client.post("/api/ask/shop", json=body).status_code == 403
    assert (
        client.post("/api/ask/shop", json=body, headers={"sec-fetch-site": "same-origin"}).status_code == 201
    )


def test_a_changed_token_ends_the_sessions_that_it_began(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        client.get("/?t=of-anna")
        assert client.get("/api/db").status_code == 200
        cookies = dict(client.cookies)
    file = tmp_path / "rights.toml"
    old, new = (sha256(token).hexdigest() for token in (b"of-anna", b"another"))
    gate = Gate(reopened(tmp_path), Entrance(file))
    with TestClient(gate, base_url=f"http://{HOST}", cookies=cookies) as client:
        assert client.get("/api/db").status_code == 200
        file.write_text(file.read_text().replace(old, new))
        assert client.get("/api/db").status_code == 401  # with the next request, the server goes on


def test_what_the_rights_say_by_now_holds_with_the_next_request(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        file, anna = tmp_path / "rights.toml", by("anna")
        told = client.get("/api/db/shop", headers=anna).text
        assert ("products" in told, HIDDEN_TABLE in told) == (True, False)
        wide = file.read_text()
        file.write_text(wide.replace('tables = ["*"]', 'tables = ["customers"]'))
        assert "products" not in client.get("/api/db/shop", headers=anna).text
        file.write_text("grants = 1")  # what can't be read changes nothing
        assert "customers" in client.get("/api/db/shop", headers=anna).text
        file.write_text(wide.replace('to = ["anna", "carl"]', 'to = ["carl"]'))
        assert client.get("/api/db/shop", headers=anna).status_code == 404


def test_users_estimate_queries_as_they_may_run_them(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SQLite, "tells_size", True)
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 4_242)

    def sent(sql: str, name: str) -> Any:
        return client.post("/api/db/shop/estimate", json={"sql": sql}, headers=by(name))

    assert sent("SELECT title FROM products", "anna").json() == {"bytes": 4_242}
    assert sent("SELECT name FROM customers", "anna").json() == {"bytes": None}  # rows of it are hidden
    hidden = sent(f"SELECT * FROM {HIDDEN_TABLE}", "anna")
    missing = sent("SELECT * FROM xylophones", "anna")
    assert (hidden.status_code, missing.status_code) == (400, 400)
    assert hidden.text.replace(HIDDEN_TABLE, "-") == missing.text.replace("xylophones", "-")
    assert "Your rights let you ask questions" in sent("SELECT title FROM products", "ben").text
    assert "Your rights let you ask questions" in client.get("/db/shop/sql", headers=by("ben")).text
    hidden_query = {"sql": f"SELECT * FROM {HIDDEN_TABLE}", "at": 14}
    form = client.post("/db/shop/sql/explain", data=hidden_query, headers=by("anna"))
    assert form.status_code == 200
    assert not leaks(form.text.replace(HIDDEN_TABLE, ""))
    for what in ("check", "names", "explain"):
        told = client.post(f"/api/db/shop/sql/{what}", json=hidden_query, headers=by("anna"))
        assert told.status_code == 200
        assert not leaks(told.text.replace(HIDDEN_TABLE, "")), what
    seen = client.post(
        "/api/db/shop/sql/explain", json={"sql": "SELECT title FROM products"}, headers=by("anna")
    ).json()
    assert (seen["plan"], seen["problem"]) == ("", "")


def test_users_make_no_links_and_open_those_of_others(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        own = asked(client, "How many products are there?", by("anna"))["entry"]["id"]
        refused = client.post(f"/api/a/{own}/links", json={})
        assert (refused.status_code, "not show them" in refused.text) == (400, True)
        assert "A link for whoever has it" not in client.get(f"/a/{own}").text
        whole = {"authorization": f"Bearer {TOKEN}"}
        theirs = asked(client, "How many customers are there?", whole)["entry"]["id"]
        link = client.post(f"/api/a/{theirs}/links", json={}).json()["url"]
        for headers in (by("anna"), {"authorization": "Bearer nobody"}):
            assert client.get(link, headers=headers).status_code == 200


def test_a_proxy_says_who_it_is(client: TestClient) -> None:
    assert "shop" in client.get("/api/db", headers={HEADER: "anna"}).text
    assert client.get("/api/db", headers={HEADER: "nobody"}).status_code == 403
    assert client.get("/api/db", headers=[(HEADER, "anna"), (HEADER, "ben")]).status_code == 403
    assert client.get("/api/db").status_code == 401
    assert client.post("/api/ask/shop", json={"question": "x"}, headers={HEADER: "anna"}).status_code == 403


def test_nobody_else_says_who_it_is(tmp_path: Path) -> None:
    with served(tmp_path, header=HEADER, proxies=frozenset({"10.0.0.1"})) as client:
        assert client.get("/api/db", headers={HEADER: "anna"}).status_code == 403
        said = {HEADER: "anna", "x-forwarded-for": "10.0.0.1"}
        assert client.get("/api/db", headers=said).status_code == 403
    (tmp_path / "other").mkdir()
    with served(tmp_path / "other") as client:
        assert client.get("/api/db", headers={HEADER: "anna"}).status_code == 401


def test_only_our_own_hosts_are_answered(client: TestClient) -> None:
    for headers in (by("anna"), {HEADER: "anna"}):
        assert client.get("/api/db", headers={**headers, "host": "evil.example"}).status_code == 421
    assert (
        client.get("/?t=of-anna", headers={"host": "evil.example"}, follow_redirects=False).status_code == 421
    )


def test_a_proxy_needs_its_address_and_the_rights() -> None:
    for wrong in (
        {"auth_header": HEADER},
        {"proxy": ("127.0.0.1",)},
        {"auth_header": HEADER, "proxy": ("::1",)},
    ):
        with pytest.raises(ConfigError, match="all three"):
            serve(port=0, **wrong)


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """The users' sites at a port: its host."""
    opened = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{opened.getsockname()[1]}"
    gate = Gate(made_site(folder, host), entrance(folder))
    server = uvicorn.Server(uvicorn.Config(gate, log_level="critical", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield host
    finally:
        server.should_exit = True
        thread.join(20)


@asynccontextmanager
async def assistant(host: str, name: str) -> AsyncIterator[Client]:
    """An assistant of a user's."""
    async with httpx2.AsyncClient(headers=by(name), timeout=60) as http:
        transport = streamable_http_client(f"http://{host}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ask", {"question": "How many customers are there?"}),
    ("search", {"text": "", "kind": "table", "detail": "full"}),
    ("search", {"text": "Zambrokwist"}),
    ("search", {"text": HIDDEN_TABLE}),
    ("run_sql", {"sql": "SELECT * FROM customers"}),
    ("run_sql", {"sql": f"SELECT * FROM {HIDDEN_TABLE}"}),
    ("explain_sql", {"sql": "SELECT name FROM customers"}),
)


def test_assistants_get_what_their_user_may_see(tmp_path: Path) -> None:
    async def use(name: str) -> list[str]:
        async with assistant(host, name) as client:
            return [str(await client.call_tool(tool, arguments)) for tool, arguments in CALLS]

    async def talk() -> None:
        async with assistant(host, "anna") as client:
            after, before = "", ""
            for question in questions()[5::9]:
                given = await client.call_tool("ask", {"question": question, "after": after})
                assert not leaks(given, f"{before} {question}"), (question, given)
                after, before = given.structured_content["answer_id"], question

    with listening(tmp_path) as host:
        said = asyncio.run(use("anna"))
        assert not [one for (_, told), one in zip(CALLS, said, strict=True) if leaks(one, str(told))]
        ask, tables, _, _, rows, refused, _ = said
        assert "4 customers" in ask
        assert "customers" in tables
        assert "Anna Petit" in rows
        assert "no table" in refused
        asyncio.run(talk())
        with pytest.raises(BaseException):  # noqa: B017, PT011 - a group of errors of the library's own
            asyncio.run(use("nobody"))
