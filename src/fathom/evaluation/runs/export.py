"""A run in the forms that other evaluators read."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fathom.errors import InputError, UnknownName
from fathom.evaluation.runs.contrast import contrast
from fathom.evaluation.runs.folder import read_records
from fathom.evaluation.runs.record import QuestionRecord
from fathom.files import written_whole

FORMS = ("bird", "jsonl", "nl2sqlbench")


def export(folder: Path, form: str, out: Path) -> int:
    """Write a run's best guesses; how many questions were written.

    `bird`: one JSON object from the question's position to `SQL<tab>----- bird -----<tab>db_id`. `jsonl`:
    one line a question with `id`, `sql` and `candidates`. `nl2sqlbench`: a folder with one file a question,
    one record a module. Raises `InputError`, and `UnknownName` for another form.
    """
    if form not in FORMS:
        raise UnknownName("form", form, FORMS)
    records = sorted(read_records(folder), key=lambda r: r.position)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if form == "bird":
            _write(out, _json({str(r.position): _bird(r) for r in records}))
        elif form == "jsonl":
            _write(out, "".join(json.dumps(_line(r), ensure_ascii=False) + "\n" for r in records))
        else:
            out.mkdir(exist_ok=True)
            for record in records:
                # Named by position: an id comes from outside and may be no file name.
                _write(out / f"{record.position}.json", _json(list(_modules(record))))
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error
    return len(records)


def export_unsolved(folders: Sequence[Path], out: Path) -> int:
    """Write the questions that none of the runs got right, as JSONL; how many were written.

    Of those that every run has and that could be judged: with gold, and what each run said. Their ids can be
    given to `--ids` of another run. Raises `InputError`, also where the runs are over several benchmarks.
    """
    found = contrast(folders)
    wanted = set(found.unsolved)
    lines: dict[str, dict[str, Any]] = {}
    for label, folder in found.folders.items():
        for record in read_records(folder):
            if record.id not in wanted:
                continue
            about = {"id": record.id, "question": record.question, "evidence": record.evidence,
                     "database": record.database, "difficulty": record.difficulty, "gold": list(record.gold),
                     "answers": {}}  # fmt: skip
            said = {"sql": record.sql, "outcome": record.outcome.value, "error": record.error}
            lines.setdefault(record.id, about)["answers"][label] = said
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _write(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines.values()))
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error
    return len(lines)


def _write(file: Path, text: str) -> None:
    with written_whole(file) as stream:
        stream.write(text)


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _bird(record: QuestionRecord) -> str:
    return f"{_one_line(record.sql)}\t----- bird -----\t{record.database}"


def _one_line(sql: str | None) -> str:
    return " ".join((sql or "").split("\t"))


def _line(record: QuestionRecord) -> dict[str, Any]:
    several = [c.sql for c in record.candidates]
    return {"id": record.id, "sql": record.sql or ""} | ({"candidates": several} if several else {})


def _modules(record: QuestionRecord) -> Iterator[dict[str, Any]]:
    about = {"question": record.question, "question_id": record.id, "db_id": record.database,
             "GOLD_SQL": record.gold[0] if record.gold else ""}  # fmt: skip
    judged = {"exec_res": int(record.right), "exec_err": record.error or ""}
    if record.selection is not None:
        schemas = {"extracted_schema": record.selection, "real_schema": record.gold_schema}
        yield about | {"node_type": "schema_selection"} | schemas | _used(record, "selection")
    queries = [c.sql for c in record.candidates] or [record.sql or ""]
    first = record.candidates[0] if record.candidates else None
    generated = (
        {"exec_res": int(first.outcome == "correct"), "exec_err": first.error or ""} if first else judged
    )
    yield (
        about
        | {"node_type": "candidate_generation", "SQL": queries}
        | generated
        | _used(record, "generation")
    )
    if record.before_revision is not None:
        final = {"node_type": "query_revision", "SQL": record.sql or ""}
        yield about | final | judged | _used(record, "revision")


def _used(record: QuestionRecord, module: str) -> dict[str, Any]:
    """Give the usage of a module; empty where it isn't known."""
    used = record.usage.get(module)
    if used is None:
        return {}
    parts = {name: used[name] for name in ("prompt_tokens", "completion_tokens")}
    if None in parts.values():  # only a total is known
        return {"token_cost": used["tokens"], "llm_calls": used["calls"]}
    return {**parts, "total_tokens": sum(parts.values()), "llm_calls": used["calls"]}
