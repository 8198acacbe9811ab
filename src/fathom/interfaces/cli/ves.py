"""`fathom ves`: how fast the right answers of a run are beside gold."""

from pathlib import Path

from fathom.benchmarks import load_benchmark
from fathom.evaluation.metrics import Mean, r_ves
from fathom.evaluation.metrics import ves as score
from fathom.evaluation.runs.speed import Protocol, time_run
from fathom.interfaces.cli.showing import console, print_json


def ves(
    benchmark: str,
    run: Path,
    /,
    *,
    split: str | None = None,
    protocol: Protocol = "adaptive",
    width: float = 0.1,
    json: bool = False,
) -> None:
    """Measure VES and R-VES of a run: how fast its right answers are beside gold. Run it alone.

    Parameters
    ----------
    benchmark
        The benchmark of the run.
    run
        The folder of the run.
    split
        Which part of the benchmark.
    protocol
        adaptive runs each pair until its ratio is known well enough; reference runs each query 100 times.
    width
        Adaptive: stop where the 95 % interval of the log ratio is narrower than this.
    json
        Print one JSON object.
    """
    timed = dict(time_run(load_benchmark(benchmark, split), run, protocol=protocol, width=width))
    found = [ratio.value if ratio else None for ratio in timed.values()]
    known = [ratio for ratio in timed.values() if ratio]
    runs, widest = sum(r.runs for r in known), max((r.width for r in known), default=None)
    if json:
        ratios = {i: ratio.value if ratio else None for i, ratio in timed.items()}
        print_json({"n": len(found), "timed": len(known), "executions": 2 * runs, "widest_interval": widest,
                    "protocol": protocol, "ves": score(found).as_json(), "r_ves": r_ves(found).as_json(),
                    "ratios": ratios})  # fmt: skip
        return
    console.print(f"VES   {_shown(score(found))}\nR-VES {_shown(r_ves(found))}")
    reached = "" if widest is None else f"; widest interval of a log ratio {widest:.3f}"
    console.print(f"{len(known):,} right answers timed in {2 * runs:,} executions{reached}", style="dim")


def _shown(mean: Mean) -> str:
    if mean.value is None:
        return "not defined (N = 0)"
    return f"{mean.value:.2f} % ({mean.low:.2f} to {mean.high:.2f}; N = {mean.n:,})"
