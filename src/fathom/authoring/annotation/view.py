"""An annotator's view of an item: made here alone, so that blindness holds in one place.

Never another's response, name, count or agreement, nor whether an item is settled; nothing of what is
withheld. Whatever shows an item to whoever works on it, page, API or file, takes it from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fathom.authoring.annotation import queue
from fathom.authoring.annotation.exams import ExamResult, result_of
from fathom.authoring.annotation.records import (
    Assignment,
    Execution,
    NotInReview,
    Person,
    Project,
    ReviewItem,
    ReviewRefused,
    WorkKind,
)
from fathom.authoring.annotation.responses import comments, last_run, latest
from fathom.authoring.annotation.store import Reviews


@dataclass(frozen=True, slots=True)
class SeenComment:
    """Something written beside an item: by you, another, or an expert."""

    by: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WorkView:
    """One item as its annotator sees it. `state` is that of their own work: new, draft, done or skipped.

    `shown` is what there is beside the question, with the two sides of a preference as `left` and `right`;
    `body` what they have written so far, and `results` what their queries gave when they ran last.
    """

    id: str
    project: str
    kind: WorkKind
    question: str
    evidence: str
    database: str
    guideline: str
    shown: Mapping[str, Any]
    state: str
    lease_until: datetime
    is_exam: bool
    body: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[Execution] = ()
    comments: Sequence[SeenComment] = ()


@dataclass(frozen=True, slots=True)
class WorkLine:
    """A piece of one's own work in a list."""

    id: str
    question: str
    state: str
    offered_at: datetime


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project as one who works in it sees it: its rules, and their own work alone."""

    id: str
    kind: WorkKind
    title: str
    guideline: str
    closed: bool
    is_exam: bool
    pass_mark: int | None
    may_work: bool
    why_not: str
    done: int
    drafts: int
    work: Sequence[WorkLine]
    result: ExamResult | None


def work_view(reviews: Reviews, work: str, person: Person) -> WorkView:
    """One's own piece of work. Raises `NotInReview` for any other."""
    given = queue.assignment(reviews, work, person)
    item = reviews.item(given.item)
    project = reviews.project(item.project)
    asked = _asked(reviews, item, given)
    last = latest(reviews, given.id)
    return WorkView(
        id=given.id,
        project=project.id,
        kind=project.kind,
        question=asked[0],
        evidence=asked[1],
        database=item.database,
        guideline=project.guideline,
        shown=_shown(project, item, given),
        state=_state(given, is_written=last is not None),
        lease_until=given.lease_until,
        is_exam=project.is_exam,
        body=last.body if last else {},
        results=last_run(reviews, given.id),
        comments=_comments(reviews, item, given),
    )


def project_view(reviews: Reviews, id: str, person: Person) -> ProjectView:  # noqa: A002
    """A project and one's own work in it. Raises `NotInReview`, also where it is for another role."""
    project = reviews.project(id)
    if person.role is not project.done_by:
        raise NotInReview("project", id)
    why_not = ""
    try:
        queue.check_may_work(reviews, project, person)
    except ReviewRefused as refused:
        why_not = str(refused)
    lines = [_line(reviews, given) for given in queue.assignments(reviews, project, person)]
    return ProjectView(
        id=project.id,
        kind=project.kind,
        title=project.title,
        guideline=project.guideline,
        closed=project.closed,
        is_exam=project.is_exam,
        pass_mark=project.pass_mark,
        may_work=not why_not,
        why_not=why_not,
        done=sum(line.state == "done" for line in lines),
        drafts=sum(line.state == "draft" for line in lines),
        work=lines,
        result=result_of(reviews, project, person) if project.is_exam else None,
    )


def _line(reviews: Reviews, given: Assignment) -> WorkLine:
    question, _ = _asked(reviews, reviews.item(given.item), given)
    written = latest(reviews, given.id) is not None
    return WorkLine(given.id, question, _state(given, is_written=written), given.offered_at)


def _asked(reviews: Reviews, item: ReviewItem, given: Assignment) -> tuple[str, str]:
    """The question and evidence as this person got them, in their round."""
    [row] = reviews.rows(
        "SELECT question, evidence FROM round WHERE item = ? AND number = ?", item.id, given.round
    )
    return row["question"], row["evidence"]


def _shown(project: Project, item: ReviewItem, given: Assignment) -> Mapping[str, Any]:
    if project.kind is not WorkKind.PREFERENCE:
        return item.shown
    left, right = given.sides[0], given.sides[1]
    return {"left": item.shown.get(left, ""), "right": item.shown.get(right, "")}


def _state(given: Assignment, *, is_written: bool) -> str:
    if given.submitted_at is not None:
        return "done"
    if given.skipped:
        return "skipped"
    return "draft" if is_written else "new"


def _comments(reviews: Reviews, item: ReviewItem, given: Assignment) -> list[SeenComment]:
    """One's own comments, and once the item is settled and one's own work done those of others, nameless."""
    opened = item.is_settled and given.submitted_at is not None
    found = []
    for one in comments(reviews, item.id):
        if one.person == given.person:
            found.append(SeenComment("you", one.text, one.created_at))
        elif opened:
            by = "an expert" if reviews.person(one.person).decides else "another"
            found.append(SeenComment(by, one.text, one.created_at))
    return found
