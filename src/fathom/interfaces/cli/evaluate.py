"""`fathom evaluate`: measure a method on a benchmark."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import is_of_calls
from fathom.errors import ConfigError
from fathom.evaluation.runs.imported_prices import CACHED_SHARE
from fathom.evaluation.runs.options import Evidence, SchemaGiven
from fathom.evaluation.runs.replay import replay as answers_of
from fathom.evaluation.runs.run import evaluate as run
from fathom.evaluation.runs.subject import Subject
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.interfaces.cli.evaluate_repeats import RepeatedRun, show_measured
from fathom.interfaces.cli.options import (
    ALL_QUESTIONS,
    AS_QUERIES_ARE,
    AS_RUNS_GO,
    AS_USUAL,
    NO_LIMIT,
    NO_RECORDING,
    Chosen,
    ModelOptions,
    QueryOptions,
    Recording,
    Repair,
    RunFlags,
    Spending,
    WithoutRules,
    rule_names,
    run_options,
)
from fathom.methods import Method, find_method

METHOD = "offline"


def evaluate(
    benchmark: str,
    /,
    *,
    method: Annotated[str | None, Parameter(name=["--method", "-m"])] = None,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    asking: ModelOptions = AS_USUAL,
    split: str | None = None,
    questions: Chosen = ALL_QUESTIONS,
    flags: RunFlags = AS_RUNS_GO,
    queries: QueryOptions = AS_QUERIES_ARE,
    without_rules: WithoutRules = "",
    repair: Repair = None,
    evidence: Evidence = "given",
    schema: SchemaGiven = "whole",
    on: str = "",
    predictions: Path | None = None,
    before: Path | None = None,
    price_as: str | None = None,
    cached_share: float | None = None,
    repeats: int = 1,
    name: str = "",
    json: bool = False,
) -> int | None:
    """Measure a method on a benchmark. To continue an interrupted run, repeat the command.

    Parameters
    ----------
    benchmark
        A benchmark's name (fathom benchmarks), a folder in a known layout, or a JSONL file.
    method
        A method's name (fathom methods), or the TOML file of your own method; the default is offline.
    model
        The language model, for methods that use one: provider:name (fathom models).
    split
        The part of the benchmark to use, such as dev or test.
    evidence
        given, or none, which hides the evidence of the questions from the method. compare and report show
        the gap between both.
    schema
        whole, or gold, which shows the method only the tables and columns that the gold query reads.
    on
        Ask the same questions of this database (a path, a URL or a name), which has what the gold queries
        read, and more, such as demo:biomed20.
    predictions
        Measure the answers in this prediction file, in any format that score reads, instead of a method.
    before
        With --predictions: a file with the queries before the system's last module, for revision metrics.
    price_as
        With --predictions that report tokens: use the prices of this model, provider:name.
    cached_share
        With --price-as: the share of prompt tokens that count as cached; the default is one half.
    repeats
        Run this many times, each with its own seed and folder, and show the mean and the spread.
    name
        The name of the run in reports; the default is its method and model, or its file.
    json
        Print the summary as one JSON object.
    """
    loaded = load_benchmark(benchmark, split).only(questions.choice(flags.seed or 0))
    if is_of_calls(loaded):
        raise ConfigError(f"{loaded.name} is of tool questions: fathom evaluate-calls {benchmark}")
    subject: Subject = _method(method or METHOD, rule_names(without_rules), repair)
    share = CACHED_SHARE if cached_share is None else cached_share
    if price_as is None:
        _refuse({"--cached-share": cached_share}, "goes with --price-as PROVIDER:NAME")
    if predictions is None:
        _refuse({"--before": before, "--price-as": price_as}, "goes with --predictions FILE")
    else:
        subject = answers_of(loaded, predictions, before=before, price_as=price_as, cached_share=share)
    options = replace(
        run_options(flags, recording, spending, asking),
        name=predictions.stem if predictions else None,
        label=name,
        settings={"price_as": price_as, "cached_share": share} if price_as else None,
        model=model,
        evidence=evidence,
        schema=schema,
        on=on,
        **queries.given(),
    )
    with connect_cluster(queries.executor) if queries.executor else nullcontext() as cluster:
        return show_measured(
            lambda asked: run(loaded, subject, asked),
            replace(options, executor=cluster),
            RepeatedRun(repeats, f"{Path(benchmark).stem}-{method or METHOD}", spending),
            json=json,
        )


def _method(name: str, without_rules: tuple[str, ...], repair: bool | None) -> Subject:
    """The method of this name; without some of its rules, or with repair, it is another, by another name."""
    method = find_method(name) if without_rules or repair is not None else name
    if not isinstance(method, Method):
        return method
    chosen = method.using(without_rules=without_rules) if without_rules else method
    if without_rules:
        name = f"{name} without {', '.join(without_rules)}"
    if repair is not None:
        from fathom.nl2sql.repair import with_repair  # noqa: PLC0415, only where it is asked for

        mended = with_repair(chosen, repair)
        name = name if mended is chosen else f"{name} {'with' if repair else 'without'} repair"
        chosen = mended
    return replace(chosen, name=name)


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Raises `ConfigError` for the first option that is given."""
    if given := next((option for option, value in options.items() if value is not None), None):
        raise ConfigError(f"{given} {why}.")
