"""`fathom tools answer`: a model's answers in words to tool questions, to be compared side by side."""

from pathlib import Path

from fathom.authoring.biotool.worded_answers import write_answers
from fathom.benchmarks.calls import load_calls
from fathom.biotools.client import Client
from fathom.errors import ConfigError, InputError
from fathom.interfaces.cli.display import console, notices, plain
from fathom.interfaces.cli.options import Recording, Spending
from fathom.llm import opened_model

_MOST_TOLD = 5


def answer_pairs(
    words: tuple[str, ...],
    out: Path | None,
    model: str | None,
    seen: str,
    split: str,
    *,
    recording: Recording,
    spending: Spending,
) -> int:
    """Answer a file of questions with their calls; 1 where any has no answer."""
    if len(words) != 1 or out is None:
        raise InputError("Write: fathom tools answer PAIRS.json --model PROVIDER:NAME --out ANSWERS.jsonl")
    if model is None:
        raise ConfigError("Name who answers: --model PROVIDER:NAME (fathom models).")
    benchmark = load_calls(words[0], split)
    with (
        opened_model(
            model,
            cassette=recording.cassette,
            replay=recording.replay,
            budget=spending.budget("run"),
        ) as opened,
        Client() as client,
    ):
        done = write_answers(benchmark, out, opened, client, seen)
    told = f"{done.answered:,} answers in {out}" + (
        f", {done.earlier:,} of them from before" * bool(done.earlier)
    )
    console.print(
        plain(f"{told}. Compare: fathom prefer {out} OTHER.jsonl --model PROVIDER:NAME"), soft_wrap=True
    )
    for identifier, problem in list(done.problems.items())[:_MOST_TOLD]:
        notices.print(plain(f"{identifier} has no answer: {problem}"), soft_wrap=True)
    if len(done.problems) > _MOST_TOLD:
        notices.print(f"{len(done.problems) - _MOST_TOLD:,} more have none.")
    return int(bool(done.problems))
