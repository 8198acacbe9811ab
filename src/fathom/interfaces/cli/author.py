"""`fathom author`: make a data set of tool questions."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.authoring.biotool import STEPS, Plan
from fathom.authoring.biotool import author as make
from fathom.authoring.biotool.sampling import read_seeds
from fathom.errors import InputError
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.showing import notices, plain, print_json
from fathom.llm import opened_model


def author(
    kind: str,
    /,
    *steps: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    endpoint: Sequence[str] = (),
    count: int = 10,
    seeds: Path | None = None,
    seed: int = 0,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    undecided: bool = False,
) -> None:
    """Make questions for calls of NCBI, UniProt and Ensembl; stopped or killed, it goes on where it was.

    The steps: sample draws candidate calls, run calls them, ask has a model write two questions for each
    that is worth it, judge has it judge whether the call answers them, review puts them before people in
    review.jsonl, publish writes questions, splits and statistics. Without names, all but publish are done.

    Parameters
    ----------
    kind
        What to make: biotool.
    steps
        sample, run, ask, judge, review, publish.
    out
        The folder; each step has a file there, with what it kept and what it rejected and why.
    endpoint
        Only for this endpoint; may be given several times.
    count
        Candidate calls an endpoint.
    seeds
        A YAML file of values by kind (symbol, region, ...) or ENDPOINT.PARAMETER, to draw arguments from.
    seed
        Of the drawing.
    model
        The language model that writes and judges.
    undecided
        Publish what nobody has reviewed yet too.
    """
    if kind != "biotool":
        raise InputError(f"fathom author can't make {kind!r}. There is: biotool.")
    if unknown := next((step for step in steps if step not in STEPS), None):
        raise InputError(f"There is no step {unknown!r}. There is: {', '.join(STEPS)}.")
    tape, replay, budget = recording.cassette, recording.replay, spending.budget("run")
    with opened_model(model, cassette=tape, replay=replay, budget=budget) as opened:
        plan = Plan(
            folder=out,
            names=tuple(endpoint),
            count=count,
            seeds=read_seeds(seeds) if seeds else None,
            seed=seed,
            model=opened,
            undecided=undecided,
        )
        found = asyncio.run(make(plan, steps or STEPS[:-1], tell=lambda told: notices.print(plain(told))))
    if found:
        print_json(found)
