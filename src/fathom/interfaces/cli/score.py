"""`fathom score`: anybody's predictions against a benchmark."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.interfaces.cli.options import ALL_QUESTIONS, Chosen
from fathom.interfaces.cli.score_run import run_score

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
    return run_score(
        benchmark,
        predictions,
        split=split,
        comparison=comparison,
        keep_distinct=keep_distinct,
        details=details,
        timeout=timeout,
        workers=workers,
        executor=executor,
        ves=ves,
        database=questions.database,
        ids=questions.ids,
        sample=questions.sample,
        seed=seed,
        limit=limit,
        settled=settled,
        json=json,
    )
