from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.evaluation.runs.bench import make_benchmark

from fathom.benchmarks import load_benchmark
from fathom.evaluation.metrics import ves
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.speed import time_run
from fathom.records import Question


def half(question: Question) -> str:
    return f"SELECT name FROM gene WHERE id = {question.id[1:] if question.id in {'q1', 'q2'} else 99}"


def test_only_right_answers_of_a_run_are_timed(tmp_path: Path) -> None:
    path = make_benchmark(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        run = evaluate(path, half, RunOptions(out=tmp_path / "run", limit=4, executor=pool))
    timed = dict(time_run(load_benchmark(path), run.folder))
    assert {i for i, ratio in timed.items() if ratio} == {"q1", "q2"}
    found = ves([ratio.value if ratio else None for ratio in timed.values()])
    assert (found.n, found.value) == (4, 50.0)  # gold itself, twice of four
