"""Prediction files as their authors wrote them, read one prediction at a time."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from fathom.errors import InputError

BIRD_MARK = "\t----- bird -----\t"
_SQL = ("sql", "SQL", "predicted_sql", "PREDICTED_SQL", "pred_sql", "query", "prediction")
_ID = ("id", "question_id")
_SALVAGED_ID = re.compile(r'"(?:id|question_id)"\s*:\s*("(?:[^"\\]|\\.)*"|\d+)')
_ENTRY = re.compile(r'\n\s*(?="(?:[^"\\\n]|\\.)*"\s*:|\{)')
_FENCE = "```"  # no dialect has it outside of strings
_LAST_MODULES = ("query_revision", "revision", "candidate_generation")
Rule = Literal["id", "position"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A file's entry on one question: candidates in order, the first one being the prediction.

    `key` is an id, or a position from 0; where records have no id it is their file's name, and `question`
    their question's text. `database_name` is what the file says about the database, to catch
    files that belong to other questions. `problem` says why there is no query.
    """

    key: str
    candidates: tuple[str, ...]
    database_name: str = ""
    problem: str = ""
    question: str = ""

    @property
    def is_reply(self) -> bool:
        """True if it is a model's whole reply, with its SQL in a Markdown fence."""
        return any(_FENCE in candidate for candidate in self.candidates)

    @property
    def told(self) -> str:
        """The question's text, folded in case and blanks."""
        return folded(self.question)


def folded(text: str) -> str:
    """A question's text without what copies differ in: case and blanks."""
    return " ".join(text.casefold().split())


def predictions_rule(file: Path, benchmark_rule: Rule) -> Rule:
    """How a file's entries name their questions; `benchmark_rule` is the benchmark's for JSON objects."""
    if file.is_dir() or file.suffix in (".jsonl", ".ndjson"):
        return "id"
    return benchmark_rule if _json_kind(file) == "{" else "id" if _json_kind(file) == "[{" else "position"


def read_predictions(file: Path) -> Iterator[Prediction]:
    """The predictions of a file in any known form; recognised by suffix and first characters.

    A folder of NL2SQLBench records; JSONL with `id` and `sql` or `candidates`; a JSON object from key to
    query (BIRD); a JSON list of queries, or of objects; else text with one query a line (Spider). Raises
    `InputError` where the file itself can't be read; a malformed entry is a prediction with a problem.
    """
    if file.is_dir():
        return _record_folder(file)
    if file.suffix in (".jsonl", ".ndjson"):
        return _json_lines(file)
    return _json_entries(file) if _json_kind(file) else _text_lines(file)


def _json_kind(file: Path) -> str:
    """`{` for a JSON object, `[` for a list, `[{` for a list of objects, nothing for other text."""
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:
            head = "".join(stream.read(2000).split())
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from None
    if file.suffix != ".json":
        return ""
    return "[{" if head.startswith("[{") else head[:1]


def _text_lines(file: Path) -> Iterator[Prediction]:
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
        for position, line in enumerate(stream):
            yield _from_text(str(position), line.rstrip("\r\n"))


def _from_text(key: str, text: object) -> Prediction:
    if not isinstance(text, str):
        return Prediction(key, (), problem="the entry is not text")
    if not text.isascii() and _has_surrogates(text):
        return Prediction(key, (), problem="the query is not valid UTF-8")
    sql, _, database = text.partition(BIRD_MARK) if BIRD_MARK in text else text.rpartition("\t")
    if BIRD_MARK not in text and not (sql and re.fullmatch(r"[\w\-.]+", database.strip())):
        sql, database = text, ""
    return Prediction(key, (sql.strip(),) if sql.strip() else (), database.strip())


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


def _json_lines(file: Path) -> Iterator[Prediction]:
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except ValueError as error:
                yield _malformed(line, f"line {number} is not valid JSON: {error}")
                continue
            yield _from_object(entry, f"line {number}")


def _malformed(text: str, problem: str) -> Prediction:
    """Where the id can still be read, the question at least learns why its prediction is missing."""
    found = _SALVAGED_ID.search(text)
    return Prediction(str(json.loads(found[1])) if found else "", (), problem=problem)


def _from_object(entry: Any, where: str) -> Prediction:
    if not isinstance(entry, dict):
        return Prediction("", (), problem=f"{where} is not an object")
    key = next((str(entry[name]) for name in _ID if entry.get(name) is not None), "")
    found = entry.get("candidates")
    if found is None:
        found = next((entry[name] for name in _SQL if name in entry), None)
    if not key:
        return Prediction("", (), problem=f"{where} has no id")
    candidates = [found] if isinstance(found, str) else found if isinstance(found, list) else None
    if found is not None and (candidates is None or not all(isinstance(c, str) for c in candidates)):
        return Prediction(key, (), problem=f"{where}: the query is not text")
    database = entry.get("db_id") or ""
    return Prediction(key, tuple(c for c in candidates or () if c.strip()), str(database))


def _json_entries(file: Path) -> Iterator[Prediction]:
    """The entries of one JSON object or list; after a malformed one it goes on at the next line that fits."""
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    decode = json.JSONDecoder().raw_decode
    at = _after_blanks(text, 0)
    is_object, at, position = text[at] == "{", at + 1, 0
    while (at := _after_blanks(text, at)) < len(text) and text[at] not in "]}":
        start, key = at, str(position)
        try:
            if is_object:
                key, at = decode(text, at)
                at = _after_blanks(text, at)
                at = _after_blanks(text, text.index(":", at, at + 1) + 1)
            value, at = decode(text, at)
        except ValueError as error:
            line = text.count("\n", 0, start) + 1
            again = _ENTRY.search(text, start + 1)
            at = again.end() if again else len(text)
            problem = f"line {line} is not valid JSON: {error}"
            yield Prediction(key, (), problem=problem) if key else _malformed(text[start:at], problem)
        else:
            where = f"entry {key}"
            yield _from_object(value, where) if isinstance(value, dict) else _from_text(key, value)
        position += 1


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _record_folder(folder: Path) -> Iterator[Prediction]:
    """NL2SQLBench: one file a question, a list of one record a module; the last module's query counts."""
    files = sorted(folder.rglob("*.json"), key=lambda f: [int(p) if p.isdigit() else p for p in _parts(f)])
    if not files:
        raise InputError("holds no .json files of records", file=folder)
    for file in files:
        try:
            content = json.loads(file.read_text(encoding="utf-8-sig"))
        except (ValueError, OSError) as error:
            key = next((part for part in _parts(file) if part.isdigit()), "")
            yield Prediction(key, (), problem=f"{file.name} can't be read: {error}")
            continue
        records = content if isinstance(content, list) else [content]
        yield from _from_records([r for r in records if isinstance(r, dict)], file)


def _parts(file: Path) -> list[str]:
    return re.split(r"(\d+)", file.stem)


def _from_records(records: list[dict[str, Any]], file: Path) -> Iterator[Prediction]:
    for (key, text), own in grouped_records(records).items():
        by_module = {str(record.get("node_type")): record for record in own}
        named = [by_module[m] for m in _LAST_MODULES if m in by_module]
        last = (named or [r for r in own if any(r.get(n) for n in _SQL)][-1:] or [{}])[0]
        found = _from_object(last | {"id": key or file.stem}, file.name)
        yield found if key else replace(found, question=text)


def grouped_records(records: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The records of each question of a file, by its id and its text; the id is empty where none is told."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        identifier = next((str(record[n]) for n in ("question_id", "id") if record.get(n) is not None), "")
        found.setdefault((identifier, str(record.get("question") or "")), []).append(record)
    return found
