"""`fathom prefer`: two systems' answers in words side by side, judged blind by a model and by people."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.errors import ConfigError, InputError
from fathom.evaluation.answers.pairs import AnswerPair, pair_up, read_answers, read_verdicts, write_queue
from fathom.evaluation.answers.preferences import Preferences, prefer_by_model
from fathom.interfaces.cli.display import console, plain, print_json
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.llm import opened_model
from fathom.reports.preferences import write_preferences


def prefer(
    first: Path,
    second: Path,
    /,
    *,
    model: str | None = None,
    people: Sequence[Path] = (),
    queue: Path | None = None,
    chart: Path | None = None,
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("preferences.jsonl"),
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    json: bool = False,
) -> None:
    """Tell which of two systems' answers in words are preferred, by a judge model, by people, or both.

    Answers are shown left and right, in an order that hides whose they are. Ties (both good, both bad) are
    split; stopped or killed, the same command goes on where it was.

    Parameters
    ----------
    first
        The folder of a run with answers in words, or a file of id, question and answer (JSONL or JSON array).
    second
        The other system's, over the same questions.
    model
        The judge: provider:name (fathom models).
    people
        A person's file, with their verdicts filled in; may be given several times, one file a person.
    queue
        Write such a file: one pair a line, with an empty verdict to fill in with left, right, both_good or
        both_bad. Lines that are there stay as they are.
    chart
        Write the win rates with their chart to this file, .html or .md.
    out
        Where the model's verdicts are kept, one line a question.
    json
        Print one JSON object.
    """
    pairs = pair_up(read_answers(first), read_answers(second), (str(first), str(second)))
    if queue is not None:
        added = write_queue(pairs, queue)
        told = f"{added:,} of {len(pairs):,} pairs added to {queue}. Fill in each verdict: left, right, "
        console.print(plain(f"{told}both_good or both_bad. Then: --people {queue}"), soft_wrap=True)
        return
    if model is None and not people:
        raise ConfigError(
            "Name a judge: --model PROVIDER:NAME, or --people FILE with a person's verdicts. "
            "--queue FILE writes a file for a person to fill in."
        )
    labels = _by_people(people, pairs)
    if model is not None:
        tape, replay, budget = recording.cassette, recording.replay, spending.budget("run")
        with opened_model(model, cassette=tape, replay=replay, budget=budget) as opened:
            labels[model] = prefer_by_model(pairs, out, opened)
    found = Preferences(labels)
    if chart is not None:
        write_preferences(
            {f"{first.stem} against {second.stem}": found},
            chart,
            first=first.stem,
            second=second.stem,
            pairs=len(pairs),
        )
    if json:
        print_json({"first": str(first), "second": str(second), "pairs": len(pairs), **found.as_json()})
    else:
        _show(found, pairs)


def _by_people(files: Sequence[Path], pairs: Sequence[AnswerPair]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for file in files:
        if file.stem in found:
            raise ConfigError(f"Two people's files are called {file.stem}; give each another name.")
        found[file.stem] = read_verdicts(file, pairs)
        if not found[file.stem]:
            raise InputError("holds no verdict yet", file=file)
    return found


def _show(found: Preferences, pairs: Sequence[AnswerPair]) -> None:
    console.print(f"A is the first, B the second; {len(pairs):,} pairs.")
    for name in found.labels:
        counted, rate = found.of(name)
        ties = f"both good {counted.both_good:,}, both bad {counted.both_bad:,}"
        told = f"A {counted.first:,}, B {counted.second:,}, {ties}"
        console.print(plain(f"{name}: {told} (N = {counted.n:,})"), soft_wrap=True)
        low, high = rate.interval() or (0.0, 1.0)
        share = "not defined" if rate.value is None else f"{rate.value:.1%} ({low:.1%} to {high:.1%})"
        console.print(f"  A's win rate with ties split: {share}")
        if counted.n < len(pairs):
            console.print(f"  {len(pairs) - counted.n:,} pairs without a verdict.")
    if len(found.labels) > 1:
        console.print(f"Mean win rate: {_number(found.win_rate, '.1%')}")
        for one in found.agreements():
            who = " and ".join(one["annotators"])
            alike = f"alike {_number(one['exact'], '.1%')}, kappa {_number(one['kappa'], '.3f')}"
            console.print(plain(f"Agreement of {who}: {alike} (N = {one['n']:,})"), soft_wrap=True)
        console.print(f"Krippendorff's alpha: {_number(found.alpha, '.3f')}")


def _number(value: float | None, form: str) -> str:
    return "not defined" if value is None else format(value, form)
