"""`fathom report`: runs as one page, or as Markdown, CSV or JSON."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.errors import ConfigError
from fathom.interfaces.cli.showing import notices
from fathom.reports.writing import write_report


def report(
    *runs: Path,
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("report.html"),
    title: str = "",
    questions: int = 5_000,
) -> None:
    """Write a report of runs: one HTML page that needs no network, or .md, .csv, .json by the file's ending.

    Parameters
    ----------
    runs
        Folders of runs, one or more.
    out
        The file to write; its ending says which kind.
    title
        The page's title; what was run where it isn't given.
    questions
        List at most so many single questions on the page; figures are always over all.
    """
    if not runs:
        raise ConfigError("Name one run or more, such as: fathom report runs/geoquery-dev-offline")
    write_report(runs, out, title=title, most_questions=questions)
    notices.print(f"Wrote {out} ({out.stat().st_size / 1e6:.1f} MB).", markup=False, soft_wrap=True)
