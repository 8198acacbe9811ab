"""`fathom evaluate biotool:FILE`: measure a caller of biomedical APIs on questions with their calls."""

from pathlib import Path

from fathom.benchmarks import Benchmark
from fathom.evaluation.calls import evaluate_calls
from fathom.evaluation.calls.replay import replay_calls
from fathom.evaluation.calls.running import Subject
from fathom.evaluation.runs.running import RunStopped
from fathom.interfaces.cli.options import ModelOptions, Recording, Spending
from fathom.interfaces.cli.progress import progress
from fathom.interfaces.cli.showing_runs import show_run, told_stopped


def show_calls_run(
    benchmark: Benchmark,
    caller: str | None,
    *,
    predictions: Path | None,
    out: Path | None,
    model: str | None,
    recording: Recording,
    spending: Spending,
    asking: ModelOptions,
    limit: int | None,
    workers: int,
    with_examples: bool,
    examples: int | None,
    encoder: str,
    seed: int | None,
    json: bool,
) -> int | None:
    """Run it and show its figures. Raises as `evaluate_calls`."""
    subject: Subject = caller or ("llm" if model else "offline")
    if predictions is not None:
        subject = replay_calls(benchmark, predictions)
    try:
        done = evaluate_calls(
            benchmark,
            subject,
            name=predictions.stem if predictions else None,
            out=out,
            model=model,
            cassette=recording.cassette,
            replay=recording.replay,
            budget=spending.budget("run"),
            pace=asking.pace(),
            reply_tokens=asking.reply_tokens,
            limit=limit,
            workers=workers,
            with_examples=with_examples,
            examples=examples,
            encoder=encoder,
            seed=seed,
            progress=progress(),
        )
    except RunStopped as stopped:
        return told_stopped(stopped)
    show_run(done, json=json)
    return None
