"""`fathom score`: anybody's predictions against a benchmark."""

import json as json_format
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.errors import ConfigError
from fathom.evaluation.scoring import Score, score_files
from fathom.evaluation.scoring.clusters import connect_cluster

# Rich would take longer to import than scoring a thousand questions takes: plain text, no tables.
Names = Annotated[str | None, Parameter(name="--comparison", alias="--as")]


def score(
    benchmark: str,
    predictions: Annotated[list[Path], Parameter(negative="")],
    /,
    *,
    split: str | None = None,
    comparison: Names = None,
    keep_distinct: Annotated[bool, Parameter(negative="")] = False,
    details: Path | None = None,
    timeout: float = 30.0,
    workers: int | None = None,
    executor: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
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
    json
        Print one JSON object; with several files, one with a list of them.
    """
    if keep_distinct and comparison not in (None, "spider"):
        raise ConfigError("--keep-distinct belongs to the comparison spider.")
    if keep_distinct:
        comparison = "spider-keep-distinct"
    with ExitStack() as stack:
        found = score_files(
            benchmark,
            predictions,
            split=split,
            comparison=comparison,
            details=_details(details, predictions),
            timeout=timeout,
            workers=workers,
            executor=stack.enter_context(connect_cluster(executor)) if executor else None,
            watch=_watch if sys.stderr.isatty() else None,
        )
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if json:
        content = [one.as_json() for one in found]
        value = content[0] if len(content) == 1 else {"scores": content}
        print(json_format.dumps(value, ensure_ascii=False, indent=2))
    else:
        for one in found:
            print(_told(one))
    for one in found:
        for problem in one.problems:
            print(f"Note: {one.predictions}: {problem}", file=sys.stderr)
    return int(any("details" in problem for one in found for problem in one.problems))


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
    rate = "-" if one.correct_rate is None else f"{100 * one.correct_rate:.2f} %"
    split = f" ({one.split})" if one.split else ""
    lines = [
        f"{one.predictions}: {rate} correct, {one.correct} of {one.n}; "
        f"95 % interval {100 * low:.2f} to {100 * high:.2f}",
        f"  benchmark   {one.benchmark}{split}, comparison {one.comparison}",
        f"  outcomes    {one.correct} correct, {one.incorrect} incorrect, {one.error} error",
    ]
    if one.errors:
        lines.append("  errors      " + _counts(one.errors))
    if one.gold_failed:
        lines.append(f"  gold        {one.gold_failed} can't be judged: their gold query or database failed")
    if one.vacuous:
        lines.append(f"  vacuous     {one.vacuous} of the correct ones agree only in being empty")
    wrong = {k: v for k, v in one.verdicts.items() if k not in ("exact", "error")}
    if len(wrong) > 1 or set(wrong) - {"different"}:
        lines.append("  verdicts    " + _counts(one.verdicts))
    groups = {k: v for k, v in one.by_difficulty.items() if k}
    if groups:
        lines.append("  difficulty  " + ", ".join(f"{k} {c}/{n}" for k, (n, c) in sorted(groups.items())))
    if one.pass_at.get(20, 0) > one.correct:
        lines.append("  pass@k      " + ", ".join(f"{k}: {c}" for k, c in one.pass_at.items()))
    lines += [f"  note        {count} x {text}" for text, count in one.notes.most_common(3)]
    return "\n".join([*lines, f"  took        {one.seconds:.2f} s"])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda kv: -kv[1]))
