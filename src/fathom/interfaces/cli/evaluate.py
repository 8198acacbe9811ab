"""`fathom evaluate`: measure a method on a benchmark, or a whole grid of them."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import is_of_calls
from fathom.errors import ConfigError
from fathom.evaluation.runs.grid import read_grid, run_grid
from fathom.evaluation.runs.replay import replay as answers_of
from fathom.evaluation.runs.running import RunStopped
from fathom.evaluation.runs.running import evaluate as run
from fathom.evaluation.runs.subject import Subject
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.interfaces.cli.evaluate_calls import show_calls_run
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.progress import progress
from fathom.interfaces.cli.showing import notices, print_json
from fathom.interfaces.cli.showing_runs import print_summary, show_run, told_stopped

METHOD, TIMEOUT = "offline", 30.0


def evaluate(
    benchmark: str | None = None,
    /,
    *,
    method: Annotated[str, Parameter(name=["--method", "-m"])] = METHOD,
    caller: str | None = None,
    model: str | None = None,
    embeddings: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    split: str | None = None,
    limit: int | None = None,
    workers: int = 1,
    comparison: str | None = None,
    with_examples: bool = False,
    examples: int | None = None,
    encoder: str = "lexical",
    pack: Sequence[Path] = (),
    timeout: float = TIMEOUT,
    seed: int = 0,
    predictions: Path | None = None,
    before: Path | None = None,
    executor: str | None = None,
    grid: Path | None = None,
    json: bool = False,
) -> int | None:
    """Measure a method on a benchmark. Stopped or killed, the same command goes on where it was.

    Parameters
    ----------
    benchmark
        A registered name (fathom benchmarks), a folder in a known layout, a JSONL file, or biotool:FILE.
    method
        A registered method (fathom methods), or the TOML file of one that is composed of steps.
    caller
        Of biotool:FILE, the caller to measure; llm with a model and offline without one if it isn't given.
    model
        The language model, for methods that ask one: provider:name (fathom models).
    embeddings
        The model that tells methods what is near in meaning: provider:name,
        http://HOST:PORT/v1#NAME or sentence-transformers:NAME. Without one words and spelling tell it.
    out
        The folder of the run; below runs/ where it isn't given.
    split
        Which part of the benchmark.
    limit
        Ask only the first so many questions.
    workers
        How many questions to ask at a time, and processes to judge in.
    comparison
        How results are compared: bird, spider, sql_eval, biomedsql, semantic; the benchmark's own by default.
    with_examples
        Give the method the benchmark's training questions as solved examples; a caller gets the file's own
        where there is no such split, without those that give the asked one away.
    examples
        Of biotool:FILE, how many such examples the caller gets.
    encoder
        Of biotool:FILE, what tells how alike two observations are: lexical, medcpt,
        sentence-transformers:MODEL, or an embedding model as provider:MODEL.
    pack
        A knowledge pack beside the benchmark's own; may be given several times.
    timeout
        Seconds that each query may take.
    seed
        Kept with the run, and part of what makes two runs the same.
    predictions
        Instead of asking a method, take the answers of a prediction file, in any form that score reads.
    before
        With predictions: a file with the queries that entered the system's last module, for revision metrics.
    executor
        Where to judge: dask://host:port; in processes on this machine where it isn't given.
    grid
        A TOML file of methods, models and benchmarks to run all together.
    json
        Print the summary as one JSON object.
    """
    if grid is not None:
        return _grid(grid, out, json=json)
    if benchmark is None:
        raise ConfigError("Name a benchmark, or a grid with --grid FILE. There is: fathom benchmarks.")
    subject: Subject = method
    name = None
    loaded = load_benchmark(benchmark, split)
    if is_of_calls(loaded):
        of_queries = {
            "--method": method != METHOD,
            "--timeout": timeout != TIMEOUT,
            "--embeddings": embeddings,
            "--comparison": comparison,
            "--pack": pack,
            "--before": before,
            "--executor": executor,
        }
        if given := next((option for option, value in of_queries.items() if value), None):
            raise ConfigError(f"{given} goes with benchmarks of queries; {loaded.name} is of tool questions.")
        return show_calls_run(
            loaded,
            caller,
            predictions=predictions,
            out=out,
            model=model,
            recording=recording,
            spending=spending,
            limit=limit,
            workers=workers,
            with_examples=with_examples,
            examples=examples,
            encoder=encoder,
            seed=seed,
            json=json,
        )
    if caller is not None:
        raise ConfigError("--caller goes with a benchmark of tool questions, such as biotool:FILE.")
    if predictions is not None:
        subject, name = answers_of(loaded, predictions, before=before), predictions.stem
    elif before is not None:
        raise ConfigError("--before goes with --predictions FILE.")
    try:
        with connect_cluster(executor) if executor else nullcontext() as cluster:
            done = run(
                loaded,
                subject,
                name=name,
                out=out,
                model=model,
                embeddings=embeddings,
                cassette=recording.cassette,
                replay=recording.replay,
                budget=spending.budget("run"),
                limit=limit,
                workers=workers,
                comparison=comparison,
                with_examples=with_examples,
                packs=pack,
                timeout=timeout,
                seed=seed,
                progress=progress(),
                executor=cluster,
            )
    except RunStopped as stopped:
        return told_stopped(stopped)
    show_run(done, json=json)
    return None


def _grid(file: Path, out: Path | None, *, json: bool) -> int | None:
    grid = read_grid(file)
    try:
        done = run_grid(grid, out or Path("runs") / file.stem, progress=progress())
    except RunStopped as stopped:
        return told_stopped(stopped)
    summaries = [(cell, cell_run.summary()) for cell, cell_run in done.runs]
    if json:
        failed = [{"cell": str(c), "error": str(e)} for c, e in done.failed]
        print_json({"runs": [s.as_json() for _, s in summaries], "failed": failed})
    else:
        for _, summary in summaries:
            print_summary(summary)
        for cell, error in done.failed:
            notices.print(f"{cell}: {error}", style="red", markup=False)
    return 1 if done.failed else None
