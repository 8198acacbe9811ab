"""Saved questions that are sent by themselves: when, where to, and only where what they wait for is met."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, finished, made_site
from tests.interfaces.web.receivers import Received, mail_server, webhook

from fathom.answering.store import Store
from fathom.answering.store.schedules import Schedule
from fathom.config import read_settings
from fathom.errors import ConfigError
from fathom.interfaces.web import scheduler
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.scheduler import is_met
from fathom.interfaces.web.site import Site
from fathom.records import Answer, Question, Result

QUERY = "SELECT city, sum(amount) AS total FROM sale WHERE city = 'Bern' GROUP BY city"


@pytest.fixture
def hook() -> Iterator[Received]:
    with webhook() as one:
        yield one


@pytest.fixture
def post() -> Iterator[Received]:
    with mail_server() as one:
        yield one


@pytest.fixture
def site(tmp_path: Path, hook: Received, post: Received, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setattr(scheduler, "_EVERY", 0.05)
    made = made_site(tmp_path)
    sent = {"team": hook.url, "anna": "mailto:anna@example.org"}
    settings = replace(made.settings, destinations=sent, smtp=post.url, mail_from="fathom@example.org")
    return replace(made, settings=settings)


@pytest.fixture
def slug(client: TestClient) -> str:
    """A saved question whose answer is 30.5."""
    made = client.post("/api/db/shop/sql", json={"sql": QUERY, "title": "Sales"}).json()["id"]
    finished(client, made)
    client.post(f"/a/{made}/save", data={"title": "Sales\r\nBcc: eve@example.org"})
    return "sales-bcc-eve-example-org"


def schedule(client: TestClient, slug: str, **more: Any) -> int:
    done = client.post(f"/api/saved/{slug}/schedules", json={"destination": "team", **more})
    assert done.status_code == 201, done.text
    number: int = client.get(f"/api/saved/{slug}").json()["schedules"][-1]["schedule"]["number"]
    return number


def outcome(client: TestClient, slug: str, number: int, *states: str) -> dict[str, Any]:
    """The latest sending of a schedule, once it stands so."""
    until = monotonic() + 30
    while True:
        shown = client.get(f"/api/saved/{slug}").json()["schedules"]
        sendings = next(s["sendings"] for s in shown if s["schedule"]["number"] == number)
        if (
            sendings
            and sendings[0]["state"] in states
            and (sendings[0]["state"] != "due" or sendings[0]["attempt"])
        ):
            found: dict[str, Any] = sendings[0]
            return found
        assert monotonic() < until, sendings
        sleep(0.05)


def now(client: TestClient, slug: str, number: int, *states: str) -> dict[str, Any]:
    assert client.post(f"/api/saved/{slug}/schedules/{number}/now", json={}).status_code == 201
    return outcome(client, slug, number, *states)


def test_an_answer_is_posted_to_a_webhook(client: TestClient, slug: str, hook: Received) -> None:
    number = schedule(client, slug)
    assert hook.posts == []  # nothing before its time
    sent = now(client, slug, number, "sent")
    (headers, body), = hook.posts  # fmt: skip
    assert headers["idempotency-key"] == body["key"] == sent["key"]
    assert (body["columns"], body["rows"]) == (["City", "Total"], [["Bern", 30.5]])
    assert "30.5" in body["text"]
    assert body["url"] == ""  # this server is reached from this machine alone
    page = client.get(f"/saved/{slug}").text
    assert "To team, each day at 07:00 UTC." in page
    assert hook.url not in page
    assert now(client, slug, number, "sent")
    until = monotonic() + 20
    while len(hook.posts) < 2:
        assert monotonic() < until
        sleep(0.05)
    assert hook.posts[1][1]["key"] != body["key"]


def test_a_mail_holds_the_answer_and_no_other_receiver(client: TestClient, slug: str, post: Received) -> None:
    now(client, slug, schedule(client, slug, destination="anna"), "sent")
    (text,) = post.mails
    mail = message_from_string(text, policy=policy.default)
    assert (mail["To"], mail["From"]) == ("anna@example.org", "fathom@example.org")
    assert mail["Subject"] == "Sales Bcc: eve@example.org"
    assert mail["Bcc"] is None
    body, page = mail.iter_parts()
    assert "30.5" in body.get_content()
    assert "City  Total" in body.get_content()
    assert "<html" in page.get_content()


@pytest.mark.parametrize(
    ("waits", "state"),
    [
        ({"needs": "over", "bound": 30}, "sent"),
        ({"needs": "over", "heading": "Total", "bound": 30.5}, "quiet"),
        ({"needs": "over", "heading": "City"}, "quiet"),
        ({"needs": "under", "bound": 30.5}, "quiet"),
        ({"needs": "under", "bound": 31}, "sent"),
        ({"needs": "rows"}, "sent"),
    ],
)
def test_it_is_sent_where_its_condition_is_met(
    client: TestClient, slug: str, hook: Received, waits: dict[str, Any], state: str
) -> None:
    now(client, slug, schedule(client, slug, **waits), state)
    assert len(hook.posts) == (state == "sent")


def test_what_a_schedule_waits_for() -> None:
    def met(needs: Any, *rows: tuple[Any, ...], bound: float = 0.0) -> bool:
        answer = Answer(Question("q"), "a", sql="s", result=Result(("n",), rows, "s", 0.0))
        at = datetime.now(UTC)
        return is_met(Schedule(1, "s", "d", "day", 0, 0, needs, "", bound, at), answer)

    assert not met("rows")
    assert met("always")
    assert met("over", (1,), (101,), bound=100)
    assert not met("over", (None,), (True,), ("101",), bound=0.5)
    assert met("under", (-1,))


def test_a_webhook_that_is_down_is_tried_again_under_the_same_key(
    client: TestClient, slug: str, hook: Received, site: Site
) -> None:
    statuses = iter([503, 200])
    hook.status = lambda: next(statuses)
    number = schedule(client, slug)
    first = now(client, slug, number, "due")
    assert (first["attempt"], "503" in first["why"]) == (1, True)
    with sqlite3.connect(site.settings.store) as store:
        store.execute("UPDATE sending SET not_before = ''")
    outcome(client, slug, number, "sent")
    keys = {headers["idempotency-key"] for headers, _ in hook.posts}
    assert (len(hook.posts), len(keys)) == (2, 1)
    assert hook.posts[0][1] == hook.posts[1][1]  # the same answer, not asked anew


@pytest.mark.parametrize("status", [302, 307, 404])
def test_a_webhook_that_leads_elsewhere_or_refuses_is_not_followed(
    client: TestClient, slug: str, hook: Received, status: int
) -> None:
    hook.status = lambda: status
    failed = now(client, slug, schedule(client, slug), "failed")
    assert str(status) in failed["why"]
    assert len(hook.posts) == 1


def test_a_mail_that_may_have_arrived_is_not_sent_again(tmp_path: Path, site: Site) -> None:
    with ExitStack() as held:
        breaking = held.enter_context(mail_server(breaks=True))
        refusing = held.enter_context(mail_server(refuses=True))
        for post, state in ((breaking, "unknown"), (refusing, "failed")):
            settings = replace(site.settings, smtp=post.url)
            other = replace(site, settings=settings, store=Store(settings.store), _askings={})
            with TestClient(make_app(other), base_url=ORIGIN) as client:
                client.get("/", params={"t": TOKEN})
                client.headers["sec-fetch-site"] = "same-origin"
                made = client.post("/api/db/shop/sql", json={"sql": QUERY}).json()["id"]
                finished(client, made)
                slug = client.post(f"/api/a/{made}/save", json={"title": "x"}).json()["url"]
                slug = slug.removeprefix("/saved/")
                now(client, slug, schedule(client, slug, destination="anna"), state)
        assert (len(breaking.mails), len(refusing.mails)) == (1, 0)


def test_a_query_that_fails_is_tried_again_and_told(
    client: TestClient, slug: str, tmp_path: Path, hook: Received
) -> None:
    number = schedule(client, slug)
    (tmp_path / "shop.db").unlink()
    failed = now(client, slug, number, "due")
    assert failed["attempt"] == 1
    assert failed["why"]
    assert hook.posts == []
    assert "to be tried again" in client.get(f"/saved/{slug}").text


def test_what_can_not_be_scheduled(client: TestClient, slug: str, site: Site) -> None:
    for name in ("http://169.254.169.254/", "mailto:eve@example.org", "zebra"):
        body = {"destination": name}
        assert client.post(f"/api/saved/{slug}/schedules", json=body).status_code == 404
    for name, value in (
        ("every", "minute"),
        ("at", "25:00"),
        ("weekday", "7"),
        ("needs", "x"),
        ("bound", "x"),
    ):
        wrong = {"destination": "team", name: value}
        assert client.post(f"/api/saved/{slug}/schedules", json=wrong).status_code == 422
    assert client.post("/api/saved/nothing/schedules", json={"destination": "team"}).status_code == 404
    for _ in range(10):
        schedule(client, slug)
    full = client.post(f"/api/saved/{slug}/schedules", json={"destination": "team"})
    assert (full.status_code, "at most 10" in full.text) == (400, True)
    number = client.get(f"/api/saved/{slug}").json()["schedules"][0]["schedule"]["number"]
    client.post(f"/saved/{slug}/schedules/{number}/remove")
    assert len(client.get(f"/api/saved/{slug}").json()["schedules"]) == 9
    client.post(f"/saved/{slug}/delete")
    with sqlite3.connect(site.settings.store) as store:
        assert store.execute("SELECT count(*) FROM schedule").fetchone() == (0,)


def test_a_due_time_is_one_sending_however_often_it_is_looked_at(
    client: TestClient, slug: str, site: Site
) -> None:
    schedule(client, slug)
    schedules, later = site.store.schedules, datetime.now(UTC) + timedelta(days=40)
    for _ in range(3):
        schedules.make_due(later)
    with sqlite3.connect(site.settings.store) as store:
        assert store.execute("SELECT count(*) FROM sending").fetchone() == (1,)  # of forty missed days
        (then,) = store.execute("SELECT next_at FROM schedule").fetchone()
    assert later < datetime.fromisoformat(then) < later + timedelta(days=1, minutes=1)


@pytest.mark.parametrize(
    "text",
    [
        '[destinations]\nx = "ftp://a.b"', '[destinations]\nx = "mailto:a"', '[destinations]\nx = 1',
        '[destinations]\nx = "mailto:a@b,c@d"', "destinations = 1", 'smtp = "a.b"',
        'mail_from = "a"', "smtp = 1",
    ],
)  # fmt: skip
def test_settings_that_name_no_destination_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"destinations|smtp|mail_from"):
        read_settings({"FATHOM_CONFIG": str(file)})


def test_a_server_that_ends_finishes_what_it_is_sending(site: Site, hook: Received) -> None:
    begun = Event()

    def slowly() -> int:
        begun.set()
        sleep(1)
        return 200

    hook.status = slowly
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        client.headers["sec-fetch-site"] = "same-origin"
        made = client.post("/api/db/shop/sql", json={"sql": QUERY}).json()["id"]
        finished(client, made)
        client.post(f"/api/a/{made}/save", json={"title": "x"})
        number = schedule(client, "x")
        client.post(f"/api/saved/x/schedules/{number}/now", json={})
        assert begun.wait(20)
    with sqlite3.connect(site.settings.store) as store:
        assert store.execute("SELECT state FROM sending").fetchall() == [("sent",)]
    assert len(hook.posts) == 1
