"""How much wider intervals get where databases are resampled, on the offline method's own answers."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import DATA, Figure
from fathom.benchmarks import load_benchmark
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate

TITLE = "Intervals over databases"


def measure() -> Iterator[Figure]:
    benchmark = load_benchmark("sql-eval", data=DATA)
    with TemporaryDirectory() as folder:
        summary = evaluate(benchmark, "offline", RunOptions(out=Path(folder) / "run")).summary()
    found, counted = summary.all, summary.all["clustered"]
    databases = ", ".join(f"{name} {of['correct']}/{of['n']}" for name, of in summary.by["database"].items())
    yield Figure("sql_eval: correct, 95 % interval", _shown(found["intervals"]["correct_rate"]),
                 note=f"{found['correct']} of {found['n']}")  # fmt: skip
    yield Figure("the same, databases resampled", _shown(counted["interval"]), note=databases)
    yield Figure("times as wide", f"{counted['wider']:.1f}")


def _shown(interval: list[float]) -> str:
    return f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f} %"
