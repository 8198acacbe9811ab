"""`fathom review take`, `submit`, `conflicts`, `decide`: work as files, for teams without a browser."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.authoring.annotation import queue, sheets
from fathom.authoring.annotation.flow import advance
from fathom.interfaces.cli.display import console, plain
from fathom.interfaces.cli.review_app import HERE, Kept, opened, review, tell_problems
from fathom.interfaces.cli.review_display import show_settled


@review.command(name="take")
def take_out(
    project: str,
    /,
    *,
    by: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    count: int = 10,
    days: float = 7.0,
    kept: Kept = HERE,
) -> None:
    """Write somebody's next items as a file to fill in, with nothing in it of what others said.

    Parameters
    ----------
    project
        The project.
    by
        Who will fill it in.
    out
        The file: a line an item, each with a `response` to fill in.
    count
        How many items.
    days
        For how long these items are kept for them.
    """
    with opened(kept) as (reviews, _):
        found, who = reviews.project(project), reviews.person(by)
        given = queue.take_work(reviews, found, who, count, timedelta(days=days))
        written = sheets.write_sheet(reviews, who, given, out)
    told = f"{written:,} items in {out}. Then: fathom review submit {out} --by {by}"
    console.print(plain(told if written else f"There is nothing left to do for {by}."), soft_wrap=True)


@review.command(name="submit")
def submit(file: Path, /, *, by: str, kept: Kept = HERE) -> int:
    """Take the responses that somebody filled in, and settle what enough people have done.

    Exits with 1 where a line could not be taken; the others are.

    Parameters
    ----------
    file
        What `fathom review take` wrote, filled in; lines left blank are passed over.
    by
        Who filled it in.
    """
    with opened(kept) as (reviews, bench):
        taken, problems = sheets.read_sheet(reviews, reviews.person(by), file)
        console.print(f"{taken:,} responses taken.")
        for project in reviews.projects():
            show_settled(advance(reviews, bench, project))
    return tell_problems(problems)


@review.command(name="conflicts")
def conflicts(
    project: str, /, *, out: Annotated[Path, Parameter(name=["--out", "-o"])], kept: Kept = HERE
) -> None:
    """Write what waits for an expert, as a file to decide in: the responses as A and B, nobody named.

    Parameters
    ----------
    project
        The project.
    out
        The file: a line an item. Fill in `choose` (A or B), or `write` (a response), or `drop`, or
        `new_question`; and always `reason`.
    """
    with opened(kept) as (reviews, _):
        written = sheets.write_conflicts(reviews, reviews.project(project), out)
    console.print(plain(f"{written:,} items wait for an expert, in {out}."), soft_wrap=True)


@review.command(name="decide")
def decide(project: str, file: Path, /, *, by: str, kept: Kept = HERE) -> int:
    """Take an expert's decisions. Exits with 1 where a line could not be taken; the others are.

    Parameters
    ----------
    project
        The project.
    file
        What `fathom review conflicts` wrote, filled in.
    by
        The expert or owner who decided.
    """
    with opened(kept) as (reviews, bench):
        found, who = reviews.project(project), reviews.person(by)
        taken, problems = sheets.read_decisions(reviews, bench, found, who, file)
    console.print(f"{taken:,} decisions taken.")
    return tell_problems(problems)
