"""`fathom ves`: how fast the right answers of a run are beside gold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from fathom.benchmarks import load_benchmark
from fathom.errors import ConfigError
from fathom.evaluation.categories import by_level
from fathom.evaluation.metrics import r_ves
from fathom.evaluation.metrics import ves as score
from fathom.evaluation.runs.kept_speed import keep_speed
from fathom.evaluation.runs.speed import Protocol, time_run
from fathom.evaluation.timing import Ratio
from fathom.interfaces.cli.display import console, plain, print_json

Timed = Mapping[str, Ratio | None]


def ves(
    benchmark: str,
    run: Path,
    /,
    *,
    split: str | None = None,
    protocol: Protocol = "adaptive",
    width: float = 0.1,
    trials: int = 1,
    json: bool = False,
) -> None:
    """Measure VES and R-VES of a run: how fast its right answers are beside gold. Run it alone.

    The figures are kept with the run, and its reports show them.

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
    trials
        Measure everything so many times, and tell how far the figures vary from one to the next.
    json
        Print one JSON object.
    """
    if trials < 1:
        raise ConfigError(f"--trials takes a number from 1 on, not {trials}.")
    loaded = load_benchmark(benchmark, split)
    levels = {q.id: q.difficulty for q in loaded if q.difficulty}
    measured = [dict(time_run(loaded, run, protocol=protocol, width=width)) for _ in range(trials)]
    told = [_figures(timed, levels, protocol) for timed in measured]
    first = told[0] | ({"trials": _spread(told)} if trials > 1 else {})
    keep_speed(run, {name: value for name, value in first.items() if name != "ratios"})
    if json:
        print_json(first)
    else:
        _show(first)


def _figures(timed: Timed, levels: Mapping[str, str], protocol: Protocol) -> dict[str, Any]:
    """All figures of one trial, as JSON values."""
    known = [ratio for ratio in timed.values() if ratio]
    found = {i: levels[i] for i in timed if i in levels}
    return {
        "n": len(timed),
        "timed": len(known),
        "executions": 2 * sum(r.runs for r in known),
        "widest_interval": max((r.width for r in known), default=None),
        "protocol": protocol,
        **_both(list(timed.values()), protocol),
        "by_difficulty": {
            level: _both([timed[i] for i, of in found.items() if of == level], protocol)
            for level in by_level(set(found.values()))
        },
        "ratios": {i: ratio.value if ratio else None for i, ratio in timed.items()},
    }


def _both(ratios: Sequence[Ratio | None], protocol: Protocol) -> dict[str, Any]:
    values = [ratio.value if ratio else None for ratio in ratios]
    # The published protocol takes each ratio as it is measured.
    rewarded = [r.rewarded if r else None for r in ratios] if protocol == "adaptive" else values
    return {"ves": score(values).as_json(), "r_ves": r_ves(rewarded).as_json()}


def _spread(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The mean and standard deviation of each figure over the trials, and its values."""
    values = {name: [one[name]["value"] for one in told if one[name]["value"] is not None]
              for name in ("ves", "r_ves")}  # fmt: skip
    return {
        name: {"mean": fmean(found), "standard_deviation": stdev(found), "values": found}
        for name, found in values.items()
        if len(found) > 1
    }


def _show(found: Mapping[str, Any]) -> None:
    console.print(f"VES   {_shown(found['ves'])}\nR-VES {_shown(found['r_ves'])}")
    for level, of in found["by_difficulty"].items():
        console.print(plain(f"{level}: VES {_shown(of['ves'])}, R-VES {_shown(of['r_ves'])}"), soft_wrap=True)
    for name, spread in found.get("trials", {}).items():
        values = ", ".join(f"{v:.2f}" for v in spread["values"])
        label = name.upper().replace("_", "-")
        told = f"{spread['mean']:.2f} ± {spread['standard_deviation']:.2f} % ({values})"
        console.print(f"{label} of {len(spread['values'])} trials: {told}", soft_wrap=True)
    widest = found["widest_interval"]
    reached = "" if widest is None else f"; widest interval of a log ratio {widest:.3f}"
    counted = f"{found['timed']:,} right answers timed in {found['executions']:,} executions"
    console.print(f"{counted}{reached}", style="dim")


def _shown(mean: Mapping[str, Any]) -> str:
    if mean["value"] is None:
        return "not defined (N = 0)"
    low, high = mean["interval"]
    return f"{mean['value']:.2f} % ({low:.2f} to {high:.2f}; N = {mean['n']:,})"
