"""`fathom review new`, `person`, `add`, `show`: projects, who takes part, and what they are to do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.intake import take
from fathom.authoring.annotation.records import PersonRole, Project, Settling, WorkKind
from fathom.authoring.annotation.sources import SourceKind, read_source
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.review_app import HERE, Kept, opened, review
from fathom.interfaces.cli.review_display import show_people, show_project, show_projects, show_settled

_ALL_COUNT = (WorkKind.DIFFICULTY, WorkKind.ANSWER, WorkKind.PREFERENCE, WorkKind.WRITING)
"""Where every response counts unless it is said otherwise; everything else goes to an expert."""


@review.command(name="new")
def new(
    project: str,
    kind: WorkKind,
    /,
    *,
    database: Sequence[str] = (),
    title: str = "",
    guideline: Path | None = None,
    people: int | None = None,
    done_by: PersonRole = PersonRole.ANNOTATOR,
    settled_by: Settling | None = None,
    comparison: str = "semantic",
    exam: str | None = None,
    pass_mark: int | None = None,
    votes: str | None = None,
    seed: int = 0,
    kept: Kept = HERE,
) -> None:
    """Begin a project: items of one kind of work, with the rules that hold for all.

    Parameters
    ----------
    project
        Its name: letters, digits, - and _.
    kind
        sql: write queries; difficulty: rate questions; question: accept, edit or reject; answer: rate
        answers in words; preference: which of two is better; suspect: settle what an audit found; writing:
        write questions, for an exam.
    database
        NAME=ADDRESS of a database that items are about; may be given several times.
    title
        What people read instead of the name.
    guideline
        A Markdown file that annotators see beside each item.
    people
        How many responses an item needs; 2, in an exam one from everybody.
    done_by
        Who does the work: annotator or expert.
    settled_by
        Who settles what people disagree on: expert, third (one more annotator), none (all responses count).
    comparison
        How results are compared; as for scoring.
    exam
        The project that is the exam to be passed first.
    pass_mark
        Makes this an exam: so many items right let pass.
    votes
        The project in which experts vote on what is written here.
    seed
        Of each person's order of items.
    """
    made = Project(
        id=project, kind=kind, title=title,
        guideline=guideline.read_text(encoding="utf-8") if guideline else "",
        people=people if people is not None else 0 if pass_mark is not None else 2,
        done_by=done_by, settled_by=settled_by or (Settling.NONE if kind in _ALL_COUNT else Settling.EXPERT),
        comparison=comparison, databases=dict(map(_named, database)), exam=exam, pass_mark=pass_mark,
        votes=votes, seed=seed,
    )  # fmt: skip
    with opened(kept) as (reviews, bench):
        bench.prepare(made)
        reviews.add_project(made)
    console.print(plain(f"Begun: {project}. fathom review add {project} FILE puts items into it."))


def _named(text: str) -> tuple[str, str]:
    name, equals, address = text.partition("=")
    if not equals or not name or not address:
        raise InputError(f"--database {text!r} must be NAME=ADDRESS, such as shop=shop.sqlite")
    is_file = "://" not in address and Path(address).is_file()
    return name, str(Path(address).resolve()) if is_file else address


@review.command(name="person")
def person(
    name: str | None = None,
    /,
    *,
    role: PersonRole = PersonRole.ANNOTATOR,
    new_token: bool = False,
    leave: bool = False,
    json: bool = False,
    kept: Kept = HERE,
) -> None:
    """Let somebody take part, and print the token that lets them in; without a name, list who does.

    Parameters
    ----------
    name
        Who it is.
    role
        annotator, expert (settles what annotators disagree on), or owner (sees everything).
    new_token
        Another token for somebody who is there; the earlier one is no good any more.
    leave
        Let them in no more; what they said stays.
    json
        Print JSON.
    """
    with opened(kept) as (reviews, _):
        if name is None:
            show_people(reviews, json=json)
        elif leave:
            reviews.let_go(reviews.person(name))
            console.print(plain(f"{name} takes part no more."))
        else:
            token = (
                reviews.new_token(reviews.person(name)) if new_token else reviews.add_person(name, role)[1]
            )
            if json:
                print_json({"name": name, "token": token})
            else:
                console.print(plain(token), soft_wrap=True)
                notices.print(plain(f"The token of {name}, shown this once."), style="dim")


@review.command(name="add")
def add(
    project: str,
    /,
    *source: str,
    source_kind: Annotated[SourceKind, Parameter(name="--from")] = "questions",
    database: Sequence[str] = (),
    field: Sequence[str] = (),
    split: str | None = None,
    limit: int | None = None,
    kept: Kept = HERE,
) -> None:
    """Put items into a project; those that are in it already stay as they are.

    Parameters
    ----------
    project
        The project.
    source
        A file, folder or name; two or more runs, two files of answers for pairs.
    source_kind
        questions: a list (JSONL, JSON, CSV); benchmark: its questions, gold withheld; maker: a folder
        that `author` made; audit: what `audit` found; runs: where runs differ; answers: to be rated; pairs:
        of two systems' answers; label-studio, argilla: what they export, with the responses.
    database
        NAME=ADDRESS of a database that the source calls NAME; may be given several times.
    field
        THERE=HERE, of Label Studio and Argilla: what a field or control there means here, such as
        text=question or query=sql; may be given several times.
    split
        Which part of a benchmark.
    limit
        Only so many questions of a benchmark.
    """
    if not source:
        raise InputError("Name what to add: fathom review add PROJECT FILE")
    with opened(kept) as (reviews, bench):
        found = reviews.add_databases(reviews.project(project), dict(map(_named, database)))
        incoming = read_source(source_kind, source, found, fields=_fields(field), split=split, limit=limit)
        taken = take(reviews, found, incoming)
        bench.prepare(reviews.project(project))
        came = advance(reviews, bench, reviews.project(project))
    told = f"{taken.added:,} items added" + (f", {taken.known:,} were there already" if taken.known else "")
    console.print(
        plain(told + (f"; {taken.responses:,} responses came along" if taken.responses else "") + ".")
    )
    for problem in taken.problems:
        notices.print(plain(f"Not taken: {problem}"), soft_wrap=True)
    show_settled(came)


def _fields(given: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in given:
        there, equals, here = text.partition("=")
        if not equals:
            raise InputError(f"--field {text!r} must be THERE=HERE, such as query=sql")
        found[there] = here
    return found


@review.command(name="show")
def show(project: str | None = None, /, *, json: bool = False, kept: Kept = HERE) -> None:
    """Show how the projects stand, or how one does, with who did how much.

    Parameters
    ----------
    project
        The project; without one, all are listed.
    json
        Print JSON.
    """
    with opened(kept) as (reviews, _):
        if project is None:
            show_projects(reviews, json=json)
        else:
            show_project(reviews, reviews.project(project), json=json)
