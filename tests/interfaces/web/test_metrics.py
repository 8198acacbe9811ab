import json
import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from tests.interfaces.web.conftest import ORIGIN, TOKEN, finished

from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.json_log import JsonLines
from fathom.interfaces.web.site import Site

BEARER = {"authorization": f"Bearer {TOKEN}".encode()}


def samples(client: TestClient) -> dict[tuple[str, ...], float]:
    """What the server counts: the value of each name with its labels' values."""
    got = client.get("/metrics", headers=BEARER)  # type: ignore[arg-type]
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(got.text)
        for sample in family.samples
    }


def test_what_was_asked_is_counted_by_how_it_ended(client: TestClient) -> None:
    before = samples(client)
    for question in ("How many sales are there?", "How many zebras are there?"):
        made = client.post("/api/ask/shop", json={"question": question})
        finished(client, made.json()["id"])
    after = samples(client)
    assert ("fathom_answers_total", "sure") not in before
    assert after["fathom_answers_total", "sure"] == 1
    assert after["fathom_answers_total", "unknown"] == 1
    assert after["fathom_answer_seconds_count",] == 2
    assert 0 < after["fathom_answer_seconds_sum",] < 600
    assert after["fathom_jobs", "waiting"] == after["fathom_jobs", "working"] == 0
    assert after["fathom_model_tokens_total", "prompt"] == 0


def test_requests_are_counted_by_the_pattern_of_their_path(client: TestClient) -> None:
    client.get("/api/a/a-secret-name")
    client.request("BREW", "/history")
    counted = samples(client)
    assert counted["fathom_requests_total", "GET", "/api/a/{id}", "404"] == 1
    assert any(name[:2] == ("fathom_requests_total", "other") for name in counted)
    assert counted["fathom_request_seconds_count", "/api/a/{id}"] == 1
    assert not any("secret" in part or "BREW" in part for name in counted for part in name)


def test_metrics_are_for_who_has_the_token(site: Site) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as stranger:
        assert stranger.get("/metrics").status_code == 401
        assert stranger.get("/healthz").json() == {"ok": True}


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What is logged meanwhile, as JSON."""
    stream = StringIO()
    handler, logger = logging.StreamHandler(stream), logging.getLogger("fathom")
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    requests = logging.getLogger("fathom.requests")
    requests.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    requests.setLevel(logging.NOTSET)


def test_a_request_is_one_line_without_what_was_asked(client: TestClient, lines: StringIO) -> None:
    client.get("/history", params={"q": "salary of Ann", "t": TOKEN}, follow_redirects=False)
    (line,) = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert line.pop("time").endswith("+00:00")
    assert 0 <= line.pop("seconds") < 60
    assert line == {
        "level": "info", "logger": "fathom.requests", "message": "GET none 303",
        "method": "GET", "route": "none", "status": 303,
    }  # fmt: skip


def test_a_traceback_is_part_of_its_line_and_shows_no_password(lines: StringIO) -> None:
    try:
        int("postgresql://ann:hunter2@db/sales in /home/ann/secret/file.py\nnext line")
    except ValueError:
        logging.getLogger("fathom.web").exception("it failed")
    (line,) = lines.getvalue().splitlines()
    told = json.loads(line)
    assert (told["level"], told["message"]) == ("error", "it failed")
    assert "ValueError" in told["traceback"]
    assert "hunter2" not in line
    assert "/home/ann" not in line
