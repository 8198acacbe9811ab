"""Two servers over one store: each sees and stops what the other works on, and goes on if it dies.

Each user has the same rights at both, and at neither does anybody but the proxy say who they are.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx2
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


def caller(served: Served, token: str = TOKEN) -> httpx2.Client:
    headers = {"authorization": f"Bearer {token}"}
    return httpx2.Client(base_url=served.url, headers=headers, timeout=30)


def until(client: httpx2.Client, id_: str, *statuses: str) -> dict[str, Any]:
    """The page of an answer, once it stands so."""
    last = monotonic() + 60
    while True:
        page: dict[str, Any] = client.get(f"/api/a/{id_}").json()
        if page["entry"]["status"] in statuses:
            return page
        assert monotonic() < last, page["entry"]
        sleep(0.05)


def begun(client: httpx2.Client, sql: str = LONG) -> str:
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


USERS = ("anna", "carl", "ben")
PROXY, HEADER = "127.0.0.2", "X-Forwarded-User"
BERN = """
[[grants]]
to = ["anna", "carl"]
databases = ["shop"]
tables = ["*"]
[grants.columns.sale]
deny = ["amount"]
[grants.rows]
sale = "city = 'Bern'"

[[grants]]
to = ["ben"]
databases = ["shop"]
tables = ["sale"]
"""


def with_rights(folder: Path) -> tuple[str, ...]:
    """Options of a server whose users have rights, and tokens that are their names, told by a proxy too."""
    tokens = (f'[users.{n}]\ntoken = "sha256:{sha256(n.encode()).hexdigest()}"\n' for n in USERS)
    (folder / "rights.toml").write_text("".join(tokens) + BERN, encoding="utf-8")
    return "--rights", str(folder / "rights.toml"), "--auth-header", HEADER, "--proxy", PROXY


def test_users_have_the_same_rights_at_both_and_their_questions_stay_theirs(tmp_path: Path) -> None:
    database, more = str(shop(tmp_path)), with_rights(tmp_path)
    with ExitStack() as opened:
        first, second = (
            opened.enter_context(Served(tmp_path, database, token=TOKEN, more=more)) for _ in range(2)
        )
        anna_first, anna, carl, ben, all_of_it = (
            opened.enter_context(caller(server, who))
            for server, who in ((first, "anna"), *((second, who) for who in (*USERS, TOKEN)))
        )
        done = begun(anna_first, "SELECT count(*), min(city), max(city) FROM sale")
        for seen in (anna_first, anna, carl):
            assert until(seen, done, *FINISHED)["answer"]["result"]["rows"] == [[500, "Bern", "Bern"]]
        refused = until(anna, begun(anna, "SELECT max(amount) FROM sale"), *FINISHED)
        assert "there is no column 'amount'" in str(refused["answer"])
        counted = LONG.replace("SELECT count(*)", "SELECT (SELECT count(*) FROM sale), count(*)")
        long = begun(anna_first, counted.replace(str(COUNTED), str(COUNTED // 3)))
        until(anna, long, "working")
        for id_ in (done, long):
            for stranger in (ben, all_of_it):
                assert stranger.get(f"/api/a/{id_}").status_code == 404
                assert stranger.post(f"/api/a/{id_}/cancel", json={}).status_code == 404
        first.kill()
        page = until(anna, long, *FINISHED)
        assert page["answer"], page["entry"]
        assert page["answer"]["result"]["rows"] == [[500, COUNTED // 3]]
        assert page["entry"]["asked_by"] == "anna"
        assert ben.get(f"/api/a/{long}").status_code == 404


def test_nobody_but_the_proxy_says_who_asks(tmp_path: Path) -> None:
    """Headers in which proxies pass on an address are anybody's to write."""
    database, more = str(shop(tmp_path)), with_rights(tmp_path)
    with Served(tmp_path, database, token=TOKEN, more=more) as served:

        def status(address: str, **headers: str) -> int:
            transport = httpx2.HTTPTransport(local_address=address)
            told = {name.replace("_", "-"): said for name, said in headers.items()}
            with httpx2.Client(base_url=served.url, transport=transport, headers=told, timeout=30) as client:
                return client.get("/api/db/shop").status_code

        assert status(PROXY, x_forwarded_user="anna") == 200
        assert status(PROXY) == 401
        for address in ("127.0.0.1", "127.0.0.3"):
            assert status(address, x_forwarded_user="anna") == 403
            assert status(address, x_forwarded_user="anna", x_forwarded_for=PROXY) == 403
            assert status(address, x_forwarded_user="anna", x_real_ip=PROXY, forwarded=f"for={PROXY}") == 403
        # Nor is the proxy somebody else by what a client told it.
        assert status(PROXY, x_forwarded_user="anna", x_forwarded_for="127.0.0.3") == 200
