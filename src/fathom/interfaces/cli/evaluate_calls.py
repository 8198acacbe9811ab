"""`fathom evaluate-calls`: measure a caller of biomedical APIs on questions with their calls."""

from dataclasses import replace
from pathlib import Path

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import PREFIX, is_of_calls
from fathom.errors import ConfigError
from fathom.evaluation.calls import evaluate_calls as run
from fathom.evaluation.calls.replay import replay_calls
from fathom.evaluation.calls.run import Subject
from fathom.interfaces.cli.evaluate_repeats import RepeatedRun, show_measured
from fathom.interfaces.cli.options import (
    ALL_QUESTIONS,
    AS_RUNS_GO,
    AS_USUAL,
    NO_LIMIT,
    NO_RECORDING,
    Chosen,
    ModelOptions,
    Recording,
    RunFlags,
    Spending,
    run_options,
)


def evaluate_calls(
    benchmark: str,
    /,
    *,
    caller: str | None = None,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    asking: ModelOptions = AS_USUAL,
    split: str | None = None,
    questions: Chosen = ALL_QUESTIONS,
    flags: RunFlags = AS_RUNS_GO,
    examples: int | None = None,
    encoder: str = "lexical",
    predictions: Path | None = None,
    repeats: int = 1,
    name: str = "",
    json: bool = False,
) -> int | None:
    """Measure a caller on tool questions. Stopped or killed, the same command goes on where it was.

    Parameters
    ----------
    benchmark
        biotool:FILE, or a registered benchmark of tool questions (fathom benchmarks).
    caller
        The caller to measure: offline, llm or finetuned; llm with a model and offline without one if it isn't
        given.
    model
        The language model, for callers that ask one: provider:name (fathom models).
    split
        Which part of the benchmark.
    examples
        How many solved examples the caller gets.
    encoder
        What tells how alike two observations are: lexical, medcpt, sentence-transformers:MODEL, or an
        embedding model as provider:MODEL.
    predictions
        Instead of asking a caller, take the calls of a prediction file.
    repeats
        Run so many times, with seeds from --seed on and a folder each, and tell the mean and the spread.
    name
        What reports call this run; its method and model, or its file, where it isn't given.
    json
        Print the summary as one JSON object.
    """
    loaded = load_benchmark(benchmark, split).only(questions.choice(flags.seed or 0))
    if not is_of_calls(loaded):
        raise ConfigError(
            f"{loaded.name} has no tool questions: fathom evaluate {benchmark} measures methods on it, and "
            f"{PREFIX}FILE names a file of tool questions."
        )
    subject: Subject = caller or ("llm" if model else "offline")
    repeated = RepeatedRun(repeats, f"{Path(benchmark).stem}-{subject}", spending)
    stem = None
    if predictions is not None:
        subject, stem = replay_calls(loaded, predictions), predictions.stem
    asked_so = run_options(flags, recording, spending, asking)
    options = replace(asked_so, name=stem, label=name, model=model)
    return show_measured(
        lambda asked: run(loaded, subject, asked, examples=examples, encoder=encoder),
        options,
        repeated,
        json=json,
    )
