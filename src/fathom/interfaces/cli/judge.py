"""`fathom judge`: a run's answers in words, judged by a model that knows the gold answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.benchmarks import load_benchmark
from fathom.errors import ConfigError
from fathom.evaluation.answers import JUDGEMENTS, AnswerQuality, judge_run
from fathom.evaluation.answers.equivalence import figures_of, judge_queries
from fathom.evaluation.answers.people import import_scores
from fathom.evaluation.answers.stored import check_run_is_of
from fathom.evaluation.outcome import SAME
from fathom.evaluation.runs.folder import EQUIVALENCES, PEOPLE
from fathom.interfaces.cli.display import console, plain, print_json
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.run_display import measure
from fathom.llm import Model, opened_model


def judge(
    benchmark: str,
    run: Path,
    /,
    *,
    model: str | None = None,
    queries: bool = False,
    database: str | None = None,
    method: str | None = None,
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("judged.jsonl"),
    people: Sequence[Path] = (),
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    split: str | None = None,
    executor: str | None = None,
    json: bool = False,
) -> None:
    """Let a model judge a run's answers in words. Stopped or killed, the same command goes on where it was.

    fathom judge business ANSWERS --database D judges answers without gold, with or without a model: each
    sentence is checked against the database.

    Parameters
    ----------
    benchmark
        The benchmark of the run; its questions need gold answers in words. Or business, for answers without
        gold.
    run
        The folder of the run. The judgements go to judgements.jsonl in it, one line a question. With business
        a run or a file of id, question and answer.
    model
        The judge: provider:name (fathom models). With business it may be left out: claims are then read by
        rule, and what no rule can tell is not judged.
    queries
        Judge the run's queries in place of its words: does each mean the same as gold? A second opinion
        beside execution, kept in equivalences.jsonl under the judge's name; it changes no outcome.
    database
        With business: what the answers are about.
    method
        With business: who answers the small questions made of each sentence. Left out, it is offline.
    out
        With business: where each sentence is kept with its questions, queries, rows and verdict.
    people
        A person's BioScores of the run's answers, one JSONL file a person with id and score: kept with the
        run, and held against the judge's in reports. With business: id and the dimensions, each 0, 0.5 or
        1; shows how far people and judge agree.
    split
        Which part of the benchmark.
    executor
        With business and without a model: dask://host:port judges on a Dask cluster, whose workers reach the
        database by the same path or URL. Other judgements wait for a model, and need no cluster.
    json
        Print one JSON object.
    """
    if benchmark == "business":
        from fathom.interfaces.cli.judge_business import judge_business  # noqa: PLC0415, runs need none of it

        if database is None:
            raise ConfigError("Name the database that the answers are about: --database DATABASE.")
        return judge_business(
            run,
            database,
            method=method,
            model=model,
            out=out,
            people=people,
            recording=recording,
            spending=spending,
            executor=executor,
            json=json,
        )
    if executor:
        raise ConfigError(
            "--executor is for judge business: all else waits for a model, not for a processor."
        )
    if people:
        check_run_is_of(load_benchmark(benchmark, split), run)
        for person, count in import_scores(run, people).items():
            console.print(plain(f"{person}: {count:,} BioScores kept in {run / PEOPLE}."), soft_wrap=True)
        if model is None:
            return None
    if model is None:
        raise ConfigError("Name the judge: --model PROVIDER:NAME (fathom models).")
    budget = spending.budget("run")
    with opened_model(model, cassette=recording.cassette, replay=recording.replay, budget=budget) as opened:
        if queries:
            return _queries(benchmark, split, run, opened, as_json=json)
        found = judge_run(load_benchmark(benchmark, split), run, opened)
    quality = AnswerQuality.of(found)
    if json:
        print_json({"model": model, "n": len(found), **quality.as_json()})
        return None
    shown = quality.as_json()
    console.print(f"Response quality rate {measure(shown['response_quality'])}")
    console.print(f"Safety rate           {measure(shown['safety'])}")
    if quality.unjudged:
        console.print(f"{quality.unjudged:,} of {len(found):,} unjudged; the same command asks again.")
    console.print(plain(f"Each judgement: {run / JUDGEMENTS}"), style="dim", soft_wrap=True)
    return None


def _queries(benchmark: str, split: str | None, run: Path, model: Model, *, as_json: bool) -> None:
    """Have a model judge whether the run's queries mean the same as gold, and print what that comes to."""
    check_run_is_of(load_benchmark(benchmark, split), run)
    found = judge_queries(run, model)
    figures = figures_of(found)
    if as_json:
        print_json({"model": model.name, "n": len(found), **figures})
        return
    for verdict in SAME:
        console.print(f"{verdict:10} {measure(figures[verdict])}")
    for outcome, counts in zip(figures["rows"], figures["counts"], strict=True):
        told = ", ".join(f"{count:,} {verdict}" for verdict, count in zip(SAME, counts, strict=True))
        console.print(f"  {outcome} by execution: {told}")
    if figures["unjudged"]:
        console.print(f"{figures['unjudged']:,} of {len(found):,} unjudged; the same command asks again.")
    told = f"Judged by {model.name}, each verdict in {run / EQUIVALENCES}; outcomes stay as executed."
    console.print(plain(told), style="dim", soft_wrap=True)
