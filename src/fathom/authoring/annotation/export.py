"""A project written as a benchmark, with everything from which its figures are computed anew."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fathom.authoring.annotation.bodies import DIMENSIONS, QUALITIES
from fathom.authoring.annotation.difficulty import ranked
from fathom.authoring.annotation.figures import figures
from fathom.authoring.annotation.history import FILE, AnnotationHistory, called, lines, read_history
from fathom.authoring.annotation.records import DecisionKind, Project, ReviewItem, WorkKind
from fathom.authoring.annotation.responses import all_submitted
from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.authoring.publication import seen_from, table_cell, write_json, write_lines
from fathom.benchmarks.layouts.tables import as_tables_entry
from fathom.benchmarks.sql_text import pieces
from fathom.errors import DatabaseError, InputError
from fathom.evaluation.answers.pairs import VERDICTS, AnswerPair
from fathom.files import write_whole

AGREEMENT, QUESTIONS, READINGS, README = "agreement.json", "questions.jsonl", "readings.jsonl", "README.md"
LAYOUTS = ("fathom", "bird", "spider")


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export: the number of items written, and the numbers left out by reason."""

    written: int
    left_out: Mapping[str, int]


def export(
    reviews: Reviews,
    bench: Workbench,
    project: Project,
    folder: Path,
    *,
    layout: str = "fathom",
    names: bool = False,
    databases: bool = False,
) -> Exported:
    """Write what was decided in a project: for SQL a benchmark in a layout, else what the work feeds.

    `names` tells who people are, `databases` copies the files of embedded databases along.
    Raises `InputError` for an unknown layout.
    """
    if layout not in LAYOUTS:
        raise InputError(f"there is no layout {layout!r}; there is: {', '.join(LAYOUTS)}")
    folder.mkdir(parents=True, exist_ok=True)
    items = list(reviews.items(project.id))
    write_lines(folder / FILE, lines(reviews, project, names=names))
    # From the file just written, as anybody will compute them, not from what is in memory.
    history = AnnotationHistory.of(json.loads(line) for line in (folder / FILE).read_bytes().splitlines())
    told = figures(history)
    write_json(folder / AGREEMENT, told)
    if project.guideline:
        write_whole(folder / "guideline.md", project.guideline, mode=0o644)
    kept = [i for i in items if i.is_settled and i.decision and i.decision.kind is not DecisionKind.DROPPED]
    if project.kind is WorkKind.SQL:
        kept = items if project.is_exam else kept
        written = _SqlExport(bench, project, folder, kept, databases=databases).write(layout)
        if layout == "fathom":  # the others number their questions anew
            _write_predictions(reviews, project, folder, kept)
    else:
        written = _OTHERS[project.kind](reviews, project, folder, kept)
    left = {state: sum(i.state == state for i in items) for state in ("open", "conflict", "dropped")}
    found = Exported(written, {state: n for state, n in left.items() if n})
    _write_readme(folder, project, told, found)
    return found


def is_same(folder: Path) -> tuple[dict[str, Any], bool]:
    """The figures of a folder computed anew, and whether they are those in it to the last digit.

    Raises `InputError` where there are no annotations.
    """
    told = json.loads(json.dumps(figures(read_history(folder))))
    file = folder / AGREEMENT
    if not file.is_file():
        return told, False
    try:
        return told, bool(json.loads(file.read_text(encoding="utf-8")) == told)
    except ValueError:
        raise InputError("is not JSON", file=file) from None


# SQL


@dataclass(frozen=True, slots=True)
class _SqlExport:
    """The questions with gold that were decided."""

    bench: Workbench
    project: Project
    folder: Path
    items: list[ReviewItem]
    databases: bool

    def write(self, layout: str) -> int:
        ambiguous = [i for i in self.items if _body(i).get("readings")]
        write_lines(self.folder / READINGS, map(_readings, ambiguous))
        return {"fathom": self._fathom, "bird": self._bird, "spider": self._spider}[layout]()

    def _fathom(self) -> int:
        hard = self._difficulty()
        if self.databases:
            self._copy("databases")
        return write_lines(self.folder / QUESTIONS, (self._own(i, hard.get(i.name, "")) for i in self.items))

    def _own(self, item: ReviewItem, difficulty: str) -> dict[str, Any]:
        body = _body(item)
        golds = _golds(item)
        told: dict[str, Any] = {
            "id": item.name,
            "question": item.question,
            "database": self._address(item.database),
            "gold": golds,
            "answerable": bool(golds),
        }
        if evidence := _evidence(item):
            told["evidence"] = evidence
        if difficulty:
            told["difficulty"] = difficulty
        if body.get("readings"):
            told["tags"] = ["ambiguous"]
        return told

    def _bird(self) -> int:
        hard = self._difficulty()
        self._copy("dev_databases")
        write_json(self.folder / "dev_tables.json", list(self._schemas()))
        answered = [i for i in self.items if _golds(i)]
        told = [
            {
                "question_id": place,
                "db_id": item.database,
                "question": item.question,
                "evidence": _evidence(item),
                "SQL": _golds(item)[0],
                "difficulty": hard.get(item.name, ""),
            }
            for place, item in enumerate(answered)
        ]
        write_json(self.folder / "dev.json", told)
        gold = "".join(f"{_one_line(one['SQL'])}\t{one['db_id']}\n" for one in told)
        write_whole(self.folder / "dev.sql", gold, mode=0o644)
        return len(told)

    def _spider(self) -> int:
        self._copy("database")
        write_json(self.folder / "tables.json", list(self._schemas()))
        answered = [i for i in self.items if _golds(i)]
        told = [{"db_id": i.database, "question": i.question, "query": _golds(i)[0]} for i in answered]
        write_json(self.folder / "dev.json", told)
        gold = "".join(f"{_one_line(one['query'])}\t{one['db_id']}\n" for one in told)
        write_whole(self.folder / "dev_gold.sql", gold, mode=0o644)
        return len(told)

    def _difficulty(self) -> dict[str, str]:
        return ranked({i.name: _body(i)["difficulty"] for i in self.items if _body(i).get("difficulty")})

    def _used(self) -> list[str]:
        return sorted({i.database for i in self.items})

    def _copy(self, place: str) -> None:
        """Copy embedded databases to where the layout has them: PLACE/NAME/NAME.sqlite."""
        for name in self._used() if self.databases else ():
            file = self.bench.database(self.project, name).file
            if file is not None:
                target = self.folder / place / name / f"{name}{file.suffix}"
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)

    def _address(self, name: str) -> str:
        """Where a question's database is, seen from the folder."""
        address = self.project.databases[name]
        if self.databases:
            file = self.bench.database(self.project, name).file
            if file is not None:
                return f"databases/{name}/{name}{file.suffix}"
        return seen_from(self.folder, address)

    def _schemas(self) -> Iterator[dict[str, Any]]:
        for name in self._used():
            with suppress(DatabaseError):
                yield as_tables_entry(name, self.bench.database(self.project, name).schema)


def _body(item: ReviewItem) -> Mapping[str, Any]:
    return item.decision.body if item.decision else {}


def _golds(item: ReviewItem) -> list[str]:
    """The accepted queries, the fastest first; of an ambiguous question that of each reading.

    An item of an exam has none that was decided: its own gold counts.
    """
    if item.decision is None:
        return list(item.withheld.get("gold", ()))
    body = _body(item)
    readings = [str(r["sql"]) for r in body.get("readings") or ()]
    return readings or [str(sql) for sql in body.get("golds") or ()]


def _evidence(item: ReviewItem) -> str:
    """Join the question's evidence with the evidence that the authors of the gold found missing."""
    parts = dict.fromkeys(p for p in (item.evidence, str(_body(item).get("evidence") or "")) if p.strip())
    return "; ".join(parts)


def _readings(item: ReviewItem) -> dict[str, Any]:
    return {"id": item.name, "question": item.question, "readings": _body(item)["readings"]}


def _write_predictions(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> None:
    """A file a person, as `fathom score` and `fathom evaluate --predictions` read them."""
    items = {item.id: item for item in kept}
    called = _numbered(reviews, project)
    written: dict[str, list[dict[str, Any]]] = {}
    for one in all_submitted(reviews, project.id):
        if (item := items.get(one.item)) is not None:
            told = {"id": item.name, "question": item.question, "sql": one.submission.body.get("sql") or ""}
            written.setdefault(called[one.person], []).append(told)
    _each(folder / "people", written)


def _one_line(sql: object) -> str:
    """A query without line ends and comments; what is quoted stays as it is."""
    parts = (" " if p.isspace() or p[:2] in ("--", "/*") else p for p in pieces(str(sql)))
    return "".join(parts).strip()


# Everything else


def _write_reviewed(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    """Lines that a maker reads back: add them to its review.jsonl, of which the last line of an id counts."""

    def line(item: ReviewItem) -> dict[str, Any]:
        body = dict(_body(item))
        said = body.get("decision")
        dropped = said == "drop" or (isinstance(said, dict) and said.get("drop", 0) > said.get("keep", 0))
        told: dict[str, Any] = {"id": item.name, "decision": "drop" if dropped else "keep"}
        told |= {"reviewer": f"{item.submitted} people", "note": str(body.get("note") or "")}
        told["question"] = str(body.get("question") or item.question)
        if body.get("tables"):
            told["tables"] = list(body["tables"])
        return told

    return write_lines(folder / "review.jsonl", map(line, kept))


def _write_difficulty(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    ratings = {i.name: _body(i)["difficulty"] for i in kept if _body(i).get("difficulty")}
    found = ranked(ratings)
    told = (
        {"id": name, "difficulty": found[name], "ratings": dict(zip(DIMENSIONS, ratings[name], strict=True))}
        for name in found
    )
    return write_lines(folder / "difficulty.jsonl", told)


def _write_scores(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    """A file a person, as `fathom judge business --people` and `fathom judge --people` read them."""
    ids = {item.id: item.name for item in kept}
    scores: dict[str, list[dict[str, Any]]] = {}
    bio: dict[str, list[dict[str, Any]]] = {}
    called = _numbered(reviews, project)
    for one in all_submitted(reviews, project.id):
        if one.item not in ids:
            continue
        body, name = one.submission.body, called[one.person]
        told = {n: body[n] for n in QUALITIES if body.get(n) is not None}
        if told:
            scores.setdefault(name, []).append({"id": ids[one.item], **told})
        if body.get("bioscore") is not None:
            score = {"id": ids[one.item], "score": body["bioscore"], "reason": body.get("note") or ""}
            bio.setdefault(name, []).append(score)
    _each(folder / "scores", scores)
    _each(folder / "bioscores", bio)
    return len(kept)


def _write_preferences(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    """A file a person, as `fathom prefer --people` reads them."""
    items = {item.id: item for item in kept}
    called = _numbered(reviews, project)
    verdicts: dict[str, list[dict[str, Any]]] = {}
    for one in all_submitted(reviews, project.id):
        if (item := items.get(one.item)) is None:
            continue
        said = str(one.submission.body["verdict"])
        label = {"left": one.sides[0], "right": one.sides[1]}.get(said, said)
        pair = AnswerPair(
            item.name, item.question, str(item.shown.get("A", "")), str(item.shown.get("B", ""))
        )
        verdict = next(v for v in VERDICTS if pair.label(v) == label)
        left, right = pair.sides
        told = {"id": item.name, "question": item.question, "left": left, "right": right, "verdict": verdict}
        verdicts.setdefault(called[one.person], []).append(told)
    _each(folder / "preferences", verdicts)
    return len(kept)


def _write_settled(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    """Write the file that `fathom score --settled` reads: the faulty questions, and the gold that replaces
    theirs."""

    def line(item: ReviewItem) -> dict[str, Any]:
        body = _body(item)
        told: dict[str, Any] = {"id": item.name, "database": item.database, "decision": body["decision"]}
        if body.get("sql"):
            told["gold"] = [body["sql"]]
        return told | {"note": str(body.get("note") or "")}

    return write_lines(folder / "settled.jsonl", map(line, kept))


def _write_questions(reviews: Reviews, project: Project, folder: Path, kept: list[ReviewItem]) -> int:
    """The questions that were written for an exam."""
    told = (
        {"question": one.submission.body["question"], "evidence": one.submission.body.get("evidence") or ""}
        for one in all_submitted(reviews, project.id)
    )
    return write_lines(folder / "written.jsonl", told)


Write = Callable[[Reviews, Project, Path, list[ReviewItem]], int]
_OTHERS: Mapping[WorkKind, Write] = {
    WorkKind.QUESTION: _write_reviewed,
    WorkKind.DIFFICULTY: _write_difficulty,
    WorkKind.ANSWER: _write_scores,
    WorkKind.PREFERENCE: _write_preferences,
    WorkKind.SUSPECT: _write_settled,
    WorkKind.WRITING: _write_questions,
}


def _numbered(reviews: Reviews, project: Project) -> dict[str, str]:
    """The pseudonyms of people in the files, the same as in the annotations."""
    return called(reviews, project, names=False)


def _each(folder: Path, told: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    for name, said in told.items():
        write_lines(folder / f"{name}.jsonl", said)


def _write_readme(folder: Path, project: Project, told: Mapping[str, Any], found: Exported) -> None:
    left = ", ".join(f"{n} {state}" for state, n in found.left_out.items()) or "none"
    rows = [("items", told["items"]), ("written", found.written), ("left out", left),
            ("responses", told["responses"]), ("annotators", len(told["annotators"]))]  # fmt: skip
    if results := told.get("results"):
        pairs = results["pairs"]
        low, high = pairs["interval"]
        share = "not defined" if pairs["value"] is None else f"{pairs['value']:.1%} ({low:.1%} to {high:.1%})"
        rows += [
            ("pairs of responses with equal results", f"{share}, N = {pairs['n']}"),
            ("of these equal on the database by luck", results["equal_by_luck"]),
        ]
    for asked, label in told["labels"].items():
        alpha = label["alpha"]["value"]
        shown = "not defined" if alpha is None else f"{alpha:.3f}"
        rows.append((f"{asked}: Krippendorff's alpha", f"{shown}, N = {label['n']}"))
    table = "\n".join(f"| {table_cell(name)} | {table_cell(str(value))} |" for name, value in rows)
    text = (
        f"# {table_cell(project.title)}\n\n"
        f"{_KINDS[project.kind]} Made with askfathom {version('askfathom')}.\n\n"
        f"| what | |\n|---|---|\n{table}\n\n"
        f"`{FILE}` holds every response, run, comparison and decision; `{AGREEMENT}` every figure, which\n"
        "`fathom review figures FOLDER` computes anew from it.\n"
    )
    if note := told.get("note"):
        text += f"\nNote: {note}.\n"
    write_whole(folder / README, text, mode=0o644)


_KINDS = {
    WorkKind.SQL: "Questions with the queries that people wrote, each alone.",
    WorkKind.DIFFICULTY: "How hard questions are, by people's ratings.",
    WorkKind.QUESTION: "Questions that people accepted, edited or rejected.",
    WorkKind.ANSWER: "Answers in words, rated by people.",
    WorkKind.PREFERENCE: "Which of two answers people prefer.",
    WorkKind.SUSPECT: "Suspect gold, settled by people.",
    WorkKind.WRITING: "Questions that people wrote for an exam.",
}
