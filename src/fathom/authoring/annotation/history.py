"""A project's whole history as lines of JSON: what was asked, said, run, compared and decided.

Every figure about a project is computed from these lines alone, so that whoever has them computes the same.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.authoring.annotation.exams import results
from fathom.authoring.annotation.records import Project
from fathom.authoring.annotation.store import Reviews
from fathom.benchmarks.record_files import json_lines
from fathom.errors import InputError

FILE = "annotations.jsonl"
Line = Mapping[str, Any]


def lines(reviews: Reviews, project: Project, *, names: bool = False) -> Iterator[dict[str, Any]]:
    """Everything that was said and decided in a project; people are A1, A2 and so on unless `names`.

    What is withheld from annotators isn't in it: whose prediction is whose stays with the project.
    """
    names_of = called(reviews, project, names=names)
    yield {
        "type": "project", "id": project.id, "kind": project.kind.value, "title": project.title,
        "guideline": project.guideline, "people": project.people, "settled_by": project.settled_by.value,
        "comparison": project.comparison, "databases": sorted(project.databases), "seed": project.seed,
        "pass_mark": project.pass_mark,
    }  # fmt: skip
    for person in reviews.people():
        if person.id in names_of:
            yield {"type": "annotator", "id": names_of[person.id], "role": person.role.value}
    named = {}
    for item in reviews.items(project.id):
        named[item.id] = item.name
        yield {
            "type": "item", "id": item.name, "number": item.number, "database": item.database,
            "origin": item.origin, "round": item.round, "question": item.question,
            "evidence": item.evidence, "shown": dict(item.shown), "state": item.state,
        }  # fmt: skip
    yield from _said(reviews, project, named, names_of)
    yield from _ran(reviews, project)
    yield from _decided(reviews, project, named, names_of)
    if project.is_exam:
        for one in results(reviews, project):
            yield {
                "type": "exam", "annotator": names_of[one.person], "hits": one.hits, "total": one.total,
                "passed": one.passed,
            }  # fmt: skip


def called(reviews: Reviews, project: Project, *, names: bool) -> dict[str, str]:
    """The name by which each person who worked in a project appears in exported files."""
    did = reviews.rows(
        "SELECT a.person FROM assignment AS a JOIN item ON item.id = a.item WHERE item.project = ?1 UNION "
        "SELECT d.person FROM decision AS d JOIN item ON item.id = d.item WHERE item.project = ?1 UNION "
        "SELECT c.person FROM comment AS c JOIN item ON item.id = c.item WHERE item.project = ?1 UNION "
        "SELECT person FROM exam_result WHERE project = ?1",
        project.id,
    )
    there = {row[0] for row in did if row[0] is not None}
    if names:
        return {p.id: p.name for p in reviews.people() if p.id in there}

    def drawn(person: str) -> bytes:  # neither by name nor by when they came, which would tell who is who
        return hashlib.blake2b(f"{project.seed} {project.id} {person}".encode()).digest()

    return {person: f"A{n}" for n, person in enumerate(sorted(there, key=drawn), start=1)}


def _said(
    reviews: Reviews, project: Project, named: Mapping[str, str], names_of: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    rows = reviews.rows(
        "SELECT r.*, a.item, a.round, a.person, a.sides FROM response AS r "
        "JOIN assignment AS a ON a.id = r.assignment JOIN item ON item.id = a.item "
        "WHERE item.project = ? ORDER BY r.id",
        project.id,
    )
    for row in rows:
        yield {
            "type": "response", "id": row["id"], "item": named[row["item"]], "round": row["round"],
            "annotator": names_of[row["person"]], "version": row["version"],
            "submitted": bool(row["submitted"]), "sides": row["sides"], "body": json.loads(row["body"]),
            "seconds": row["active_seconds"], "at": row["created_at"],
        }  # fmt: skip
    rows = reviews.rows(
        "SELECT c.* FROM comment AS c JOIN item ON item.id = c.item WHERE item.project = ? ORDER BY c.id",
        project.id,
    )
    for row in rows:
        yield {
            "type": "comment", "item": named[row["item"]], "round": row["round"],
            "annotator": names_of[row["person"]], "text": row["text"], "at": row["created_at"],
        }  # fmt: skip


def _ran(reviews: Reviews, project: Project) -> Iterator[dict[str, Any]]:
    rows = reviews.rows(
        "SELECT e.* FROM execution AS e JOIN response AS r ON r.id = e.response "
        "JOIN assignment AS a ON a.id = r.assignment JOIN item ON item.id = a.item "
        "WHERE item.project = ? ORDER BY e.id",
        project.id,
    )
    for row in rows:
        yield {
            "type": "execution", "response": row["response"], "part": row["part"], "copy": row["copy"],
            "sql": row["sql"], "columns": json.loads(row["columns"]), "row_count": row["row_count"],
            "digest": row["digest"], "error": row["error"], "seconds": row["seconds"],
            "truncated": bool(row["truncated"]),
            "data": hashlib.sha256(row["data_state"].encode()).hexdigest()[:16] if row["data_state"] else "",
        }  # fmt: skip


def _decided(
    reviews: Reviews, project: Project, named: Mapping[str, str], names_of: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    rows = reviews.rows(
        "SELECT c.* FROM comparison AS c JOIN item ON item.id = c.item WHERE item.project = ? ORDER BY c.id",
        project.id,
    )
    for row in rows:
        yield {
            "type": "comparison", "item": named[row["item"]], "round": row["round"],
            "left": row["left_response"], "right": row["right_response"], "copy": row["copy"],
            "comparison": row["comparison"], "equal": bool(row["equal"]), "kind": row["kind"],
            "note": row["note"],
        }  # fmt: skip
    rows = reviews.rows(
        "SELECT d.* FROM decision AS d JOIN item ON item.id = d.item WHERE item.project = ? ORDER BY d.id",
        project.id,
    )
    for row in rows:
        yield {
            "type": "decision", "item": named[row["item"]], "round": row["round"], "kind": row["kind"],
            "by": names_of[row["person"]] if row["person"] else None, "response": row["response"],
            "body": json.loads(row["body"]), "reason": row["reason"], "seen": row["seen"],
            "at": row["created_at"],
        }  # fmt: skip


@dataclass(slots=True)
class AnnotationHistory:
    """A project's history as figures need it, by item: what counts now, in each one's last round."""

    project: Line = field(default_factory=dict)
    items: dict[str, Line] = field(default_factory=dict)
    responses: dict[str, dict[str, Line]] = field(default_factory=dict)
    comparisons: dict[str, list[Line]] = field(default_factory=dict)
    decisions: dict[str, Line] = field(default_factory=dict)
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    exams: list[Line] = field(default_factory=list)

    @classmethod
    def of(cls, told: Iterator[Line] | Sequence[Line]) -> "AnnotationHistory":
        """The history that lines tell. Raises `InputError` where they tell no project."""
        found = cls()
        for line in told:
            found._take(line)
        if not found.project:
            raise InputError("these are no annotations: no line tells the project")
        return found

    def _take(self, line: Line) -> None:
        kind = line.get("type")
        if kind == "project":
            self.project = line
        elif kind == "item":
            self.items[line["id"]] = line
        elif kind == "exam":
            self.exams.append(line)
        elif line.get("item") not in self.items or line["round"] != self.items[line["item"]]["round"]:
            return
        elif kind == "response":
            spent = self.seconds.setdefault(line["annotator"], {})
            spent[line["item"]] = spent.get(line["item"], 0.0) + line["seconds"]
            if line["submitted"]:
                self.responses.setdefault(line["item"], {})[line["annotator"]] = line
        elif kind == "comparison":
            self.comparisons.setdefault(line["item"], []).append(line)
        elif kind == "decision":
            self.decisions[line["item"]] = line


def read_history(folder: Path) -> AnnotationHistory:
    """The history in a folder that was exported. Raises `InputError` for none, or a damaged one."""
    file = folder / FILE if folder.is_dir() else folder
    try:
        return AnnotationHistory.of(record.content for record in json_lines(file))
    except (KeyError, TypeError) as error:
        raise InputError(f"a line lacks {error}", file=file) from None
