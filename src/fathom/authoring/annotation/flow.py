"""The machine's steps after each action of a person: it settles and grades items, nothing twice."""

from collections import Counter

from fathom.authoring.annotation.exams import grade
from fathom.authoring.annotation.records import Project
from fathom.authoring.annotation.settlement import Tell, settle_all
from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.workbench import Workbench


def advance(
    reviews: Reviews, bench: Workbench, project: Project, tell: Tell = lambda *_: None
) -> Counter[str]:
    """Settle what people have spoken on, and grade exams that are done; what came of it, by name.

    Stopped at any point, the next call goes on where it was. Raises `UnknownName`, `ConnectionFailed`.
    """
    found: Counter[str] = Counter()
    if project.is_exam:
        found.update("passed" if one.passed else "failed" for one in grade(reviews, bench, project))
        return found
    found.update(kind.value for kind in settle_all(reviews, bench, project, tell).elements())
    for other in reviews.projects():  # an exam whose questions are voted on here
        if other.votes == project.id:
            found += advance(reviews, bench, other)
    return found
