"""Entrance exams: queries held against gold, questions that experts vote on; who passes may work.

BIRD lets annotators in who write 8 of 10 questions that experts find good, or 9 of 10 queries that are right
(Li et al. 2023). A question is good with two of three experts' votes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fathom.authoring.annotation.bodies import labels, queries, stance
from fathom.authoring.annotation.decisions import keep_comparisons
from fathom.authoring.annotation.equality import Equality
from fathom.authoring.annotation.records import (
    GivenResponse,
    Person,
    Project,
    ReviewItem,
    ReviewRefused,
    WorkKind,
)
from fathom.authoring.annotation.responses import all_submitted, keep_executions
from fathom.authoring.annotation.store import NewItem, Reviews, stamp
from fathom.authoring.annotation.workbench import Workbench
from fathom.errors import InputError

VOTES_NEEDED = 2
"""Of three experts, how many have to accept a question."""


@dataclass(frozen=True, slots=True)
class ExamResult:
    """How somebody did in an exam; without `hits` somebody let them pass."""

    person: str
    hits: int | None
    total: int | None
    passed: bool


def result_of(reviews: Reviews, project: Project, person: Person) -> ExamResult | None:
    """The last result of somebody in an exam; None before there is one."""
    for row in reviews.rows(
        "SELECT hits, total, passed FROM exam_result WHERE project = ? AND person = ? "
        "ORDER BY id DESC LIMIT 1",
        project.id,
        person.id,
    ):
        return ExamResult(person.id, row["hits"], row["total"], bool(row["passed"]))
    return None


def results(reviews: Reviews, project: Project) -> list[ExamResult]:
    """All results of an exam, the first first."""
    found = reviews.rows("SELECT * FROM exam_result WHERE project = ? ORDER BY id", project.id)
    return [ExamResult(r["person"], r["hits"], r["total"], bool(r["passed"])) for r in found]


def let_pass(reviews: Reviews, project: Project, person: Person, by: Person) -> None:
    """Let somebody work without the exam. Raises `ReviewRefused` where it isn't for this person to say."""
    if not by.decides:
        raise ReviewRefused("Only an expert or owner lets somebody pass.")
    if not project.is_exam:
        raise InputError(f"{project.id} is no exam")
    with reviews.writing():
        reviews.insert(
            "exam_result", person=person.id, project=project.id, passed=True, made_by=by.id,
            created_at=stamp(reviews.now()),
        )  # fmt: skip
        reviews.note("let pass", project.id, by.id, person.name)


def grade(reviews: Reviews, bench: Workbench, project: Project) -> list[ExamResult]:
    """Grade whoever has done all of an exam and wasn't graded yet. Raises `ConnectionFailed`."""
    if project.votes is not None:
        _forward(reviews, project)
    items = {item.id: item for item in reviews.items(project.id)}
    done: dict[str, list[GivenResponse]] = {}
    for given in all_submitted(reviews, project.id):
        done.setdefault(given.person, []).append(given)
    graded = {one.person for one in results(reviews, project)}
    found = []
    for person, theirs in done.items():
        if person in graded or len(theirs) < len(items):
            continue
        hits = _hits(reviews, bench, project, items, theirs)
        if hits is not None:
            found.append(_keep(reviews, project, person, hits, len(items)))
    return found


def _keep(reviews: Reviews, project: Project, person: str, hits: int, total: int) -> ExamResult:
    result = ExamResult(person, hits, total, hits >= (project.pass_mark or 0))
    with reviews.writing():
        reviews.insert(
            "exam_result", person=person, project=project.id, hits=hits, total=total, passed=result.passed,
            created_at=stamp(reviews.now()),
        )  # fmt: skip
        reviews.note("exam graded", project.id, person, f"{hits} of {total}")
    return result


def _hits(
    reviews: Reviews,
    bench: Workbench,
    project: Project,
    items: dict[str, ReviewItem],
    given: Iterable[GivenResponse],
) -> int | None:
    """How many of somebody's responses are right; None where votes are missing."""
    if project.kind is WorkKind.WRITING:
        return _accepted(reviews, project, given)
    right = 0
    for one in given:
        item = items[one.item]
        if project.kind is WorkKind.SQL:
            right += _is_right(reviews, bench, project, item, one)
        else:
            right += labels(project.kind, one.submission.body, one.sides) == item.withheld.get("labels")
    return right


def _is_right(
    reviews: Reviews, bench: Workbench, project: Project, item: ReviewItem, given: GivenResponse
) -> bool:
    """True if a query equals one of the golds; that a question has no answer equals no gold."""
    golds = [str(sql) for sql in item.withheld.get("gold") or ()]
    written, said = queries(project.kind, given.submission.body), stance(given.submission.body)
    if not golds or said != "answerable":
        return not golds and said == "unanswerable"
    equality = Equality(bench, project, item)
    mine = equality.held(given.submission.id, written)
    keep_executions(reviews, given.submission.id, mine.executions(equality.database.state()))
    for gold in golds:
        verdicts = equality.compared(mine, equality.held(None, [gold]))
        keep_comparisons(reviews, item, verdicts)
        if all(one.equal for one in verdicts):
            return True
    return False


# Questions that experts vote on


def _forward(reviews: Reviews, project: Project) -> None:
    """Put what was written in an exam before the experts, without who wrote it."""
    items = {item.id: item for item in reviews.items(project.id)}
    written = (
        NewItem(
            name=one.submission.assignment,
            question=str(one.submission.body["question"]),
            evidence=str(one.submission.body.get("evidence") or ""),
            database=items[one.item].database,
            withheld={"person": one.person},
        )
        for one in all_submitted(reviews, project.id)
    )
    reviews.add_items(reviews.project(project.votes or ""), written, origin="exam")


def _accepted(reviews: Reviews, project: Project, given: Iterable[GivenResponse]) -> int | None:
    """How many questions of somebody enough experts accept; None where one isn't voted on by all."""
    voted = {item.name: item for item in reviews.items(project.votes or "")}
    accepted = 0
    for one in given:
        decision = voted[one.submission.assignment].decision
        if decision is None or not decision.kind.is_final:
            return None
        votes = decision.body.get("decision")
        kept = votes.get("keep", 0) if isinstance(votes, dict) else VOTES_NEEDED * (votes == "keep")
        accepted += kept >= VOTES_NEEDED
    return accepted
