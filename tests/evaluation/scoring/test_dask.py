"""A cluster of two workers that stand in another folder, one of which is killed half-way."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import ConfigError
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.scoring import ScoreOptions, score
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.records import Question
from tests.clusters import address_of, kill_at_work, quiet_end
from tests.evaluation.scoring.conftest import lines

pytestmark = quiet_end
SLOW = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 100000) SELECT count(*) + {} FROM r"
)
COUNT = 60


@pytest.fixture
def slow(bench: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark by its path from here, where no worker stands; SLOW has the right answers."""
    golds = [[f"SELECT {100_000 + i}"] for i in range(COUNT)]
    entries = [
        {"id": str(i), "question": "?", "database": "t.sqlite", "gold": g} for i, g in enumerate(golds)
    ]
    lines(bench.parent / "many.jsonl", entries)
    monkeypatch.chdir(bench.parent)
    return Path("many.jsonl")


class Killer:
    """Kills a worker once something is done; notes how much was done by then, and how many batches it had."""

    def __init__(self, cluster: Any) -> None:
        self.cluster, self.done = cluster, 0
        self.killed: list[tuple[int, int]] = []

    def begin(self, title: str, total: int, done: int) -> None:
        pass

    def advance(self, *_: object) -> None:
        self.done += 1
        if not self.killed:
            self.killed.append((self.done, kill_at_work(self.cluster)))

    def end(self) -> None:
        ((done, batches),) = self.killed
        assert done < COUNT
        assert batches > 0


def test_a_worker_killed_half_way_loses_nothing(slow: Path, cluster: Any) -> None:
    predictions = lines(Path("p.jsonl"), [{"id": str(i), "sql": SLOW.format(i)} for i in range(COUNT)])
    killer = Killer(cluster)
    with connect_cluster(address_of(cluster)) as executor:
        total = score(slow, predictions, ScoreOptions(executor=executor, watch=killer.advance))
    killer.end()
    assert (total.n, total.correct) == (COUNT, COUNT)


def test_evaluating_on_a_cluster_loses_nothing_either(slow: Path, cluster: Any) -> None:
    def method(question: Question) -> str:
        return SLOW.format(question.id)

    with connect_cluster(address_of(cluster)) as executor:
        options = RunOptions(out=Path("run"), executor=executor, progress=Killer(cluster))
        run = evaluate(slow, method, options)
    assert Counter(r.id for r in run.records()) == Counter(map(str, range(COUNT)))
    assert {r.outcome for r in run.records()} == {Outcome.CORRECT}
    assert not any(r.fault for r in run.records())


@pytest.mark.parametrize("address", ["spark://here:1", "dask://", "dask://127.0.0.1:1"])
def test_an_address_without_a_cluster_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match=r"executor|scheduler"), connect_cluster(address):
        pass
