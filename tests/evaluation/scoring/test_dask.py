"""A cluster of two workers that stand in another folder, one of which is killed half-way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import ConfigError
from fathom.evaluation.scoring import ScoreOptions, score
from fathom.evaluation.scoring.clusters import connect_cluster
from tests.clusters import address_of, kill_at_work, quiet_end, two_workers
from tests.evaluation.scoring.conftest import lines

pytestmark = quiet_end
SLOW = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 100000) SELECT count(*) + {} FROM r"
)
COUNT = 60


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with two_workers(tmp_path_factory.mktemp("elsewhere")) as found:
        yield found


def test_a_worker_killed_half_way_loses_nothing(
    bench: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = [
        {"id": f"q{i}", "question": "?", "database": "t.sqlite", "gold": [f"SELECT {100_000 + i}"]}
        for i in range(COUNT)
    ]
    lines(bench.parent / "many.jsonl", questions)
    lines(bench.parent / "p.jsonl", [{"id": f"q{i}", "sql": SLOW.format(i)} for i in range(COUNT)])
    monkeypatch.chdir(bench.parent)  # a path from here, where no worker stands
    lost: list[tuple[int, int]] = []

    def kill_one(done: int) -> None:
        if not lost:
            lost.append((done, kill_at_work(cluster)))

    with connect_cluster(address_of(cluster)) as executor:
        total = score("many.jsonl", "p.jsonl", ScoreOptions(executor=executor, watch=kill_one))
    ((done, batches),) = lost
    assert done < COUNT
    assert batches > 0
    assert (total.n, total.correct) == (COUNT, COUNT)


@pytest.mark.parametrize("address", ["spark://here:1", "dask://", "dask://127.0.0.1:1"])
def test_an_address_without_a_cluster_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match=r"executor|scheduler"), connect_cluster(address):
        pass
