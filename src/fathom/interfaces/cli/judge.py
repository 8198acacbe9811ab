"""`fathom judge`: a run's answers in words, judged by a model that knows the gold answers."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.evaluation.answers import JUDGEMENTS, AnswerQuality, judge_run
from fathom.interfaces.cli.asking_models import budget_of
from fathom.interfaces.cli.showing import console, plain, print_json
from fathom.interfaces.cli.showing_runs import measure
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
    max_tokens: int | None = None,
    max_cost: float | None = None,
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
    max_tokens
        Stop, keeping what is judged, when the judge has used this many tokens.
    max_cost
        The same in dollars.
    split
        Which part of the benchmark.
    json
        Print one JSON object.
    """
    budget = budget_of(max_tokens, max_cost, scope="run")
    with open_model(model, cassette=cassette, replay=replay) as opened:
        judging = opened.within(budget) if budget is not None else opened
        found = judge_run(load_benchmark(benchmark, split), run, judging)
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
