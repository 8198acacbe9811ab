"""`fathom export`: a run in the forms that other evaluators read, and what no run solves."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.errors import ConfigError
from fathom.evaluation.runs.export import export as write
from fathom.evaluation.runs.export import export_unsolved
from fathom.interfaces.cli.display import notices


def export(
    *runs: Path,
    form: Annotated[str | None, Parameter(name="--as")] = None,
    unsolved: bool = False,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
) -> None:
    """Write a run's answers as bird (one JSON file), jsonl, or nl2sqlbench (a folder of records).

    Parameters
    ----------
    runs
        The folder of the run; with unsolved one or more, over the same questions.
    form
        bird, jsonl or nl2sqlbench.
    unsolved
        Write instead, as JSONL, the questions that none of the runs got right, each with gold and answers:
        to look at, or for --ids of another run.
    out
        The file to write, or the folder for nl2sqlbench.
    """
    if not runs:
        raise ConfigError("Name a run, such as: fathom export runs/a --as bird -o a.json")
    if unsolved:
        if form is not None:
            raise ConfigError("--unsolved writes JSONL: leave out --as.")
        count = export_unsolved(runs, out)
    elif form is None or len(runs) > 1:
        raise ConfigError("Name one run and its form: --as bird, jsonl or nl2sqlbench. Or --unsolved.")
    else:
        count = write(runs[0], form, out)
    notices.print(f"Wrote {count:,} questions to {out}.", markup=False, soft_wrap=True)
