"""The runs that are made for measuring reports hold every outcome that is judged."""

from pathlib import Path

from bench.evaluation import make_run

from fathom.evaluation.outcome import JUDGED
from fathom.evaluation.runs.folder import read_contents


def test_made_runs_can_be_read(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", 200)
    records = [record for _, record in read_contents(folder)]
    assert len(records) == 200
    assert {record["outcome"] for record in records} == {str(outcome) for outcome in JUDGED}
