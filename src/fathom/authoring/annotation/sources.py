"""Sources of items: question lists, benchmarks, makers' folders, audits, runs, answers, pairs."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from fathom.authoring.annotation.intake import Incoming
from fathom.authoring.annotation.other_tools import argilla, label_studio
from fathom.authoring.annotation.records import Project
from fathom.authoring.annotation.store import NewItem
from fathom.benchmarks import load_benchmark
from fathom.benchmarks.record_files import Record, csv_records, records
from fathom.errors import InputError
from fathom.evaluation.answers.pairs import NO_ANSWER, pair_up, read_answers
from fathom.evaluation.runs.contrast import labelled
from fathom.evaluation.runs.folder import read_contents

_ASKED = frozenset("id question_id question text evidence database db_id gold sql SQL query".split())
SourceKind = Literal[
    "questions", "benchmark", "maker", "audit", "runs", "answers", "pairs", "label-studio", "argilla"
]
REVIEW = "review.jsonl"
"""The file of a maker's step that people decide in."""


def read_source(
    kind: SourceKind,
    named: Sequence[str],
    project: Project,
    *,
    fields: Mapping[str, str] = {},
    split: str | None = None,
    limit: int | None = None,
) -> Incoming:
    """Read a source of one of the kinds. Raises `InputError`, also for too many or too few of them."""
    paths = [Path(one) for one in named]
    if kind == "runs":
        return run_disagreements(paths, project.databases)
    if kind == "pairs":
        if len(paths) != 2:
            raise InputError("pairs are of two systems' answers: name two files or runs")
        return answer_pairs(paths[0], paths[1])
    if len(named) != 1:
        raise InputError(f"name one source of the kind {kind} at a time")
    if kind == "benchmark":
        return benchmark_questions(named[0], split, limit)
    read: Mapping[str, Callable[[Path], Incoming]] = {
        "questions": question_list,
        "maker": maker_questions,
        "audit": audit_findings,
        "answers": answers,
        "label-studio": lambda file: label_studio(file, project.kind, fields),
        "argilla": lambda file: argilla(file, project.kind, fields),
    }
    return read[kind](paths[0])


def question_list(file: Path) -> Incoming:
    """A list of questions: JSONL, a JSON array, or CSV, with `question` and what else there is of `id`,
    `database`, `evidence` and `gold`, which annotators don't see. Raises `InputError`.
    """
    read = csv_records(file, ("question",)) if file.suffix.casefold() == ".csv" else records(file)
    items = [_asked(record, number) for number, record in enumerate(read, start=1)]
    return Incoming(f"questions {file.name}", items, folder=file.parent)


def _asked(record: Record, number: int) -> NewItem:
    gold = next((record.texts(n) for n in ("gold", "sql", "SQL", "query") if record.content.get(n)), ())
    shown = {k: v for k, v in record.content.items() if k not in _ASKED and v not in (None, "", [])}
    return NewItem(
        name=record.optional("id", "question_id") or str(number),
        question=record.text("question", "text"),
        evidence=record.optional("evidence"),
        database=record.optional("database", "db_id"),
        shown=shown,
        withheld={"gold": list(gold)} if gold else {},
    )


def benchmark_questions(name: str, split: str | None = None, limit: int | None = None) -> Incoming:
    """The questions of a benchmark; its gold is withheld. Raises `InputError`, `UnknownName`."""
    loaded = load_benchmark(name, split)
    items = [
        NewItem(
            name=q.id,
            question=q.text,
            evidence=q.evidence,
            database=q.database,
            withheld={"gold": list(q.gold)},
        )
        for q in islice(loaded, limit)
    ]
    return Incoming(f"benchmark {loaded.name} {loaded.split}", items)


def maker_questions(folder: Path) -> Incoming:
    """Read a maker's undecided items (`fathom author`), with the machine's reasons."""
    file = folder / REVIEW if folder.is_dir() else folder
    if not file.exists():
        raise InputError(f"has no {REVIEW}: run the maker's step `review` first", file=folder)
    items = []
    for record in records(file):
        told = dict(record.content)
        if told.pop("decision", ""):
            continue
        for name in ("reviewer", "note"):
            told.pop(name, None)
        name, question = str(told.pop("id")), str(told.pop("question", ""))
        items.append(
            NewItem(name=name, question=question, database=str(told.pop("database", "")), shown=told)
        )
    return Incoming(f"maker {folder.name}", items)


def audit_findings(file: Path) -> Incoming:
    """Read an audit's findings (`fathom audit --out`), one item a question with all its findings."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records(file):
        if not record.content.get("decision"):
            found.setdefault((record.text("id"), record.text("database")), []).append(record)
    items = [
        NewItem(
            name=name,
            question=told[0].text("question"),
            database=database,
            # Of several golds each was looked at by itself.
            shown={
                "gold": list(dict.fromkeys(r.optional("gold") for r in told if r.optional("gold"))),
                "findings": [
                    {"kind": r.text("kind"), "evidence": r.optional("evidence"), "detail": _detail(r)}
                    for r in told
                ],
            },
            priority=float(len(told)),
        )
        for (name, database), told in found.items()
    ]
    return Incoming(f"audit {file.name}", items, folder=file.parent)


def _detail(record: Record) -> Mapping[str, Any]:
    detail = record.content.get("detail")
    # Which methods agree would say whose queries these are; what they agree on is for people to see.
    return {"sql": detail["sql"]} if isinstance(detail, dict) and detail.get("sql") else {}


def run_disagreements(folders: Sequence[Path], databases: Mapping[str, str] = {}) -> Incoming:
    """The questions on which runs differ: those tell most about who is right, the most divided first.

    Results are compared by their first rows as kept with the runs. What the runs said is withheld.
    `databases` are addresses by the names that the runs give. Raises `InputError` for fewer than two runs.
    """
    if len(folders) < 2:
        raise InputError("to find where methods disagree, name two runs or more")
    asked: dict[str, Mapping[str, Any]] = {}
    given: dict[str, dict[str, tuple[str, str]]] = {}
    for label, folder in labelled(folders).items():
        for _, record in read_contents(folder):
            asked.setdefault(str(record["id"]), record)
            given.setdefault(str(record["id"]), {})[label] = (_result(record), record.get("sql") or "")
    items = []
    for name, results in given.items():
        different = len({result for result, _ in results.values()})
        if different > 1:
            items.append(_divided(asked[name], results, different, databases))
    return Incoming(f"runs {', '.join(f.name for f in folders)}", items)


def _divided(
    record: Mapping[str, Any],
    results: Mapping[str, tuple[str, str]],
    different: int,
    databases: Mapping[str, str],
) -> NewItem:
    database = str(record["database"])
    return NewItem(
        name=str(record["id"]),
        question=str(record["question"]),
        evidence=str(record.get("evidence") or ""),
        database=databases.get(database, database),
        priority=different / len(results),
        withheld={
            "gold": list(record.get("gold") or ()),
            "predictions": {label: sql for label, (_, sql) in results.items()},
        },
    )


def _result(record: Mapping[str, Any]) -> str:
    """Write a run's result on a question as text that equal results share."""
    rows = record.get("rows")
    if record.get("declined") or not rows:
        return "declined" if record.get("declined") else f"none: {record.get('outcome')}"
    # A right and a wrong result differ, also where the rows that are kept don't tell.
    right = record.get("outcome") == "correct"
    return json.dumps([right, rows.get("row_count"), sorted(sorted(map(repr, r)) for r in rows["rows"])])


def answers(file: Path) -> Incoming:
    """Answers in words to be rated: a JSONL file with `id`, `question` and `answer`, or what `fathom judge`
    wrote, whose verdicts are withheld; or the folder of a run whose method answers in words.
    """
    if file.is_dir():
        items = [
            NewItem(
                name=str(r["id"]), question=str(r["question"]), database=str(r["database"]),
                shown={"answer": r["words"], "sql": r.get("sql") or ""},
            )
            for _, r in read_contents(file) if r.get("words")
        ]  # fmt: skip
        return Incoming(f"answers of {file.name}", items)
    return Incoming(f"answers {file.name}", list(_answered(file)), folder=file.parent)


def _answered(file: Path) -> Iterator[NewItem]:
    for record in records(file):
        sentences = record.content.get("sentences")
        parts = sentences if isinstance(sentences, list) else []
        answer = record.optional("answer", "words", "text") or " ".join(
            str(s.get("sentence", "")) for s in parts
        )
        if not answer:
            raise record.wrong("is missing: there is nothing to rate", "answer")
        shown: dict[str, Any] = {"answer": answer}
        if gold := record.optional("gold_answer"):
            shown["gold_answer"] = gold
        if sql := record.optional("sql"):
            shown["sql"] = sql
        # The judge's questions and their answers are shown; its conclusion isn't.
        if parts:
            shown["sentences"] = [_internals(sentence) for sentence in parts]
        yield NewItem(
            name=record.text("id"),
            question=record.text("question"),
            database=record.optional("database"),
            shown=shown,
            withheld={"judged": dict(record.content)} if parts else {},
        )


def _internals(sentence: Mapping[str, Any]) -> dict[str, Any]:
    """Give the expert's answers about a sentence, each query with its rows."""
    asked = [answer for told in sentence.get("rounds") or () for answer in told.get("answers") or ()]
    return {"sentence": sentence.get("sentence", ""), "asked": asked}


def answer_pairs(first: Path, second: Path) -> Incoming:
    """Two systems' answers to the same questions, side by side; whose is whose isn't shown."""
    pairs = pair_up(read_answers(first), read_answers(second), (str(first), str(second)))
    items = [
        NewItem(
            name=pair.id,
            question=pair.question,
            shown={"A": pair.first or NO_ANSWER, "B": pair.second or NO_ANSWER},
            withheld={"A": str(first), "B": str(second)},
        )
        for pair in pairs
    ]
    return Incoming(f"pairs {first.name} and {second.name}", items)
