import csv
import io
import json
import re
from pathlib import Path
from time import monotonic, sleep

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import HOSTILE, ODD, ORIGIN, TOKEN, Asked, finished

from fathom.answering.documents import as_csv
from fathom.answering.store import Standing, Store
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.html import _environment
from fathom.interfaces.web.site import Site
from fathom.records import Answer, Question, Reading, Result
from fathom.text import without_secrets

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_a_form_asks_and_leads_to_the_answer_without_any_script(client: TestClient) -> None:
    led = client.post("/ask/shop", data={"question": "How many sales are there?"}, follow_redirects=False)
    assert led.status_code == 303
    page = client.get(led.headers["location"])
    assert "refresh" in page.text or "Answered" in page.text
    finished(client, led.headers["location"].removeprefix("/a/"))
    page = client.get(led.headers["location"])
    assert 'http-equiv="refresh"' not in page.text
    assert "4 " in page.text


def test_looking_at_a_link_runs_nothing(client: TestClient, site: Site, asked: Asked) -> None:
    page = asked("How many sales are there?")
    before = len(site.store.history())
    for url in (f"/a/{page['entry']['id']}", "/ask/shop?q=How+many+sales+are+there%3F"):
        assert client.get(url).status_code == 200
    assert "How many sales are there?" in client.get("/ask/shop?q=How+many+sales+are+there%3F").text
    assert len(site.store.history()) == before


def test_the_same_form_sent_twice_asks_once(client: TestClient, site: Site) -> None:
    form = {"question": "How many sales are there?", "key": "k1"}
    urls = {client.post("/ask/shop", data=form, follow_redirects=False).headers["location"] for _ in range(3)}
    assert len(urls) == 1
    assert len(site.store.history()) == 1


def test_follow_ups_go_on_also_after_a_restart(client: TestClient, site: Site, asked: Asked) -> None:
    first = asked("How many sales are there per city?")
    conversation = first["entry"]["conversation"]
    again = Site(site.settings, site.rules, Store(site.settings.store), site.databases)
    with TestClient(make_app(again), base_url=ORIGIN, headers={"sec-fetch-site": "same-origin"}) as other:
        other.get("/", params={"t": TOKEN})
        follow_up = {"question": "only those of 2015", "conversation": conversation}
        second = finished(other, other.post("/api/ask/shop", json=follow_up).json()["id"])
    assert second["entry"]["status"] == "sure"
    assert "2015" in second["answer"]["sql"]
    assert [e["id"] for e in second["conversation"]] == [first["entry"]["id"], second["entry"]["id"]]


def unsure(site: Site) -> str:
    """An answer with two readings, as the store keeps it."""
    rows = [Result(("city",), ((c,), (c,)), f"SELECT '{c}'", 0.1) for c in ("Bern", "Rome")]
    readings = tuple(
        Reading(f"the city is {r.rows[0][0]}", r.sql, 0.5, f"2 rows: {r.rows[0][0]}.", result=r, shown=r)
        for r in rows
    )
    question = Question("Which city?")
    entry, _ = site.store.begin(question, "shop")
    site.store.finish(entry.id, Answer(question, "Which?", readings=readings), seconds=1)
    return entry.id


def test_a_reading_is_chosen_and_nothing_runs_again(client: TestClient, site: Site) -> None:
    id_ = unsure(site)
    page = client.get(f"/a/{id_}").text
    assert "the city is Bern" in page
    assert "the city is Rome" in page
    led = client.post(f"/a/{id_}/choose", data={"reading": 2}, follow_redirects=False)
    chosen = client.get(f"/api{led.headers['location']}").json()
    assert (chosen["entry"]["status"], chosen["entry"]["origin"], chosen["answer"]["answer"]) == (
        "sure", "chosen", "2 rows: Rome.",
    )  # fmt: skip
    assert chosen["made_from"]["id"] == id_
    assert not site.is_open("shop")
    wrong = client.post(f"/api/a/{id_}/choose", json={"reading": 3})
    assert wrong.status_code == 400
    assert "no reading 3" in wrong.json()["error"]["message"]


def test_what_is_not_known_is_no_error_and_says_why(client: TestClient, asked: Asked) -> None:
    page = asked("How many unicorns are there?")
    assert page["entry"]["status"] == "unknown"
    assert page["missing"] == ["unicorns"]
    html = client.get(f"/a/{page['entry']['id']}")
    assert html.status_code == 200
    assert "<mark>unicorns</mark>" in html.text


def test_edited_sql_runs_under_the_guard_beside_the_first(client: TestClient, asked: Asked) -> None:
    first = asked("How many sales are there?")["entry"]["id"]
    done = client.post(f"/api/a/{first}/sql", json={"sql": "SELECT city FROM sale ORDER BY id LIMIT 1"})
    edited = finished(client, done.json()["id"])
    assert edited["answer"]["result"]["rows"] == [["Bern"]]
    assert edited["entry"]["origin"] == "edited"
    done = client.post(f"/api/a/{first}/sql", json={"sql": "DROP TABLE sale"})
    refused = finished(client, done.json()["id"])
    assert refused["entry"]["status"] == "unknown"
    assert "Refused" in refused["answer"]["answer"]
    page = client.get(f"/a/{refused['entry']['id']}").text
    assert "DROP TABLE sale" in page  # to be corrected
    assert [e["id"] for e in client.get(f"/api/a/{first}").json()["led_to"]] == [
        edited["entry"]["id"], refused["entry"]["id"],
    ]  # fmt: skip
    again = client.post(f"/api/a/{edited['entry']['id']}/again", json={})
    assert finished(client, again.json()["id"])["answer"]["result"]["rows"] == [["Bern"]]


def test_an_endless_query_is_cancelled_in_its_engine(client: TestClient, asked: Asked) -> None:
    first = asked("How many sales are there?")["entry"]["id"]
    id_ = client.post(f"/api/a/{first}/sql", json={"sql": ENDLESS}).json()["id"]
    until = monotonic() + 20
    while "run the query" not in str(client.get(f"/api/a/{id_}").json()["progress"]) and monotonic() < until:
        sleep(0.05)
    started = monotonic()
    assert client.post(f"/api/a/{id_}/cancel", json={}).status_code == 201
    page = finished(client, id_, within=5)
    assert monotonic() - started < 3  # also on a machine that does much else
    assert page["entry"]["status"] == "cancelled"
    assert asked("How many sales are there?")["entry"]["status"] == "sure"


def test_events_tell_the_steps_and_end(client: TestClient, asked: Asked) -> None:
    id_ = client.post("/api/ask/shop", json={"question": "How many sales are there per city?"}).json()["id"]
    with client.stream("GET", f"/a/{id_}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        text = "".join(stream.iter_text())
    kinds = re.findall("^event: (.*)$", text, re.MULTILINE)
    assert kinds[-1] == "over"
    assert "progress" in kinds
    numbers = [int(n) for n in re.findall("^id: (.*)$", text, re.MULTILINE)]
    assert numbers == sorted(numbers)
    again = client.get(f"/api/a/{id_}/events", headers={"last-event-id": "999999"}).text
    assert re.findall("^event: (.*)$", again, re.MULTILINE) == ["over"]


def test_everything_can_be_taken_along(client: TestClient, asked: Asked) -> None:
    page = asked("How many sales are there per city?")
    base = f"/a/{page['entry']['id']}/answer"
    got = {ending: client.get(f"{base}.{ending}") for ending in ("csv", "json", "md", "html")}
    for ending, response in got.items():
        assert response.status_code == 200, ending
        assert f".{ending}" in response.headers["content-disposition"]
    assert list(csv.reader(io.StringIO(got["csv"].text)))[1:] == [["Bern", "2"], ["Rome", "2"]]
    assert json.loads(got["json"].text)["ending"] == "sure"
    assert "| Bern | 2 |" in got["md"].text
    assert "<td>Bern</td>" in got["html"].text
    assert "<script" not in got["html"].text
    talk = f"/c/{page['entry']['conversation']}"
    assert client.get(talk).status_code == 200
    for ending in ("json", "md", "html"):
        assert "Bern" in client.get(f"{talk}/conversation.{ending}").text


def test_a_file_of_the_first_rows_is_named_so(client: TestClient) -> None:
    many = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 5000) SELECT v FROM n"
    id_ = client.post("/api/db/shop/sql", json={"sql": many, "title": "Many"}).json()["id"]
    kept = len(finished(client, id_)["answer"]["result"]["rows"])
    assert 0 < kept < 5_000
    taken = client.get(f"/a/{id_}/answer.csv")
    assert f'"fathom-{id_}-first-{kept}.csv"' in taken.headers["content-disposition"]
    assert len(taken.text.splitlines()) == kept + 1
    assert f"Rows as CSV, the first {kept:,} of" in client.get(f"/a/{id_}").text


def test_a_chart_is_a_picture_and_a_specification_of_data_alone(client: TestClient, asked: Asked) -> None:
    page = asked("How many sales are there per city?")
    base = f"/a/{page['entry']['id']}/chart"
    assert client.get(f"{base}.svg", params={"theme": "dark"}).text.startswith("<svg")
    found = client.get(f"{base}.json", params={"mark": "point"}).json()
    assert found["mark"]["type"] == "point"
    assert client.get(f"{base}.json", params={"mark": "evil"}).status_code == 400


def test_cells_names_and_questions_are_text(client: TestClient, asked: Asked) -> None:
    first = asked("How many sales are there?")["entry"]["id"]
    query = f'SELECT note AS "<b>note" FROM {ODD}'
    page = finished(client, client.post(f"/api/a/{first}/sql", json={"sql": query}).json()["id"])
    assert page["answer"]["result"]["rows"][0] == [HOSTILE], page["answer"]
    asked_so = client.post("/api/ask/shop", json={"question": HOSTILE}).json()["id"]
    finished(client, asked_so)
    for url in (f"/a/{page['entry']['id']}", f"/a/{asked_so}", "/history", "/", f"/a/{asked_so}/answer.html",
                f"/ask/shop?q={HOSTILE}"):  # fmt: skip
        text = client.get(url).text
        assert "<script>alert" not in text, url
        assert "<b>note" not in text, url
        assert text.count("</textarea>") == text.count("<textarea"), url
    rows = client.get(f"/a/{page['entry']['id']}/answer.csv").text
    assert "'=1+1" in rows


def test_saved_questions_and_their_page(client: TestClient, asked: Asked) -> None:
    page = asked("How many sales are there per city?")["entry"]["id"]
    led = client.post(
        f"/a/{page}/save", data={"title": "Sales per city", "tag": "board"}, follow_redirects=False
    )
    assert led.headers["location"] == "/saved/sales-per-city"
    for url in ("/saved", "/saved?tag=board", "/board?tag=board", "/saved/sales-per-city"):
        assert "Sales per city" in client.get(url).text
    renewed = client.post("/api/saved/sales-per-city/again", json={}).json()["id"]
    finished(client, renewed)
    assert client.get("/api/saved/sales-per-city").json()["card"]["saved"]["entry"]["id"] == renewed
    client.post("/saved/sales-per-city/delete")
    assert client.get("/saved/sales-per-city").status_code == 404
    assert client.get(f"/a/{page}").status_code == 200


def test_saved_questions_are_asked_again_together_and_others_get_in_between(
    client: TestClient, site: Site, asked: Asked
) -> None:
    for number in range(12):  # more than may wait
        id_ = asked("How many sales are there?")["entry"]["id"]
        client.post(f"/a/{id_}/save", data={"title": f"Sales {number}", "tag": "board" if number else ""})
    led = client.post("/board/again", data={"tag": "board"}, follow_redirects=False)
    assert led.headers["location"] == "/board?tag=board"
    assert "this page follows them" in client.get("/board?tag=board").text
    assert asked("How many sales are there per city?")["entry"]["status"] == "sure"
    for card in client.get("/api/board?tag=board").json()["cards"]:
        again = finished(client, card["saved"]["entry"]["id"])["entry"]
        assert (again["origin"], again["status"]) == ("again", "sure")
    others = client.get("/api/saved").json()["saved"]
    assert [s["entry"]["origin"] for s in others if not s["tag"]] == ["asked"]
    assert "this page follows them" not in client.get("/board?tag=board").text


def test_what_a_person_wrote_is_asked_again_as_written(client: TestClient, asked: Asked) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    written = "SELECT city, max(year) FROM sale GROUP BY city"
    edited = client.post(f"/api/a/{id_}/sql", json={"sql": written}).json()["id"]
    finished(client, edited)
    for _ in range(2):
        edited = client.post(f"/api/a/{edited}/again", json={}).json()["id"]
        assert finished(client, edited)["answer"]["sql"] == written
    for _ in range(2):
        id_ = client.post(f"/api/a/{id_}/again", json={}).json()["id"]
        assert finished(client, id_)["entry"]["method"] == "offline"


def test_a_follow_up_asked_again_follows_the_same_question(client: TestClient, asked: Asked) -> None:
    first = asked("How many sales are there per city?")["entry"]
    id_ = asked("and in 2014?", conversation=first["conversation"])["entry"]["id"]
    sql = client.get(f"/api/a/{id_}").json()["answer"]["sql"]
    for _ in range(2):
        id_ = client.post(f"/api/a/{id_}/again", json={}).json()["id"]
        assert finished(client, id_)["answer"]["sql"] == sql


def test_what_can_t_be_undone_is_one_more_click_away(client: TestClient, asked: Asked) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    client.post(f"/a/{id_}/save", data={"title": "Sales"})
    for url in (f"/a/{id_}", "/saved/sales"):
        page = client.get(url).text
        form = page[page.rindex("<details", 0, page.index("/delete")) : page.index("/delete")]
        assert "</details>" not in form
        assert "for good</button>" in page


def test_pages_of_errors_are_titled_for_people(client: TestClient, asked: Asked) -> None:
    id_ = asked("What will the weather be tomorrow?")["entry"]["id"]
    page = client.get(f"/a/{id_}/answer.csv", headers={"accept": "text/html"})
    assert page.status_code == 400
    assert "<h1>That can't be done</h1>" in page.text.replace("&#39;", "'")


def test_a_database_without_tables_is_told_nothing_of_joins(client: TestClient) -> None:
    assert "No key leads from one table" not in client.get("/db/shop?q=nothing-like-it").text


def test_an_action_without_fields_needs_no_body(client: TestClient, asked: Asked) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    assert client.post(f"/api/a/{id_}/cancel").status_code == 201
    assert client.post(f"/api/a/{id_}/delete").status_code == 201
    assert client.get(f"/a/{id_}").status_code == 404


@pytest.mark.parametrize(
    ("path", "current"),
    [("/", "Ask"), ("/ask/shop", "Ask"), ("/board", "Saved"), ("/db/shop", "Databases"), ("/runs", "Runs")],
)
def test_the_place_in_the_head_is_told(client: TestClient, path: str, current: str) -> None:
    (head,) = re.findall('<nav aria-label="Main">(.*?)</nav>', client.get(path).text, re.DOTALL)
    (told,) = re.findall(r'aria-current="page">(\w+)</a>', head)
    assert told == current


def test_feedback_and_forgetting(client: TestClient, site: Site, asked: Asked) -> None:
    id_ = asked("How many sales are there?")["entry"]["id"]
    form = {"verdict": "wrong", "reason": "wrong rows", "note": "there are 5"}
    client.post(f"/a/{id_}/feedback", data=form)
    assert "wrong rows: there are 5" in client.get(f"/a/{id_}").text
    client.post(f"/a/{id_}/delete")
    assert client.get(f"/a/{id_}").status_code == 404
    assert not site.store.history()


def test_history_is_searched(client: TestClient, asked: Asked) -> None:
    asked("How many sales are there per city?")
    asked("How many unicorns are there?")
    expected = {"q=city": 1, "q=unicorn": 1, "status=unknown": 1, "q=zebra": 0, "db=shop": 2}
    found = {query: len(client.get(f"/api/history?{query}").json()["entries"]) for query in expected}
    assert found == expected
    assert "Nothing fits" in client.get("/history?q=zebra").text


@pytest.mark.parametrize("path", ["/a/nothing", "/c/nothing", "/saved/nothing", "/ask/nothing", "/nothing"])
def test_what_is_not_there_is_told_as_a_page_and_as_json(client: TestClient, path: str) -> None:
    page = client.get(path)
    assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (404, "text/html")
    told = client.get(f"/api{path}")
    assert told.status_code == 404
    assert told.json()["error"]["message"]


def test_the_data_may_have_changed_since(client: TestClient, tmp_path: Path, asked: Asked) -> None:
    import sqlite3

    page = asked("How many sales are there?")
    assert not page["changed"]
    with sqlite3.connect(tmp_path / "shop.db") as changed:
        changed.execute("INSERT INTO sale (city) VALUES ('Oslo')")
    changed.close()
    assert client.get(f"/api/a/{page['entry']['id']}").json()["changed"]
    assert "have changed since" in client.get(f"/a/{page['entry']['id']}").text


def test_ended_questions_say_so_and_can_be_asked_again(client: TestClient, site: Site) -> None:
    entry, _ = site.store.begin(Question("How many sales are there?"), "shop")
    site.store.fail(entry.id, Standing.INTERRUPTED, "Fathom ended before there was an answer.", seconds=0)
    assert "Fathom ended before" in client.get(f"/a/{entry.id}").text
    led = client.post(f"/a/{entry.id}/again", follow_redirects=False).headers["location"]
    assert finished(client, led.removeprefix("/a/"))["entry"]["status"] == "sure"


@pytest.mark.parametrize(
    "address",
    ["postgresql://ann:secret@db/x", "postgresql://ann:s@secret@db/x", "https://db/v1?password=secret&a=b"],
)
def test_messages_hold_no_password(address: str) -> None:
    shown = without_secrets(f"can't reach {address} in /home/ann/data/shop.db")
    assert "secret" not in shown
    assert "/home/ann" not in shown
    assert "db" in shown


def test_messages_hold_no_folder_and_no_password() -> None:
    told = "SQLite can't open /home/ann/data/shop.db: no; postgresql://ann:secret@db/x and https://example.org/a/b"
    shown = without_secrets(told)
    assert "/home/ann" not in shown
    assert "secret" not in shown
    assert "shop.db" in shown
    assert "https://example.org/a/b" in shown


def test_cells_are_formatted_by_column() -> None:
    rows = ((1069163.02, "a  b"), (978668.4900000001, None), (1001392.0, "1,5"))
    table = Result(("Total amount", "Note"), rows, "SELECT 1", 0.0)
    shown = (
        _environment().from_string("{% import 'parts.html' as p %}{{ p.rows(r, 'Rows') }}").render(r=table)
    )
    assert re.findall('<td[^>]*data-sort=.([^>"]*).[^>]*>([^<]*)</td>', shown) == [
        ("1069163.02", "1,069,163.02"),
        ("978668.4900000001", "978,668.49"),
        ("1001392.0", "1,001,392.00"),
    ]
    assert 'title="978668.4900000001"' in shown
    assert 'title="1069163.02"' not in shown
    assert "<bdi>a  b</bdi></td>" in shown
    assert '<th scope="col" class="n">Total amount</th><th scope="col">Note</th>' in shown


def test_csv_has_no_noise_of_floats() -> None:
    rows = ((978668.4900000001,), (0.1 + 0.2,), (7,), (1e300,))
    written = as_csv(Result(("a",), rows, "SELECT 1", 0.0))
    assert written.split() == ["a", "978668.49", "0.3", "7", "1e+300"]


def test_the_box_has_every_database_and_the_one_asked_last(client: TestClient, site: Site) -> None:
    site.served["second"] = site.served["shop"]  # type: ignore[index]
    page = client.get("/").text
    assert page.index("<option selected>shop</option>") < page.index("<option>second</option>")
    form = {"question": "How many sales are there?", "database": "second"}
    led = client.post("/ask", data=form, follow_redirects=False)
    assert finished(client, led.headers["location"].removeprefix("/a/"))["entry"]["database"] == "second"
    assert "<option selected>second</option>" in client.get("/").text
    assert client.post("/ask", data={**form, "database": "third"}).status_code == 404


def test_a_follow_up_shows_what_came_before_and_the_thread_has_rows(client: TestClient, asked: Asked) -> None:
    first = asked("How many sales are there per city?")["entry"]
    second = asked("only those in 2014", conversation=first["conversation"])["entry"]
    page = client.get(f"/a/{second['id']}").text
    earlier = page[page.index('class="earlier"') : page.index("<article>")]
    assert f"/a/{first['id']}" in earlier
    assert first["says"] in earlier
    assert 'class="earlier"' not in client.get(f"/a/{first['id']}").text
    thread = client.get(f"/c/{first['conversation']}").text
    assert thread.index(first["question"]) < thread.index(second["question"])
    assert "Rows of question 1" in thread
    assert "Bern" in thread


def test_a_number_alone_stands_out(client: TestClient, asked: Asked) -> None:
    alone, several = (asked(q)["entry"]["id"] for q in ("How many sales are there?", "sales per city"))
    assert '<p class="figure" aria-hidden="true">4</p>' in client.get(f"/a/{alone}").text
    assert 'class="figure"' not in client.get(f"/a/{several}").text


def test_a_chart_is_a_picture_to_keep(client: TestClient, asked: Asked) -> None:
    id_ = asked("How many sales are there per city?")["entry"]["id"]
    assert client.get(f"/a/{id_}/chart.png").content.startswith(b"\x89PNG")
    assert f'href="/a/{id_}/chart.png" download' in client.get(f"/a/{id_}").text
