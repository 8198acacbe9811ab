"""Servers are killed while they send: nothing that is due is lost, and nothing is sent twice."""

import random
import sqlite3
from collections import Counter
from pathlib import Path
from time import monotonic, sleep

import pytest
from bench.parts.served import Served, shop
from tests.interfaces.web.receivers import mail_server, webhook

DUE, KILLS = 200, 10


def add_schedules(store: Path, destination: str, count: int) -> None:
    """Schedules of one saved question, all of them due."""
    with sqlite3.connect(store, timeout=30) as file:
        file.executemany(
            "INSERT INTO schedule"
            " (saved, destination, every, minute, weekday, needs, heading, bound, next_at)"
            " VALUES ('sales', ?, 'month', 0, 0, 'over', '', 100, '2020-01-01T00:00:00.000+00:00')",
            [(destination,)] * count,
        )


def states(store: Path) -> Counter[str]:
    with sqlite3.connect(store, timeout=30) as file:
        return Counter(state for (state,) in file.execute("SELECT state FROM sending"))


@pytest.mark.whole
@pytest.mark.parametrize("destination", ["team", "anna"])
def test_due_sendings_survive_kills_and_none_is_sent_twice(tmp_path: Path, destination: str) -> None:
    draw = random.Random(4)
    with webhook() as hook, mail_server() as post:
        (tmp_path / "config.toml").write_text(
            f'smtp = "{post.url}"\nmail_from = "fathom@example.org"\n'
            f'[destinations]\nteam = "{hook.url}"\nanna = "mailto:anna@example.org"\n',
            encoding="utf-8",
        )
        with Served(tmp_path, str(shop(tmp_path))) as served:
            with served.client() as client:
                made = client.post("/api/db/shop/sql", json={"sql": "SELECT count(*) FROM sale"}).json()["id"]
                client.post(f"/api/a/{made}/save", json={"title": "Sales"})
            store = tmp_path / "fathom.sqlite"
            add_schedules(store, destination, DUE)
            for _ in range(KILLS):
                before = len(hook.posts) + len(post.mails)
                until = monotonic() + 60
                while (
                    len(hook.posts) + len(post.mails) < before + draw.randint(3, 15) and monotonic() < until
                ):
                    sleep(0.01)
                sleep(draw.random() / 10)
                served.kill()
                served.start_again()
            until = monotonic() + 240
            while (ended := states(store))["sent"] + ended["unknown"] < DUE:
                assert monotonic() < until, ended
                assert not ended["failed"], ended
                sleep(0.2)
    print(dict(ended), len(hook.posts), len(post.mails))
    if destination == "team":
        assert ended == {"sent": DUE}
        keys = [headers["idempotency-key"] for headers, _ in hook.posts]
        assert len(set(keys)) == DUE  # each one arrived; a receiver that knows keys takes none twice
        assert len(keys) <= DUE + KILLS
    else:
        ids = [line for mail in post.mails for line in mail.splitlines() if line.startswith("Message-ID")]
        assert len(ids) == len(set(ids))
        assert DUE - len(ids) <= ended["unknown"] <= KILLS
