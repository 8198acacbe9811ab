"""Options of runs that ask a model, as the command line gives them and as a server sees them."""

import functools
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import aiolimiter
import pytest
from tests.command import Done, Fathom
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark
from tests.llm.hostile import Books, Server, asked_for_openai
from tests.llm.spoken import CACHED_TOKENS, COMPLETION_TOKENS, PROMPT_TOKENS

from fathom.evaluation.runs.imported_prices import prices_of
from fathom.llm.sender import Sender
from fathom.records import Usage

TOKENS = PROMPT_TOKENS + COMPLETION_TOKENS
"""Of each reply of the server."""
MINUTE = 0.5
"""Seconds that a minute of a pace takes here."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def books(server: Server) -> Books:
    """What is asked of the model."""
    return server.books["openai"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_benchmark(tmp_path)
    return tmp_path


class Run:
    """`fathom evaluate` of a method that asks the server once for each question."""

    def __init__(self, fathom: Fathom, server: Server, folder: Path) -> None:
        self.fathom, self.server, self.folder = fathom, server, folder

    def __call__(self, *options: object, model: str = "own", out: str = "run") -> Done:
        asked = ("--model", f"{self.server.openai}#{model}", "-o", self.folder / out)
        chosen = () if "--method" in options else ("--method", "zero-shot-cot")
        return self.fathom("evaluate", self.folder / "genes.jsonl", *chosen, *asked, *options)


@pytest.fixture
def run(fathom: Fathom, server: Server, folder: Path) -> Run:
    return Run(fathom, server, folder)


def test_seed_and_room_for_replies_reach_the_server(run: Run, books: Books) -> None:
    assert run("--limit", 1).code == 0
    assert run("--limit", 1, "--seed", 7, "--reply-tokens", 3000, out="given").code == 0
    assert [b.get("seed") for b in books.bodies] == [None, 7]
    usual, given = (b.get("max_tokens") or b["max_completion_tokens"] for b in books.bodies)
    assert usual < given == 3000
    assert json.loads((run.folder / "given" / "run.json").read_text())["configuration"]["seed"] == 7


def test_so_many_requests_are_under_way_at_once(run: Run, books: Books) -> None:
    assert run("--requests", 2, "--workers", 6).code == 0
    assert books.requests == QUESTIONS + 1
    assert books.most_under_way == 2


@pytest.mark.parametrize("pace", [("--rpm", 2), ("--tpm", 20)])
def test_a_limit_per_minute_spaces_requests_out(
    run: Run, books: Books, pace: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    limiter = functools.partial(aiolimiter.AsyncLimiter, time_period=MINUTE)
    monkeypatch.setattr(aiolimiter, "AsyncLimiter", lambda rate, _: limiter(rate))
    assert run("--limit", 4, "--workers", 4, *pace).code == 0
    # Two a minute: two at once, then one each half minute. A prompt is longer than 20 tokens: one a minute.
    assert books.arrived[-1] - books.arrived[0] > 0.9 * MINUTE * {"--rpm": 1, "--tpm": 3}[pace[0]]


def test_a_reply_is_waited_for_so_many_seconds(
    run: Run, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sender, "_most_attempts", lambda *_: 1)
    assert run("--limit", 1, "--model-seconds", 1.5, model="trouble-silence").code == 0
    assert books.troubles == {"silence": 1}
    assert "nothing within 1.5 s" in (run.folder / "run" / "records.jsonl").read_text()


@pytest.mark.parametrize("option", ["--requests", "--rpm", "--tpm", "--model-seconds"])
def test_a_pace_of_nothing_is_refused(run: Run, books: Books, option: str) -> None:
    assert f"{option} must be above 0" in run(option, 0).err
    assert books.requests == 0


@pytest.mark.parametrize("method", ["1-shot", "3-shot", "5-shot"])
def test_shots_without_examples_are_refused_before_anything_is_asked(
    run: Run, books: Books, method: str
) -> None:
    assert "--with-examples" in run("--method", method, "--limit", 1).err
    assert books.requests == 0


def test_a_budget_counts_what_the_records_hold_already(run: Run, books: Books) -> None:
    for _ in range(2):
        stopped = run("--max-tokens", 3 * TOKENS)
        assert stopped.code == 1
        assert f"3 of {QUESTIONS + 1} questions are kept" in " ".join(stopped.err.split())
        assert books.requests == 3
    assert run("--max-tokens", 5 * TOKENS).code == 1
    assert books.requests == 5


class Grid:
    """`fathom evaluate-grid` of a file with these lines; its runs ask once for each question."""

    def __init__(self, fathom: Fathom, folder: Path) -> None:
        self.fathom, self.folder = fathom, folder

    def __call__(self, *lines: str, out: str = "out") -> Done:
        file = self.folder / "grid.toml"
        file.write_text("\n".join(("benchmarks = ['genes.jsonl']", *lines)))
        return self.fathom("evaluate-grid", file, "-o", self.folder / out, "--json")

    def records(self, out: str = "out") -> list[list[dict[str, Any]]]:
        """The records of each run."""
        files = sorted((self.folder / out).glob("*/records.jsonl"))
        return [[json.loads(line) for line in f.read_text().splitlines()] for f in files]


@pytest.fixture
def grid(fathom: Fathom, folder: Path) -> Grid:
    return Grid(fathom, folder)


def test_a_grid_takes_the_options_of_a_run(grid: Grid, server: Server, books: Books) -> None:
    (grid.folder / "mine.yaml").write_text("name: mine\ntables:\n  gene: {description: Every locus}\n")
    lines = [
        "methods = ['schema-index']",
        f"models = ['{server.openai}#a', '{server.openai}#b']",
        f"embeddings = '{server.openai}#near'",
        "packs = ['mine.yaml']",
        "cassette = 'tape.jsonl'",
        "sample = 3",
        "limit = 2",
    ]
    assert grid(*lines).code == 0
    first, second = ([r["id"] for r in records] for records in grid.records())
    assert first == second
    assert len(first) == 2
    assert first != ["q0", "q1"]  # drawn, not the first ones
    assert sorted(b["model"] for b in books.bodies) == ["a", "a", "b", "b"]
    near = server.books["embeddings"]
    assert {b["model"] for b in near.bodies} == {"near"}
    assert ["gene: Every locus"] in [b["input"] for b in near.bodies]
    assert (grid.folder / "tape.jsonl").exists()
    asked = books.requests, near.requests
    assert grid(*lines, "replay = true", out="again").code == 0
    assert asked == (books.requests, near.requests)
    told = [[[(r["id"], r["sql"]) for r in run] for run in grid.records(out)] for out in ("out", "again")]
    assert told[0] == told[1]


def test_dollars_bound_all_runs_of_a_grid_and_those_of_its_next_start(
    grid: Grid, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("methods = ['zero-shot-cot']", "models = ['openai:gpt-4o-mini']", "limit = 4")
    priced = prices_of("openai:gpt-4o-mini", CACHED_TOKENS / PROMPT_TOKENS)
    price = priced.priced(Usage(prompt_tokens=PROMPT_TOKENS, completion_tokens=COMPLETION_TOKENS)).cost_usd
    assert price
    with asked_for_openai(monkeypatch) as server:
        # The second start finds all of it spent, whatever its first run spent itself.
        for seeds in ([1, 2], [3, 1, 2]):
            stopped = grid(*lines, f"seeds = {seeds}", f"max_cost = {price * Decimal('5.5'):.10f}")
            assert stopped.code == 1
            assert "dollars" in json.loads(stopped.out)["failed"][0]["error"]
            assert [b["seed"] for b in server.books["openai"].bodies] == [1, 1, 1, 1, 2, 2]
