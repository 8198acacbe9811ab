import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from filelock import FileLock
from tests.interfaces.web.conftest import ORIGIN, TOKEN, made_site
from tests.interfaces.web.live import serving
from tests.reports.stored import make_run
from tests.reports.test_page import ATTACK

from fathom.interfaces.web.app import make_app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over one benchmark, one over another with text that means no good, and one that is damaged."""
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder / "first", seed=1)
    make_run(folder / "grid" / "second", seed=3)
    described = make_run(folder / "hostile", seed=4, text=ATTACK) / "run.json"
    described.write_text(described.read_text(encoding="utf-8").replace("a" * 64, "b" * 64), encoding="utf-8")
    (folder / "damaged").mkdir()
    (folder / "damaged" / "run.json").write_text("{", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def client(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    site = made_site(tmp_path_factory.mktemp("site"), runs=folder)
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        opened.get("/", params={"t": TOKEN})
        yield opened


def test_the_leaderboard_ranks_within_a_benchmark(client: TestClient) -> None:
    page = client.get("/api/runs").json()
    lines = {line["name"]: line for line in page["runs"]}
    assert set(lines) == {"first", "grid/second", "hostile", "damaged"}
    rates = [line["rates"]["correct_rate"] for line in page["runs"] if line["benchmark"] == "b dev"]
    assert [r["value"] for r in rates] == sorted((r["value"] for r in rates), reverse=True)
    assert all(r["low"] <= r["value"] <= r["high"] and r["trials"] == 50 for r in rates)
    assert "can't be read" in lines["damaged"]["problem"]
    assert str(Path.cwd().root + "tmp") not in lines["damaged"]["problem"]
    assert [line["name"] for line in client.get("/api/runs?q=second").json()["runs"]] == ["grid/second"]
    assert "No run fits" in client.get("/runs?q=zebra").text


def test_without_a_run_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    site = made_site(tmp_path, runs=tmp_path / "none")
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        opened.get("/", params={"t": TOKEN})
        assert "fathom evaluate" in opened.get("/runs").text
        assert "there are none" in opened.get("/compare").text


def test_a_run_is_searched_down_to_one_question(client: TestClient) -> None:
    page = client.get("/api/runs/grid/second?outcome=error").json()
    assert 0 < page["found"] < 50
    assert {q["outcome"] for q in page["questions"]} == {"error"}
    assert page["charts"]
    first, second = page["questions"][0]["id"], page["questions"][1]["id"]
    one = client.get("/api/run-question", params={"run": "grid/second", "id": first}).json()
    assert one["record"]["id"] == first
    assert one["differs"]
    html = client.get("/run-question", params={"run": "grid/second", "id": first}).text
    assert "How the query differs from gold" in html
    as_json = re.search('href="([^"]+)">This page as JSON', html)
    assert as_json
    assert client.get(unescape(as_json[1])).json() == one
    every = [q["id"] for q in client.get("/api/runs/grid/second").json()["questions"]]
    assert one["after"] == every[every.index(first) + 1]
    assert second in every
    assert client.get("/runs/grid/second?page=2").status_code == 200


def test_runs_side_by_side_are_tested_in_pairs_within_a_benchmark(client: TestClient) -> None:
    page = client.get("/api/compare?run=first&run=grid/second&run=hostile").json()
    paired = {c["benchmark"]: len(c["pairs"]) for c in page["comparisons"]}
    assert sorted(paired.values()) == [0, 1]
    moved = next(c for c in page["comparisons"] if c["pairs"])
    (pair,) = moved["pairs"]
    assert moved["moved_in_all"] == pair["correct"]["only_first"] + pair["correct"]["only_second"] + sum(
        "correct" not in (m["before"], m["after"]) for m in moved["moved"]
    )
    html = client.get("/compare?run=first&run=grid/second").text
    assert "Paired tests" in html
    assert "What moved" in html
    assert "Choose two runs" in client.get("/compare?run=first").text


def test_what_runs_hold_is_text_everywhere(client: TestClient) -> None:
    ids = [q["id"] for q in client.get("/api/runs/hostile").json()["questions"]]
    urls = ["/runs", "/runs/hostile", "/compare?run=first&run=hostile", f"/runs?q={ATTACK}"]
    pages = [client.get(url).text for url in urls]
    pages += [client.get("/run-question", params={"run": "hostile", "id": id_}).text for id_ in ids[:3]]
    for text in pages:
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert " style=" not in text  # the policy would drop it


@pytest.mark.parametrize("name", ["nothing", "..", "../..", "/etc", "first/../hostile"])
def test_only_runs_of_the_folder_are_read(client: TestClient, name: str) -> None:
    asked = client.get("/api/run-question", params={"run": name, "id": "q1"})
    assert asked.status_code == 404
    assert client.get("/run-report", params={"run": name}).status_code == 404


def test_a_report_is_taken_along(client: TestClient) -> None:
    taken = client.get("/run-report?run=first&run=grid/second")
    assert "attachment" in taken.headers["content-disposition"]
    assert "Leaderboard" in taken.text


def test_a_run_is_followed_while_it_grows(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    make_run(runs / "going", seed=1, count=5)
    described = json.loads((runs / "going" / "run.json").read_text())
    described["starts"][-1]["questions"] = 9
    (runs / "going" / "run.json").write_text(json.dumps(described))
    with serving(tmp_path, runs=runs) as live:
        with (
            FileLock(runs / "going" / "run.lock"),
            live.api.stream("GET", "/runs/events") as events,
        ):
            make_run(tmp_path / "more", seed=1, count=8)
            shutil.copy(tmp_path / "more" / "records.jsonl", runs / "going" / "records.jsonl")
            told = next(line for line in events.iter_lines() if line.startswith("event:"))
            assert told == "event: changed"
            line = live.api.get("/api/runs").json()["runs"][0]
            assert (line["done"], line["of"], line["running"]) == (8, 9, True)
        # Killed or ended, whatever the clock says: the lock is let go.
        line = live.api.get("/api/runs").json()["runs"][0]
        assert (line["done"], line["of"], line["running"]) == (8, 9, False)
