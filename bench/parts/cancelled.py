"""Endless queries of the web app on four engines, and whether each engine still works on one."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import httpx2
import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool
from tests.databases.makers import mysql_url, postgres_url

from bench.parts.served import Served, shop

ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
    "SELECT count(*) FROM n a, n b, n c, n d WHERE (a.i * b.i + c.i + d.i) % 7 = 3"
)
BUSY = 0.2
"""Of one core: an embedded engine that takes less has stopped; the event loop alone takes a hundredth."""
_AT_WORK = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%n a, n b%'"
    " AND pid <> pg_backend_pid()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE command = 'Query'"
    " AND info LIKE '%n a, n b%' AND id <> connection_id()",
}
IsBusy = Callable[[], bool]


def seconds_to_idle(folder: Path) -> Iterator[tuple[str, float, str]]:
    """Per engine: seconds from the press of Cancel until it works on nothing, and what became of the query.

    Servers that can't be reached are left out.
    """
    made = folder / "made.duckdb"
    duckdb.connect(made).close()
    addresses = {"sqlite": str(shop(folder)), "duckdb": str(made)}
    servers: dict[str, URL] = {}
    for name, find in {"postgres": postgres_url, "mysql": mysql_url}.items():
        try:
            servers[name] = find()
        except pytest.skip.Exception:
            continue
        addresses[name] = servers[name].set(drivername=name).render_as_string(hide_password=False)
    with Served(folder, *addresses.values()) as served, served.client() as client:
        listed = client.get("/api/db").json()["databases"]
        for (name, _), line in zip(addresses.items(), listed, strict=True):
            url = servers.get(name)
            busy = _share(served.pid) if url is None else _asked(url, _AT_WORK[name])
            yield name, *_cancelled(client, line["name"], busy)


def _cancelled(client: httpx2.Client, database: str, is_busy: IsBusy) -> tuple[float, str]:
    id_ = client.post(f"/api/db/{database}/sql", json={"sql": ENDLESS}).json()["id"]
    until = time.perf_counter() + 20
    while not (_runs(client, id_) and is_busy()):  # what opens the database is busy too, and isn't the query
        assert time.perf_counter() < until, f"the query on {database} isn't seen to run"
    started = time.perf_counter()
    client.post(f"/api/a/{id_}/cancel", json={})
    while is_busy():
        pass
    seconds = time.perf_counter() - started
    return seconds, str(client.get(f"/api/a/{id_}").json()["entry"]["status"])


def _runs(client: httpx2.Client, id_: str) -> bool:
    progress = client.get(f"/api/a/{id_}").json()["progress"]
    return any(step["step"] == "run the query" for step in progress["steps"])


def _asked(url: URL, sql: str) -> IsBusy:
    server = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect()
    return lambda: bool(server.execute(text(sql)).scalar())


def _share(pid: int) -> IsBusy:
    def is_busy(seconds: float = 0.1) -> bool:
        before = _ticks(pid)
        time.sleep(seconds)
        return (_ticks(pid) - before) / os.sysconf("SC_CLK_TCK") / seconds > BUSY

    return is_busy


def _ticks(pid: int) -> int:
    """Of the processor, by a process and its children, as Linux counts them; 0 for one that is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        started_by = Path(f"/proc/{pid}/task").glob("*/children")  # a list for each thread
        children = [child for file in started_by for child in file.read_text(encoding="utf-8").split()]
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) + sum(_ticks(int(child)) for child in children)
