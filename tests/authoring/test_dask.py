"""Answers judged and triples made on a cluster of two workers, one of which is killed half-way."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.analysis.shop import make_shop
from tests.clusters import address_of, kill_at_work, quiet_end
from tests.command import Fathom

from fathom.authoring.judging.spread import RulesByName
from fathom.authoring.templates import execution

pytestmark = quiet_end
COUNT = 40
TEMPLATES = """
name: shop
dialect: sqlite
id_column: customer_id
limit: 50
domains:
  id: {query: "SELECT customer_id AS id FROM customers"}
  more: {values: [0, 1, 2, 3]}
templates:
  - id: slow
    domains: [id, more]
    questions: ["How many have a number {more} above that of customer {id}?"]
    sql: >-
      WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 20000)
      SELECT COUNT(*) AS n FROM r WHERE i > {id} + {more}
    answer: {none: "None.", some: "There are {first.n}."}
    sql_categories: [Threshold, Calculate]
    categories: []
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a database from here, where no worker stands."""
    make_shop(tmp_path / "shop.sqlite")
    monkeypatch.chdir(tmp_path)
    return "shop.sqlite"


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def by_id(file: Path) -> dict[str, Any]:
    read = lines(file)
    found = {str(one["id"]): one for one in read}
    assert len(found) == len(read)
    return found


class Killer(threading.Thread):
    """Kills a worker once a file has a line; notes how many lines it had by then, and what the worker had."""

    def __init__(self, cluster: Any, file: Path) -> None:
        super().__init__(daemon=True)
        self.cluster, self.file = cluster, file
        self.lines = self.batches = 0

    def run(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (self.file.exists() and self.file.read_bytes().count(b"\n")):
            time.sleep(0.002)
        self.lines = self.file.read_bytes().count(b"\n")
        self.batches = kill_at_work(self.cluster)

    def check(self, total: int) -> None:
        """Hold that lines came while work was left."""
        self.join()
        assert 0 < self.lines < total
        assert self.batches > 0


def test_a_cluster_judges_as_one_process_does_and_loses_nothing(
    fathom: Fathom, shop: str, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, alone, spread = Path("answers.jsonl"), Path("alone.jsonl"), Path("spread.jsonl")
    given = [
        {"id": str(n), "question": "How many customers?", "answer": f"There are {n + 80} customers."}
        for n in range(COUNT)
    ]
    answers.write_text("".join(json.dumps(one) + "\n" for one in given))
    asked = ("judge", "business", answers, "--database", shop, "--json")
    told = json.loads(fathom(*asked, "-o", alone).out)
    monkeypatch.setattr(RulesByName, "expert", None)  # nothing is judged here in the workers' place
    killer = Killer(cluster, spread)
    killer.start()
    done = fathom(*asked, "-o", spread, "--executor", address_of(cluster))
    killer.check(COUNT)
    again = fathom(*asked, "-o", spread, "--executor", address_of(cluster))
    assert done.code == 0, done.err
    assert by_id(spread) == by_id(alone)
    assert json.loads(done.out) == json.loads(again.out) == {**told, "kept": str(spread)}
    assert told["factual_correctness"]["n"] == COUNT


def test_a_cluster_makes_the_triples_that_one_process_makes_and_loses_nothing(
    fathom: Fathom, shop: str, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("shop.yaml").write_text(TEMPLATES, encoding="utf-8")
    asked = ("author", "templates", "shop.yaml", "--database", shop, "--count", 200)
    assert fathom(*asked, "-o", "alone", "--workers", 1).code == 0
    monkeypatch.setattr(execution, "_opened", None)  # nothing is executed here in the workers' place
    killer = Killer(cluster, Path("spread/execute.jsonl"))
    killer.start()
    done = fathom(*asked, "-o", "spread", "--executor", address_of(cluster))
    assert done.code == 0, done.err
    killer.check(200)
    for name in ("execute.jsonl", "questions.jsonl", "results.jsonl"):
        assert (Path("spread") / name).read_bytes() == (Path("alone") / name).read_bytes()
    assert len(by_id(Path("spread/questions.jsonl"))) == 200


def test_what_waits_for_a_model_takes_no_executor(fathom: Fathom, tmp_path: Path) -> None:
    refused = fathom("judge", "bird", tmp_path, "--model", "openai:m", "--executor", "dask://here:1")
    assert refused.code == 1
    assert "judge business" in refused.err
    both = ("judge", "business", tmp_path, "--database", "demo:biomed", "--model", "openai:m")
    assert "Leave out one" in fathom(*both, "--executor", "dask://here:1").err
