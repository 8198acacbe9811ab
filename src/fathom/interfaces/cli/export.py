"""`fathom export`: a run in the forms that other evaluators read."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.evaluation.runs.export import export as write
from fathom.interfaces.cli.showing import notices


def export(
    run: Path,
    /,
    *,
    form: Annotated[str, Parameter(name="--as")],
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
) -> None:
    """Write a run's answers as bird (one JSON file), jsonl, or nl2sqlbench (a folder of records).

    Parameters
    ----------
    run
        The folder of the run.
    form
        bird, jsonl or nl2sqlbench.
    out
        The file to write, or the folder for nl2sqlbench.
    """
    count = write(run, form, out)
    notices.print(f"Wrote {count:,} questions to {out}.", markup=False, soft_wrap=True)
