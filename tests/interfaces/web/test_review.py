"""People's work over HTTP: who sees what, and that nothing of one annotator reaches the other."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, made_site

from fathom.authoring.annotation.records import PersonRole, Project, Settling, WorkKind
from fathom.authoring.annotation.store import NewItem, Reviews
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.pages import ROUTERS
from fathom.interfaces.web.site import Site

COUNT = "SELECT COUNT(*) FROM sale"
SECRET = "SELECT COUNT(*) /* only ann would write it so */ FROM sale WHERE amount > -12345"
"""What must not reach anybody else before it is decided."""


@dataclass
class Web:
    """The server with people who are logged in, each with a browser of their own."""

    site: Site
    app: Any
    reviews: Reviews
    tokens: dict[str, str] = field(default_factory=dict)
    clients: dict[str, TestClient] = field(default_factory=dict)

    def work(self, name: str, project: str = "shop") -> str:
        """The number of the next piece of work."""
        done = self.clients[name].post(f"/api/review/p/{project}/next", json={})
        assert done.status_code == 201, done.text
        return str(done.json()["id"])

    def submit(self, name: str, project: str = "shop", **said: Any) -> str:
        work = self.work(name, project)
        done = self.clients[name].post(f"/api/review/w/{work}/submit", json=said)
        assert done.status_code == 201, done.text
        return work

    def settled(self, project: str = "shop", within: float = 30) -> list[str]:
        """How the items stand, once the machine has looked at all that are done."""
        until = monotonic() + within
        while monotonic() < until:
            items = self.reviews.items(project)
            if all(i.decision for i in items if i.submitted >= 2):
                return [i.state for i in items]
            sleep(0.05)
        raise AssertionError("not settled")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    site = made_site(tmp_path)
    with Reviews(site.settings.review) as reviews:
        roles = {"ann": PersonRole.ANNOTATOR, "ben": PersonRole.ANNOTATOR, "eve": PersonRole.EXPERT}
        tokens = {name: reviews.add_person(name, role)[1] for name, role in roles.items()}
        databases = {"shop": site.databases["shop"]}
        reviews.add_project(Project(id="shop", kind=WorkKind.SQL, title="The shop", databases=databases))
        items = [NewItem(name=f"q{i}", question=f"How many sales, {i}?", database="shop",
                         withheld={"gold": ["SELECT 'the gold is withheld'"]}) for i in range(3)]  # fmt: skip
        reviews.add_items(reviews.project("shop"), items, "test")
        app = make_app(site)
        with TestClient(app, base_url=ORIGIN) as owner:
            found = Web(site, app, reviews, tokens)
            assert owner.get("/", params={"t": TOKEN}).status_code == 200
            found.clients["owner"] = owner
            owner.headers["sec-fetch-site"] = "same-origin"
            for name, token in tokens.items():
                client = TestClient(app, base_url=ORIGIN)
                assert client.get("/", params={"t": token}).url.path == "/review"
                client.headers["sec-fetch-site"] = "same-origin"
                found.clients[name] = client
            yield found


def addresses(known: dict[str, list[str]]) -> list[str]:
    """Every address that the server has for reading, with every name that is there in its place."""
    found = []
    routes: list[Any] = [route for router in ROUTERS for route in router.routes]
    for route in routes:
        if "GET" not in (getattr(route, "methods", None) or ()):
            continue
        urls = [route.path]
        for name in re.findall(r"{(\w+)", route.path):
            part = re.compile("{" + name + "[^}]*}")
            urls = [part.sub(value, url) for url in urls for value in known.get(name, ["x"])]
        found += urls
    return [*found, "/openapi.json", "/mcp"]


def test_nothing_of_one_annotator_reaches_the_other(web: Web) -> None:
    mine = web.submit("ann", sql=SECRET, note="ann-was-here", evidence="ann-evidence")
    web.clients["ann"].post(f"/api/review/w/{mine}/comment", json={"text": "ann-comment"})
    run = web.work("ann")
    web.clients["ann"].post(f"/api/review/w/{run}/run", json={"sql": f"{SECRET} AND 'ann-draft' > ''"})
    item = web.reviews.rows("SELECT item FROM assignment WHERE id = ?", mine)[0][0]
    theirs = [web.work("ben"), web.submit("ben", sql=COUNT), web.work("ben")]
    known = {
        "project": ["shop"], "work": [mine, run, *theirs], "item": [i.id for i in web.reviews.items("shop")],
        "database": ["shop"], "table": ["sale"], "name": ["x"], "id": [mine, item], "number": ["1"],
    }  # fmt: skip
    urls = addresses(known)
    assert len(urls) > 80
    secrets = ("only ann would", "-12345", "ann-", "ann,", "withheld", web.reviews.person("ann").id)
    seen = 0
    for url in urls:
        for client in (web.clients["ben"], None):
            answer = (
                client.get(url)
                if client
                else TestClient(web.app, base_url=ORIGIN).get(
                    url, headers={"authorization": f"Bearer {web.tokens['ben']}"}
                )
            )
            seen += answer.status_code == 200
            leaked = [s for s in secrets if s in answer.text and answer.status_code != 404]
            assert not leaked, (url, leaked)
            if mine in url or run in url or "/i/" in url or url.endswith("figures"):
                assert answer.status_code in (403, 404), url
    assert seen >= 10
    for action in ("save", "run", "submit", "skip", "comment"):
        done = web.clients["ben"].post(f"/api/review/w/{mine}/{action}", json={"sql": "x", "text": "x"})
        assert done.status_code == 404
    assert web.clients["ben"].post(f"/api/review/i/{item}/decide", json={
        "action": "drop", "reason": "x"}).status_code == 404  # fmt: skip


def test_the_page_and_its_json_tell_the_same_and_no_state_but_ones_own(web: Web) -> None:
    before = web.clients["ben"].get("/api/review/p/shop").json()
    web.submit("ann", sql=SECRET)
    assert web.clients["ben"].get("/api/review/p/shop").json() == before


def test_from_two_annotators_to_an_experts_decision(web: Web) -> None:
    rated = {f"difficulty_{d}": "2" for d in ("question", "knowledge", "data", "sql")}
    by_city = {
        "ann": "SELECT city, COUNT(*) FROM sale GROUP BY city",
        "ben": "SELECT city, COUNT(amount) + 1 FROM sale GROUP BY city",
    }
    for name, own in by_city.items():
        for _ in range(3):
            work = web.work(name)
            question = web.clients[name].get(f"/api/review/w/{work}").json()["work"]["question"]
            sql = own if question.endswith("2?") else COUNT
            done = web.clients[name].post(f"/api/review/w/{work}/submit", json={"sql": sql, **rated})
            assert done.status_code == 201
    assert sorted(web.settled()) == ["conflict", "settled", "settled"]
    eve = web.clients["eve"]
    page = eve.get("/api/review/p/shop").json()
    [conflict] = page["conflicts"]
    assert "done_by" in page
    assert not page["done_by"]  # experts don't learn who did what
    item = eve.get(f"/api/review/i/{conflict['id']}").json()
    assert [r["letter"] for r in item["responses"]] == ["A", "B"]
    assert "ann" not in json.dumps(item)
    assert item["responses"][0]["odd"] == [0, 1]
    assert item["clauses"]
    html = eve.get(f"/review/i/{conflict['id']}").text
    assert "How A differs from B" in html
    assert "<mark>yes</mark>" in html
    right = next(r["letter"] for r in item["responses"] if "COUNT(*)" in r["body"]["sql"])
    url = f"/api/review/i/{conflict['id']}/decide"
    assert eve.post(url, json={"action": "choose", "letter": "Z", "reason": "x"}).status_code == 400
    assert eve.post(url, json={"action": "choose", "letter": right, "reason": "a row"}).status_code == 201
    assert web.settled() == ["settled"] * 3
    assert eve.post(url, json={"action": "reopen", "reason": "look again"}).status_code == 201
    form = {"action": "write", "sql": COUNT, "reason": "mine"}
    assert eve.post(f"/review/i/{conflict['id']}/decide", data=form).status_code == 200
    figures = web.clients["owner"].get("/api/review/p/shop/figures").json()["figures"]
    assert figures["results"]["pairs"]["hits"] == 2
    assert "Equal on the database alone" in eve.get("/review/p/shop/figures").text
    owner = web.clients["owner"].get("/api/review/p/shop").json()
    assert owner["done_by"] == {"ann": 3, "ben": 3}


def test_a_browser_without_a_script(web: Web) -> None:
    ann = web.clients["ann"]
    page = ann.post("/review/p/shop/next", data={})
    assert page.status_code == 200
    assert "How many sales" in page.text
    work = page.url.path
    ran = ann.post(f"{work}/run", data={"sql": "SELECT city FROM sale", "seconds": "12.5"})
    assert "Bern" in ran.text
    assert "SELECT city FROM sale" in ran.text
    wrong = ann.post(f"{work}/run", data={"sql": "SELECT cty FROM sale"})
    assert "no such column" in wrong.text
    refused = ann.post(f"{work}/run", data={"sql": "DROP TABLE sale"})
    assert "Refused" in refused.text
    lacking = ann.post(f"{work}/submit", data={"sql": COUNT, "unanswerable": "no"})
    assert "one of the three" in lacking.text
    assert COUNT in lacking.text.replace("&#39;", "'")
    done = ann.post(f"{work}/submit", data={"sql": COUNT})
    assert done.url.path == "/review/p/shop"
    assert "1 done" in done.text
    again = ann.get(work)
    assert "Give it anew" in again.text
    skipped = ann.post("/review/p/shop/next", data={}).url.path
    assert "skipped" in ann.post(f"{skipped}/skip", data={}).text
    ann.post("/review/p/shop/next", data={})


def test_a_token_lets_into_the_review_and_nowhere_else(web: Web) -> None:
    ann, headers = web.clients["ann"], {"authorization": f"Bearer {web.tokens['ann']}"}
    for url in (
        "/history",
        "/api/history",
        "/db/shop",
        "/ask/shop",
        "/saved",
        "/runs",
        "/openapi.json",
        "/mcp",
    ):
        assert ann.get(url).status_code == 403, url
        fresh = TestClient(web.app, base_url=ORIGIN)
        assert fresh.get(url, headers=headers).status_code == 403, url
        assert fresh.get(url).status_code == 401, url
    assert TestClient(web.app, base_url=ORIGIN).get("/api/review", headers=headers).status_code == 200
    assert ann.get("/review/p/nothing").status_code == 404
    web.reviews.let_go(web.reviews.person("ann"))
    assert ann.get("/review").status_code == 401
    assert TestClient(web.app, base_url=ORIGIN).get("/api/review", headers=headers).status_code == 401


@pytest.mark.parametrize("kind", list(WorkKind))
def test_every_kind_of_work_has_a_page_and_takes_a_response(web: Web, kind: WorkKind) -> None:
    said: dict[WorkKind, dict[str, str]] = {
        WorkKind.SQL: {"reading_1": "a", "reading_sql_1": COUNT, "reading_2": "b", "reading_sql_2": COUNT},
        WorkKind.DIFFICULTY: {f"difficulty_{d}": "2" for d in ("question", "knowledge", "data", "sql")},
        WorkKind.QUESTION: {"decision": "edit", "question": "Better?", "tables": "sale, city"},
        WorkKind.ANSWER: {"relevance": "0.5", "bioscore": "2.5", "scratch": COUNT},
        WorkKind.PREFERENCE: {"verdict": "left"},
        WorkKind.SUSPECT: {"decision": "gold_wrong", "sql": COUNT, "note": "counts"},
        WorkKind.WRITING: {"question": "How many?"},
    }
    databases = {"shop": web.site.databases["shop"]}
    project = Project(id="other", kind=kind, databases=databases, settled_by=Settling.NONE)
    web.reviews.add_project(project)
    shown = (
        {"A": "first", "B": "second"}
        if kind is WorkKind.PREFERENCE
        else {"answer": "<b>bold</b>", "gold": [COUNT]}
    )
    items = [NewItem(name="q", question="<script>alert(1)</script>?", database="shop", shown=shown)]
    web.reviews.add_items(project, items, "test")
    ann = web.clients["ann"]
    page = ann.post("/review/p/other/next", data={})
    assert "<script>alert" not in page.text
    assert "<b>bold" not in page.text
    ran = ann.post(f"{page.url.path}/run", data=said[kind])
    assert ran.status_code == 200, ran.text
    assert ("What it gives" in ran.text) == (kind in (WorkKind.SQL, WorkKind.SUSPECT, WorkKind.ANSWER))
    done = ann.post(f"{page.url.path}/submit", data=said[kind])
    assert done.url.path == "/review/p/other", done.text
    assert "1 done" in done.text
    again = ann.get(page.url.path).text
    for value in said[kind].values():
        assert value.replace(" ", "") in again.replace(" ", "") or f'value="{value}" checked' in again
