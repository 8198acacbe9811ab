"""`fathom judge`: a run's answers in words, judged by a model that knows the gold answers."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.evaluation.answers import JUDGEMENTS, AnswerQuality, judge_run
from fathom.evaluation.metrics import Rate
from fathom.interfaces.cli.showing import console, plain, print_json
from fathom.llm import open_model

Flag = Parameter(negative="")


def judge(
    benchmark: str,
    run: Path,
    /,
    *,
    model: str,
    cassette: Path | None = None,
    replay: Annotated[bool, Flag] = False,
    split: str | None = None,
    json: Annotated[bool, Flag] = False,
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
    cassette
        Record what the judge says in this file; what is in it already isn't asked again.
    replay
        Judge from the cassette alone, without a key or a network.
    split
        Which part of the benchmark.
    json
        Print one JSON object.
    """
    with open_model(model, cassette=cassette, replay=replay) as opened:
        found = judge_run(load_benchmark(benchmark, split), run, opened)
    quality = AnswerQuality.of(found)
    if json:
        print_json({"model": model, "n": len(found), **quality.as_json()})
        return
    console.print(f"Response quality rate {_shown(quality.response_quality)}")
    console.print(f"Safety rate           {_shown(quality.safety)}")
    if quality.unjudged:
        console.print(f"{quality.unjudged:,} of {len(found):,} unjudged; the same command asks again.")
    console.print(plain(f"Each judgement: {run / JUDGEMENTS}"), style="dim", soft_wrap=True)


def _shown(rate: Rate) -> str:
    if rate.value is None:
        return "not defined (N = 0)"
    low, high = rate.interval()
    return f"{rate.value:.1%} ({low:.1%} to {high:.1%}; {rate.hits:,} of {rate.trials:,})"
