"""Teaching from an answer, in a browser without a script: tried side by side, kept, used, undone."""

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from time import monotonic, sleep
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import HOSTILE, ORIGIN, TOKEN, Asked, made_site
from tests.interfaces.web.test_answers import unsure

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site
from fathom.knowledge.lessons import LessonFile, solved

QUESTION = "Which place sells best?"
SQL = "SELECT city FROM sale GROUP BY city ORDER BY SUM(amount) DESC LIMIT 1"


def tried(client: TestClient, **teaching: str) -> dict[str, Any]:
    """The page of a lesson that was tried, as JSON."""
    done = client.post("/api/db/shop/teach", json=teaching)
    assert done.status_code == 201, done.text
    return over(client, done.json()["id"])


def over(client: TestClient, id_: str, within: float = 60) -> dict[str, Any]:
    until = monotonic() + within
    while monotonic() < until:
        page: dict[str, Any] = client.get(f"/api/db/shop/teach/{id_}").json()
        if page["status"] not in ("waiting", "working"):
            return page
        sleep(0.05)
    raise AssertionError(f"{id_} isn't over")


def keep(client: TestClient, page: dict[str, Any], **body: Any) -> Any:
    return client.post(f"/api/db/shop/teach/{page['id']}/keep", json=body)


def file_of(site: Site) -> LessonFile:
    return site.lessons(site.database("shop"))


def test_from_an_answer_to_what_it_changes_and_back(client: TestClient, site: Site, asked: Asked) -> None:
    first = asked(QUESTION)["entry"]
    assert first["status"] != "sure"
    page = client.get(f"/a/{first['id']}").text
    form = re.search(r'href="(/db/shop/teach\?answer=\w+)"', page)
    assert form
    assert f'value="{QUESTION}"' in client.get(form[1]).text
    sent = {"kind": "example", "question": QUESTION, "sql": SQL, "answer": first["id"], "by": "Ann"}
    led = client.post("/db/shop/teach", data=sent, follow_redirects=False).headers["location"]
    over(client, led.rpartition("/")[2])
    page = client.get(led).text
    assert "nothing can break" in page
    assert "<ins>+" in page
    without, _, with_it = page.partition("Without it")[2].partition("With it")
    assert first["says"][:20] in unescape(without)
    assert "Bern" in with_it
    assert not file_of(site).lessons  # nothing is kept by trying
    kept = client.post(f"{led}/keep", data={}, follow_redirects=False)
    assert kept.status_code == 303
    again = asked(QUESTION)
    assert again["answer"]["sql"] == SQL
    (lesson,) = file_of(site).lessons
    assert (lesson.answer, lesson.by) == (first["id"], "Ann")
    shown = client.get("/db/shop/teach").text
    assert f"/db/shop/lessons/{lesson.id}/undo" in shown
    assert "Kept" in client.get(led).text
    undone = client.post(f"/db/shop/lessons/{lesson.id}/undo", data={}, follow_redirects=False)
    assert undone.headers["location"] == "/db/shop/teach"
    assert "Undone" in client.get(led).text
    assert asked(QUESTION)["entry"]["status"] == first["status"]
    assert client.post(f"/api/db/shop/lessons/{lesson.id}/undo", json={}).status_code == 404


def test_a_word_a_value_and_a_rule(client: TestClient, asked: Asked) -> None:
    word = tried(client, kind="synonym", word="deals", means="sale", question="How many deals are there?")
    assert word["before"]["ending"] != "sure"
    assert word["after"]["result"]["rows"] == [[4]]
    assert keep(client, word).status_code == 201
    value = tried(
        client, kind="value", word="the capital", means="sale.city", value="Bern",
        question="How many sales were there in the capital?",
    )  # fmt: skip
    assert value["after"]["result"]["rows"] == [[2]]
    rule = tried(
        client, kind="convention", rule="Small sales don't count", condition="amount > 8", tables="sale",
        question="How many sales are there?",
    )  # fmt: skip
    assert (rule["before"]["result"]["rows"], rule["after"]["result"]["rows"]) == ([[4]], [[3]])
    assert asked("How many deals are there?")["answer"]["result"]["rows"] == [[4]]


def test_a_reading_is_taught_as_what_the_question_means(client: TestClient, site: Site) -> None:
    id_ = unsure(site)
    page = client.get(f"/db/shop/teach?answer={id_}").text
    assert "the city is Bern" in page
    assert "SELECT &#39;Rome&#39;" in page
    found = tried(client, kind="example", question="Which city?", sql="SELECT 'Rome'", answer=id_)
    assert found["after"]["result"]["rows"] == [["Rome"]]


def test_what_breaks_solved_questions_is_kept_only_if_insisted(client: TestClient, site: Site) -> None:
    site.database("shop")
    file_of(site).add(solved("How many sales are there?", "SELECT COUNT(*) FROM sale"))
    page = tried(client, kind="convention", rule="Only Bern", condition="city = 'Bern'", tables="sale")
    assert page["broken"] == ["How many sales are there?"]
    assert "Keep it all the same" in client.get(f"/db/shop/teach/{page['id']}").text
    refused = keep(client, page)
    assert refused.status_code == 400
    assert "breaks 1 solved" in refused.json()["error"]["message"]
    assert keep(client, page, anyway=True).status_code == 201
    assert len(file_of(site).lessons) == 2


@pytest.mark.parametrize(
    ("teaching", "problem"),
    [
        ({"kind": "example", "question": QUESTION}, "the query is missing"),
        ({"kind": "example", "question": QUESTION, "sql": "DROP TABLE sale"}, "can't be learned"),
        ({"kind": "synonym", "word": "deals", "means": "sal"}, "Did you mean 'sale'"),
        ({"kind": "value", "word": "w", "means": "sale", "value": "v"}, "table.column"),
        ({"kind": "convention", "rule": "r", "condition": "1 =", "tables": "sale"}, "not an SQL"),
    ],
)
def test_what_cant_be_learned_says_why_and_keeps_what_was_typed(
    client: TestClient, teaching: dict[str, str], problem: str
) -> None:
    page = tried(client, **teaching)
    assert page["status"] == "failed"
    assert problem in page["why"]
    html = client.get(f"/db/shop/teach/{page['id']}").text
    assert all(v.replace("=", "=") in html for v in teaching.values())
    assert keep(client, page).status_code == 400


def test_lessons_of_another_process_are_used_at_once(client: TestClient, site: Site, asked: Asked) -> None:
    asked(QUESTION)
    LessonFile(file_of(site).file).add(solved(QUESTION, SQL))
    assert asked(QUESTION)["answer"]["sql"] == SQL


def test_many_clients_teach_at_once_and_nothing_is_lost(client: TestClient, site: Site) -> None:
    pages = [
        tried(client, kind="example", question=f"What is number {n}?", sql=f"SELECT {n}") for n in range(6)
    ]
    with ThreadPoolExecutor(8) as pool:
        both = [*pages, *pages]  # a double click keeps once
        assert {r.status_code for r in pool.map(lambda p: keep(client, p), both)} == {201}
    kept = [lesson.pack.examples[0].sql for lesson in file_of(site).lessons]
    assert sorted(kept) == [f"SELECT {n}" for n in range(6)]


def test_what_contradicts_is_told_and_never_kept_silently(client: TestClient, site: Site) -> None:
    one, other = (tried(client, question=QUESTION, sql=sql) for sql in (SQL, "SELECT 'Rome'"))
    assert keep(client, one).status_code == 201
    late = keep(client, other)  # it was tried before the other one was kept
    assert late.status_code == 409
    assert "says otherwise" in late.json()["error"]["message"]
    again = tried(client, question=QUESTION, sql="SELECT 'Rome'")
    assert [c["id"] for c in again["contradicted"]] == [file_of(site).lessons[0].id]
    assert again["overruled"]
    assert "says otherwise" in client.get(f"/db/shop/teach/{again['id']}").text
    assert keep(client, again).status_code == 400
    assert keep(client, again, anyway=True).status_code == 201


def test_without_sql_only_what_fathom_wrote_is_taught(tmp_path_factory: pytest.TempPathFactory) -> None:
    site = made_site(tmp_path_factory.mktemp("nosql"), sql=False)
    with TestClient(make_app(site), base_url=ORIGIN) as closed:
        closed.get("/", params={"t": TOKEN})
        closed.headers["sec-fetch-site"] = "same-origin"
        id_ = unsure(site)
        assert "switched off" in tried(closed, question="Which city?", sql="SELECT 1", answer=id_)["why"]
        assert tried(closed, question="Which city?", sql="SELECT 'Bern'", answer=id_)["status"] == "finished"


def test_what_was_taught_is_text_and_can_be_taken_along(client: TestClient, site: Site) -> None:
    page = tried(client, kind="example", question=HOSTILE, sql="SELECT '<b>bold'")
    assert keep(client, page).status_code == 201
    for url in ("/db/shop/teach", f"/db/shop/teach/{page['id']}"):
        text = client.get(url).text
        assert "<script>alert" not in text
        assert "<b>bold" not in text
        assert text.count("</textarea>") == text.count("<textarea")
    pack = yaml.safe_load(client.get("/db/shop/lessons.yaml").text)
    assert pack["examples"][0]["sql"] == "SELECT '<b>bold'"
    assert str(site.settings.file.parent) not in client.get("/db/shop/teach").text


def test_progress_is_told_and_a_trial_can_be_cancelled(client: TestClient, site: Site) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    id_ = client.post("/api/db/shop/teach", json={"question": QUESTION, "sql": endless}).json()["id"]
    until = monotonic() + 20
    while (
        "hold it" not in str(client.get(f"/api/db/shop/teach/{id_}").json()["progress"])
        and monotonic() < until
    ):
        sleep(0.05)
    assert "refresh" in client.get(f"/db/shop/teach/{id_}").text
    assert client.post(f"/api/db/shop/teach/{id_}/cancel", json={}).status_code == 201
    assert over(client, id_, within=5)["status"] == "cancelled"
    done = tried(client, question=QUESTION, sql=SQL)
    events = client.get(f"/db/shop/teach/{done['id']}/events").text
    assert f"/db/shop/teach/{done['id']}" in events
    assert "event: over" in events


def test_what_is_not_there(client: TestClient, asked: Asked) -> None:
    for url in (
        "/db/shop/teach/none",
        "/db/none/teach",
        "/db/shop/teach?answer=none",
        "/db/shop/teach/none/events",
    ):
        assert client.get(url).status_code == 404, url
