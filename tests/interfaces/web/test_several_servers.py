"""Two servers over one store: each sees and stops what the other works on, and goes on if it dies."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from bench.parts.served import FINISHED, Served, shop

COUNTED = 6_000_000
LONG = (
    f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {COUNTED}) "
    "SELECT count(*) FROM n"
)
"""Takes some seconds."""
TOKEN = "t" * 32


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Served, Served]]:
    with ExitStack() as started:
        database = str(shop(tmp_path))
        one = started.enter_context(Served(tmp_path, database, token=TOKEN))
        yield one, started.enter_context(Served(tmp_path, database, token=TOKEN))


def caller(served: Served) -> httpx.Client:
    headers = {"authorization": f"Bearer {TOKEN}"}
    return httpx.Client(base_url=served.url, headers=headers, timeout=30)


def until(client: httpx.Client, id_: str, *statuses: str) -> dict[str, Any]:
    """The page of an answer, once it stands so."""
    last = monotonic() + 60
    while True:
        page: dict[str, Any] = client.get(f"/api/a/{id_}").json()
        if page["entry"]["status"] in statuses:
            return page
        assert monotonic() < last, page["entry"]
        sleep(0.05)


def begun(client: httpx.Client, sql: str = LONG) -> str:
    asked = client.post("/api/db/shop/sql", json={"sql": sql})
    assert asked.status_code == 201, asked.text
    id_: str = asked.json()["id"]
    return id_


def runs(served: Served, id_: str) -> int:
    with sqlite3.connect(served.folder / "fathom.sqlite") as store:
        [(count,)] = store.execute("SELECT runs FROM answer WHERE id = ?", (id_,)).fetchall()
    store.close()
    return int(count)


def test_a_question_is_seen_and_stopped_from_the_other_server(servers: tuple[Served, Served]) -> None:
    with caller(servers[0]) as one, caller(servers[1]) as two:
        id_ = begun(one)
        until(two, id_, "working")
        with two.stream("GET", f"/api/a/{id_}/events") as events:
            lines = (line for line in events.iter_lines() if line.startswith("event: "))
            assert next(lines) == "event: progress"
            sleep(0.6)  # the steps are told by then
            assert two.get(f"/api/a/{id_}").json()["progress"]["steps"]
            assert two.post(f"/api/a/{id_}/cancel", json={}).status_code == 201
            assert list(lines)[-1] == "event: over"
        assert until(one, id_, *FINISHED)["entry"]["status"] == "cancelled"
        assert runs(servers[0], id_) == 1


def test_a_killed_server_s_questions_are_answered_by_the_other_once(servers: tuple[Served, Served]) -> None:
    with caller(servers[0]) as one, caller(servers[1]) as two:
        ids = [begun(one, f"{LONG} WHERE i > {number}") for number in range(4)]  # two at once, two wait
        until(two, ids[0], "working")
        with two.stream("GET", f"/api/a/{ids[0]}/events") as events:
            servers[0].kill()
            assert "event: over" in list(events.iter_lines())
        pages = [until(two, id_, *FINISHED) for id_ in ids]
        assert [page["answer"]["result"]["rows"] for page in pages] == [[[COUNTED - n]] for n in range(4)]
        assert sorted(runs(servers[1], id_) for id_ in ids) == [1, 1, 2, 2]
        servers[0].start_again()
        with caller(servers[0]) as again:
            assert [again.get(f"/api/a/{id_}").json()["entry"] for id_ in ids] == [p["entry"] for p in pages]


def test_a_server_that_is_ended_leaves_its_questions_to_the_other(servers: tuple[Served, Served]) -> None:
    with caller(servers[0]) as one, caller(servers[1]) as two:
        id_ = begun(one)
        until(two, id_, "working")
        servers[0].__exit__()
        assert until(two, id_, *FINISHED)["answer"]["result"]["rows"] == [[COUNTED]]
