"""`fathom review reopen`, `let-pass`, `close`, `export`, `figures`: what comes of people's work."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from fathom.authoring.annotation import exams
from fathom.authoring.annotation.decisions import Ruling
from fathom.authoring.annotation.export import export as write_export
from fathom.authoring.annotation.export import is_same
from fathom.authoring.annotation.figures import figures as compute
from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.history import AnnotationHistory, lines
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.review_app import HERE, Kept, opened, review
from fathom.interfaces.cli.review_display import show_figures


@review.command(name="reopen")
def reopen(project: str, item: str, /, *, by: str, reason: str, kept: Kept = HERE) -> None:
    """Have a decision made again, by an expert; what was decided before stays to be read.

    Parameters
    ----------
    project
        The project.
    item
        The question's id.
    by
        The expert or owner who asks for it.
    reason
        Why.
    """
    with opened(kept) as (reviews, _):
        found = next((i for i in reviews.items(project) if i.name == item), None)
        if found is None:
            raise InputError(f"{project} has no item {item!r}")
        Ruling(reviews, found, reviews.person(by), reason).reopen()
    console.print(plain(f"{item} waits for an expert again."))


@review.command(name="let-pass")
def let_pass(exam: str, name: str, /, *, by: str, kept: Kept = HERE) -> None:
    """Let somebody work without having passed an exam.

    Parameters
    ----------
    exam
        The exam's project.
    name
        Who is let pass.
    by
        The expert or owner who says so.
    """
    with opened(kept) as (reviews, _):
        exams.let_pass(reviews, reviews.project(exam), reviews.person(name), reviews.person(by))
    console.print(plain(f"{name} may work."))


@review.command(name="close")
def close(project: str, /, *, again: bool = False, kept: Kept = HERE) -> None:
    """Take no more work in a project.

    Parameters
    ----------
    project
        The project.
    again
        Open it again.
    """
    with opened(kept) as (reviews, _):
        reviews.close_project(project, closed=not again)
    console.print(plain(f"{project} is {'open again' if again else 'closed'}."))


@review.command(name="export")
def export(
    project: str,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    layout: Literal["fathom", "bird", "spider"] = "fathom",
    names: bool = False,
    databases: bool = False,
    kept: Kept = HERE,
) -> None:
    """Write what was decided: a benchmark, or what the work feeds; and all from which its figures come.

    Parameters
    ----------
    project
        The project.
    out
        The folder.
    layout
        Of a benchmark.
    names
        Tell who the annotators are, instead of A1, A2 and so on.
    databases
        Copy SQLite and DuckDB files along.
    """
    with opened(kept) as (reviews, bench):
        found = reviews.project(project)
        advance(reviews, bench, found)
        wrote = write_export(reviews, bench, found, out, layout=layout, names=names, databases=databases)
    left = ", ".join(f"{n:,} {state}" for state, n in wrote.left_out.items())
    told = f"{wrote.written:,} items written to {out}" + (f"; left out: {left}" if left else "")
    console.print(plain(f"{told}."), soft_wrap=True)


@review.command(name="figures")
def figures(where: str, /, *, json: bool = False, kept: Kept = HERE) -> int:
    """Show how far people agree, in a project or in a folder that was exported.

    The figures of a folder are computed anew from its annotations; exits with 1 where they aren't those in
    it to the last digit.

    Parameters
    ----------
    where
        A project, or a folder that `fathom review export` wrote.
    json
        Print every figure as JSON.
    """
    if Path(where).exists():
        told, same = is_same(Path(where))
    else:
        same = True
        with opened(kept) as (reviews, bench):
            project = reviews.project(where)
            advance(reviews, bench, project)
            told = compute(AnnotationHistory.of(lines(reviews, project)))
    if json:
        print_json(told)
    else:
        show_figures(told)
    if not same:
        notices.print(plain(f"{where} holds other figures than its annotations give."), style="yellow")
    return 0 if same else 1
