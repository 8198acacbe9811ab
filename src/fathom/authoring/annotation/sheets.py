"""Work as files, for teams without a browser: a sheet to fill in, taken out and read back line by line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.authoring.annotation import queue
from fathom.authoring.annotation.bodies import BODIES, DIMENSIONS
from fathom.authoring.annotation.decisions import Ruling
from fathom.authoring.annotation.records import (
    Assignment,
    GivenResponse,
    LeaseEnded,
    NotInReview,
    Person,
    Project,
    ReviewItem,
    ReviewRefused,
    WorkKind,
)
from fathom.authoring.annotation.responses import latest, save, submitted
from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.view import work_view
from fathom.authoring.annotation.workbench import Workbench
from fathom.authoring.publication import write_lines
from fathom.benchmarks.record_files import Record, json_lines
from fathom.errors import InputError


def write_sheet(reviews: Reviews, person: Person, given: Sequence[Assignment], file: Path) -> int:
    """Write one's own work as a file: each item as its annotator may see it, with `response` to fill in."""
    return write_lines(file, (_line(reviews, person, one) for one in given))


def _line(reviews: Reviews, person: Person, given: Assignment) -> dict[str, Any]:
    view = work_view(reviews, given.id, person)
    told: dict[str, Any] = {"work": view.id, "question": view.question}
    told |= {k: v for k, v in (("evidence", view.evidence), ("database", view.database)) if v}
    told |= {"shown": dict(view.shown)} if view.shown else {}
    return told | {"response": _sheet_form(view.kind, view.body)}


def blank(kind: WorkKind) -> dict[str, Any]:
    """A response of that kind before anything is filled in, without what only a page has use for."""
    fields = {n: f for n, f in BODIES[kind].model_fields.items() if n != "scratch"}
    return {n: dict.fromkeys(DIMENSIONS) if n == "difficulty" else [] if f.default == ()
            else None if f.is_required() else f.get_default() for n, f in fields.items()}  # fmt: skip


def _sheet_form(kind: WorkKind, body: Mapping[str, Any]) -> dict[str, Any]:
    """A response as a sheet has it: all that may be filled in, ratings by the names of their dimensions."""
    told = {**blank(kind), **{n: v for n, v in body.items() if n != "scratch" or v}}
    if isinstance(ratings := body.get("difficulty"), Sequence) and len(ratings) == len(DIMENSIONS):
        told["difficulty"] = dict(zip(DIMENSIONS, ratings, strict=True))
    return told


def read_sheet(reviews: Reviews, person: Person, file: Path) -> tuple[int, list[str]]:
    """Take the responses of a sheet that were filled in; how many, and what is wrong with others, by line.

    Lines left blank are passed over, and what was taken before stays unless it was changed.
    """
    taken, problems = 0, list[str]()
    for record in json_lines(file):
        body = record.content.get("response")
        if not isinstance(body, dict):
            problems.append(str(record.wrong("is missing", "response")))
            continue
        try:
            taken += _take(reviews, person, record, body)
        except (InputError, NotInReview, ReviewRefused, LeaseEnded) as error:
            problems.append(f"line {record.line}: {error}")
    return taken, problems


def _take(reviews: Reviews, person: Person, record: Record, body: Mapping[str, Any]) -> bool:
    """Keep one response of a sheet; whether it was new."""
    given = queue.assignment(reviews, record.text("work"), person)
    kind = reviews.project(reviews.item(given.item).project).kind
    if (filled := _sheet_form(kind, body)) == blank(kind):
        return False
    last = latest(reviews, given.id)
    if last is not None and last.submitted and _sheet_form(kind, last.body) == filled:
        return False
    save(reviews, given, body, submit=True)
    return True


# Conflicts, for experts


def conflicts(reviews: Reviews, project: Project) -> list[ReviewItem]:
    """The items that wait for an expert."""
    return [item for item in reviews.items(project.id) if item.is_conflict]


def lettered(reviews: Reviews, item: ReviewItem) -> dict[str, GivenResponse]:
    """The responses to an item as A, B and so on, as experts see them: without who gave which."""
    given = sorted(submitted(reviews, item.id, item.round), key=lambda one: one.submission.assignment)
    return {chr(ord("A") + place): one for place, one in enumerate(given)}


def write_conflicts(reviews: Reviews, project: Project, file: Path) -> int:
    """Write what waits for an expert: the responses as A and B, and what to fill in for one decision each."""

    def told() -> Iterator[dict[str, Any]]:
        for item in conflicts(reviews, project):
            yield {
                "item": item.name,
                "question": item.question,
                "evidence": item.evidence,
                "database": item.database,
                "shown": dict(item.shown),
                "why_here": item.decision.reason if item.decision else "",
                "responses": {k: dict(r.submission.body) for k, r in lettered(reviews, item).items()},
                "choose": "",
                "write": None,
                "drop": False,
                "new_question": "",
                "new_evidence": "",
                "reason": "",
            }

    return write_lines(file, told())


def read_decisions(
    reviews: Reviews, bench: Workbench, project: Project, expert: Person, file: Path
) -> tuple[int, list[str]]:
    """Take an expert's decisions: how many, and what is wrong with others; undecided ones are passed over."""
    items = {item.name: item for item in conflicts(reviews, project)}
    taken, problems = 0, list[str]()
    for record in json_lines(file):
        told = record.content
        if not any(told.get(name) for name in ("choose", "write", "drop", "new_question")):
            continue
        name = record.text("item")
        if name not in items:
            problems.append(f"line {record.line}: {name!r} doesn't wait for a decision")
            continue
        try:
            _decide(reviews, bench, items[name], expert, told)
            taken += 1
        except (InputError, ReviewRefused) as error:
            problems.append(f"line {record.line}: {error}")
    return taken, problems


def _decide(
    reviews: Reviews, bench: Workbench, item: ReviewItem, expert: Person, told: Mapping[str, Any]
) -> None:
    ruling = Ruling(reviews, item, expert, str(told.get("reason") or ""))
    if chosen := str(told.get("choose") or "").strip():
        letters = lettered(reviews, item)
        if chosen not in letters:
            raise InputError(f"there is no response {chosen!r}; there is: {', '.join(letters)}")
        ruling.choose(bench, letters[chosen].submission.id)
    elif told.get("write"):
        if not isinstance(told["write"], dict):
            raise InputError(f"`write` must be a response, such as {json.dumps({'sql': 'SELECT 1'})}")
        ruling.write(bench, told["write"])
    elif told.get("drop"):
        ruling.drop()
    else:
        ruling.change_question(str(told["new_question"]), str(told.get("new_evidence") or item.evidence))
