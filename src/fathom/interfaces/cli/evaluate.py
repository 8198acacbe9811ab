"""`fathom evaluate`: measure a method on a benchmark, or a whole grid of them."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import is_of_calls
from fathom.errors import ConfigError
from fathom.evaluation.runs.imported_prices import CACHED_SHARE
from fathom.evaluation.runs.replay import replay as answers_of
from fathom.evaluation.runs.running import RunStopped
from fathom.evaluation.runs.running import evaluate as run
from fathom.evaluation.runs.subject import Evidence, SchemaGiven, Subject
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.interfaces.cli.evaluate_calls import show_calls_run
from fathom.interfaces.cli.evaluate_grid import show_grid
from fathom.interfaces.cli.evaluate_repeats import show_repeats
from fathom.interfaces.cli.options import (
    ALL_QUESTIONS,
    AS_USUAL,
    NO_LIMIT,
    NO_RECORDING,
    Chosen,
    ModelOptions,
    Recording,
    Spending,
)
from fathom.interfaces.cli.progress import progress
from fathom.interfaces.cli.showing_runs import show_run, told_stopped

METHOD, TIMEOUT = "offline", 30.0


def evaluate(
    benchmark: str | None = None,
    /,
    *,
    method: Annotated[str | None, Parameter(name=["--method", "-m"])] = None,
    caller: str | None = None,
    model: str | None = None,
    embeddings: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    asking: ModelOptions = AS_USUAL,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    split: str | None = None,
    questions: Chosen = ALL_QUESTIONS,
    limit: int | None = None,
    workers: int | None = None,
    comparison: str | None = None,
    with_examples: bool | None = None,
    same_database: bool | None = None,
    examples: int | None = None,
    encoder: str | None = None,
    pack: Sequence[Path] = (),
    evidence: Evidence = "given",
    schema: SchemaGiven = "whole",
    timeout: float | None = None,
    seed: int | None = None,
    predictions: Path | None = None,
    before: Path | None = None,
    price_as: str | None = None,
    cached_share: float | None = None,
    executor: str | None = None,
    grid: Path | None = None,
    repeats: int = 1,
    json: bool = False,
) -> int | None:
    """Measure a method on a benchmark. Stopped or killed, the same command goes on where it was.

    Parameters
    ----------
    benchmark
        A registered name (fathom benchmarks), a folder in a known layout, a JSONL file, or biotool:FILE.
    method
        A registered method (fathom methods), or the TOML file of one that is composed of steps; offline
        where it isn't given.
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
        How many questions to ask at a time, and processes to judge in; 1 where it isn't given.
    comparison
        How results are compared: bird, spider, sql_eval, biomedsql, semantic; the benchmark's own by default.
    with_examples
        Give the method the benchmark's training questions as solved examples; a caller gets the file's own
        where there is no such split, without those that give the asked one away.
    same_database
        What a model is shown of these may be about the asked database; else it is about others. Questions
        with the gold query are never shown.
    examples
        Of biotool:FILE, how many such examples the caller gets.
    encoder
        Of biotool:FILE, what tells how alike two observations are: lexical (where it isn't given), medcpt,
        sentence-transformers:MODEL, or an embedding model as provider:MODEL.
    pack
        A knowledge pack beside the benchmark's own; may be given several times.
    evidence
        given, or none: the method doesn't see the questions' outside knowledge. compare and report tell the
        gap to a run that does.
    schema
        whole, or gold: the method sees only the tables and columns that the gold query reads. Likewise.
    timeout
        Seconds that each query may take; 30 where it isn't given.
    seed
        Sent to the model with each request, kept with the run, and part of what makes two runs the same; of
        --sample too, 0 where it isn't given.
    predictions
        Instead of asking a method, take the answers of a prediction file, in any form that score reads.
    before
        With predictions: a file with the queries that entered the system's last module, for revision metrics.
    price_as
        With predictions that tell tokens: price them as those of this model, provider:name.
    cached_share
        With price-as: the share of prompt tokens to take as cached; half of them where it isn't given.
    executor
        Where to judge: dask://host:port; in processes on this machine where it isn't given.
    grid
        A TOML file of methods, models and benchmarks to run all together. What is said here of questions,
        models and limits holds for each of its runs, whatever the file says.
    repeats
        Run so many times, with seeds from --seed on and a folder each, and tell the mean and the spread.
    json
        Print the summary as one JSON object.
    """
    options = dict(locals())
    if repeats > 1:
        return show_repeats(evaluate, options)
    if grid is not None:
        named = {"a benchmark": benchmark, "--evidence": evidence != "given", "--schema": schema != "whole",
                 "--price-as": price_as, "--method": method, "--caller": caller, "--model": model,
                 "--split": split, "--examples": examples, "--encoder": encoder, "--before": before,
                 "--predictions": predictions}  # fmt: skip
        _refuse(named, "goes with one run: a grid names what it runs in its file")
        of_runs = {"limit": limit, "workers": workers, "comparison": comparison, "timeout": timeout,
                   "seed": seed, "with_examples": with_examples, "same_database": same_database,
                   "packs": list(pack) or None,
                   "databases": list(questions.database) or None, "ids": list(questions.ids) or None,
                   "sample": questions.sample, "embeddings": embeddings, "cassette": recording.cassette,
                   "replay": recording.replay or None, **vars(spending), **vars(asking)}  # fmt: skip
        return show_grid(grid, out, of_runs, executor=executor, json=json)
    if benchmark is None:
        raise ConfigError("Name a benchmark, or a grid with --grid FILE. There is: fathom benchmarks.")
    name = None
    loaded = load_benchmark(benchmark, split).only(questions.choice(seed or 0))
    if is_of_calls(loaded):
        of_queries = {"--method": method, "--timeout": timeout, "--embeddings": embeddings,
                      "--comparison": comparison, "--pack": pack, "--before": before,
                      "--evidence": evidence != "given", "--schema": schema != "whole",
                      "--executor": executor}  # fmt: skip
        _refuse(of_queries, f"goes with benchmarks of queries; {loaded.name} is of tool questions")
        return show_calls_run(
            loaded,
            caller,
            predictions=predictions,
            out=out,
            model=model,
            recording=recording,
            spending=spending,
            asking=asking,
            limit=limit,
            workers=workers or 1,
            with_examples=bool(with_examples),
            examples=examples,
            encoder=encoder or "lexical",
            seed=seed,
            json=json,
        )
    if caller is not None:
        raise ConfigError("--caller goes with a benchmark of tool questions, such as biotool:FILE.")
    subject: Subject = method or METHOD
    if predictions is not None:
        share = CACHED_SHARE if cached_share is None else cached_share
        subject = answers_of(loaded, predictions, before=before, price_as=price_as, cached_share=share)
        name = predictions.stem
    else:
        _refuse({"--before": before, "--price-as": price_as}, "goes with --predictions FILE")
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
                pace=asking.pace(),
                reply_tokens=asking.reply_tokens,
                limit=limit,
                workers=workers or 1,
                comparison=comparison,
                with_examples=bool(with_examples),
                same_database=bool(same_database),
                packs=pack,
                evidence=evidence,
                schema=schema,
                timeout=TIMEOUT if timeout is None else timeout,
                seed=seed,
                progress=progress(),
                executor=cluster,
            )
    except RunStopped as stopped:
        return told_stopped(stopped)
    show_run(done, json=json)
    return None


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Raises `ConfigError` for the first option that is given."""
    if given := next((option for option, value in options.items() if value), None):
        raise ConfigError(f"{given} {why}.")
