"""`fathom score`: anybody's predictions against a benchmark."""

import json as json_format
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fathom.errors import ConfigError
from fathom.evaluation.categories import by_level
from fathom.evaluation.outcome import told_unjudged
from fathom.evaluation.scoring import Score, ScoreOptions, score_files
from fathom.interfaces.cli.options import ALL_QUESTIONS, Chosen
from fathom.text import visible

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from fathom.benchmarks import Benchmark


Names = Annotated[str | None, Parameter(name="--comparison", alias="--as")]


def score(
    benchmark: str,
    predictions: list[Path],
    /,
    *,
    split: str | None = None,
    comparison: Names = None,
    keep_distinct: bool = False,
    details: Path | None = None,
    timeout: float = 30.0,
    workers: int | None = None,
    executor: str | None = None,
    ves: bool = False,
    questions: Chosen = ALL_QUESTIONS,
    seed: int = 0,
    limit: int | None = None,
    settled: Path | None = None,
    json: bool = False,
) -> int:
    """Score files of predictions: BIRD or Spider files, JSONL, JSON, NL2SQLBench folders.

    Parameters
    ----------
    benchmark
        A name from `fathom benchmarks`, a folder in a known layout, or a JSONL file of questions.
    predictions
        One file or several; several are scored together, each distinct query run once.
    split
        Which split of the benchmark: dev, train, ...
    comparison
        bird, spider, sql_eval, biomedsql or semantic (default: the benchmark's own); nl2sqlbench, test-suite
        and others reproduce what a reference does beside its protocol: see docs/comparisons.md.
    keep_distinct
        With spider: leave DISTINCT in the queries.
    details
        Write a JSON line for each question: id, outcome, verdict, score, error. With several files of
        predictions this is a folder.
    timeout
        Seconds that each query may take.
    workers
        Processes on this machine (default: one a core, at most 8).
    executor
        dask://host:port runs the queries on a Dask cluster.
    ves
        Also time the right queries against gold, one after the other: VES and R-VES.
    seed
        Of --sample: the same seed draws the same questions.
    limit
        Only the first so many questions.
    settled
        What people settled about suspect gold (review export): their gold counts instead of the published
        one, and questions at fault are left out.
    json
        Print one JSON object; with several files, one with a list of them.
    """
    if keep_distinct and comparison not in (None, "spider"):
        raise ConfigError("--keep-distinct belongs to the comparison spider.")
    if keep_distinct:
        comparison = "spider-keep-distinct"
    asked: str | Benchmark = benchmark
    told, without = None, tuple[str, ...]()
    if settled is not None:
        from fathom.benchmarks import load_benchmark  # noqa: PLC0415
        from fathom.benchmarks.settled import with_settled  # noqa: PLC0415

        asked, told = with_settled(load_benchmark(benchmark, split), settled)
        without = told.left_out
    with ExitStack() as stack:
        found = score_files(
            asked,
            predictions,
            ScoreOptions(
                split=split,
                choice=replace(questions.choice(seed), limit=limit, without=without),
                comparison=comparison,
                timeout=timeout,
                workers=workers,
                executor=stack.enter_context(_connected(executor)) if executor else None,
                ves=ves,
                watch=_watch if sys.stderr.isatty() else None,
            ),
            details=_details(details, predictions),
        )
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if json:
        content = [one.as_json() for one in found]
        if told is not None:
            gold = {"corrected": list(told.corrected), "left_out": list(told.left_out)}
            content = [one | {"settled": gold} for one in content]
        value = content[0] if len(content) == 1 else {"scores": content}
        print(json_format.dumps(value, indent=2))
    else:
        for one in found:
            print(visible(_told(one)))
            if told is not None:
                print(visible(f"  settled     {told}"))
    for one in found:
        for problem in one.problems:
            print(visible(f"Note: {one.predictions}: {problem}"), file=sys.stderr)
    return int(any("details" in problem for one in found for problem in one.problems))


def _connected(address: str) -> "AbstractContextManager[Executor]":
    from fathom.evaluation.scoring.clusters import connect_cluster  # noqa: PLC0415

    return connect_cluster(address)


def _details(details: Path | None, predictions: list[Path]) -> list[Path] | None:
    if details is None or len(predictions) == 1:
        return None if details is None else [details]
    details.mkdir(parents=True, exist_ok=True)
    names = [f"{number:02d}-{file.stem}.jsonl" for number, file in enumerate(predictions, start=1)]
    return [details / name for name in names]


def _watch(done: int) -> None:
    if not done % 50:
        sys.stderr.write(f"\r{done} questions ...")
        sys.stderr.flush()


def _told(one: Score) -> str:
    """The summary as people read it; every share beside its counts."""
    low, high = one.interval
    split = f" ({one.split})" if one.split else ""
    unjudged = told_unjudged(one.unjudged)
    if one.correct_rate is None:
        head = "nothing judged"
    else:
        judged = f"{one.n} judged" if unjudged else f"{one.n}"
        head = (
            f"{100 * one.correct_rate:.2f} % correct, {one.correct} of {judged}; "
            f"95 % interval {100 * low:.2f} to {100 * high:.2f}"
        )
    lines = [
        f"{one.predictions}: {head}" + (f"; {unjudged}" if unjudged else ""),
        f"  benchmark   {one.benchmark}{split}, comparison {one.comparison}",
        f"  outcomes    {one.correct} correct, {one.incorrect} incorrect, {one.error} error",
    ]
    if (clustered := one.clustered) is not None:
        lines.append(f"  clustered   95 % interval {clustered}")
    if one.translated:
        lines.append(f"  dialect     gold and predictions alike were translated from {one.translated}")
    if one.errors:
        lines.append("  errors      " + _counts(one.errors))
    if one.vacuous:
        lines.append(f"  vacuous     {one.vacuous} of the correct ones agree only in being empty")
    wrong = {k: v for k, v in one.verdicts.items() if k not in ("exact", "error")}
    if len(wrong) > 1 or set(wrong) - {"different"}:
        lines.append("  verdicts    " + _counts(one.verdicts))
    if one.ves is not None:
        lines.append(
            f"  efficiency  VES {one.ves:.2f} %, R-VES {one.r_ves:.2f} %, over all {one.n} questions judged"
        )
    groups = {k: v for k, v in one.by_difficulty.items() if k}
    if groups:
        levels = (f"{k} {groups[k][1]}/{groups[k][0]}" for k in by_level(groups))
        lines.append("  difficulty  " + ", ".join(levels))
    if one.pass_at.get(20, 0) > one.correct:
        lines.append("  pass@k      " + ", ".join(f"{k}: {c}" for k, c in one.pass_at.items()))
    lines += [f"  note        {count} x {text}" for text, count in one.notes.most_common(3)]
    return "\n".join([*lines, f"  took        {one.seconds:.2f} s"])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda kv: -kv[1]))
