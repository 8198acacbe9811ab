"""`fathom judge`: a run's answers in words, judged by a model that knows the gold answers."""

from pathlib import Path

from fathom.benchmarks import load_benchmark
from fathom.evaluation.answers import JUDGEMENTS, AnswerQuality, judge_run
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.showing import console, plain, print_json
from fathom.interfaces.cli.showing_runs import measure
from fathom.llm import opened_model


def judge(
    benchmark: str,
    run: Path,
    /,
    *,
    model: str,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    split: str | None = None,
    json: bool = False,
) -> None:
    """Let a model judge a run's answers in words. Stopped or killed, the same command goes on where it was.

    Parameters
    ----------
    benchmark
        The benchmark of the run; its questions need gold answers in words.
    run
        The folder of the run. The judgements go to judgements.jsonl in it, one line a question.
    model
        The judge: provider:name (fathom models).
    split
        Which part of the benchmark.
    json
        Print one JSON object.
    """
    budget = spending.budget("run")
    with opened_model(model, cassette=recording.cassette, replay=recording.replay, budget=budget) as opened:
        found = judge_run(load_benchmark(benchmark, split), run, opened)
    quality = AnswerQuality.of(found)
    if json:
        print_json({"model": model, "n": len(found), **quality.as_json()})
        return
    shown = quality.as_json()
    console.print(f"Response quality rate {measure(shown['response_quality'])}")
    console.print(f"Safety rate           {measure(shown['safety'])}")
    if quality.unjudged:
        console.print(f"{quality.unjudged:,} of {len(found):,} unjudged; the same command asks again.")
    console.print(plain(f"Each judgement: {run / JUDGEMENTS}"), style="dim", soft_wrap=True)
