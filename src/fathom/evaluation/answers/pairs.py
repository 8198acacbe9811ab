"""Pairs of answers to the same question, and their verdicts by people: blind, one file a person.

Which answer stands left follows from the question's id alone, so that neither people nor a model can tell
whose it is, and every annotator sees the same sides.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fathom.benchmarks.record_files import Record, json_lines, records
from fathom.errors import InputError
from fathom.evaluation.metrics import NothingInCommon
from fathom.evaluation.runs.folder import read_records

VERDICTS = ("left", "right", "both_good", "both_bad")
NO_ANSWER = "(It gave no answer.)"


@dataclass(frozen=True, slots=True)
class Answered:
    """One question as somebody answered it, in words."""

    question: str
    words: str


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """The answers of a first and a second system to one question."""

    id: str
    question: str
    first: str
    second: str

    @property
    def turned(self) -> bool:
        """True if the second's answer stands left."""
        return bool(sha256(self.id.encode()).digest()[0] & 1)

    @property
    def sides(self) -> tuple[str, str]:
        """The answers on the left and on the right."""
        shown = self.first or NO_ANSWER, self.second or NO_ANSWER
        return shown[::-1] if self.turned else shown

    @property
    def digest(self) -> str:
        """The same for the same answers to the same question."""
        return sha256("\x1f".join((self.question, *self.sides)).encode()).hexdigest()[:16]

    def label(self, verdict: str) -> str:
        """The label of `fathom.evaluation.metrics.LABELS` that one of `VERDICTS` stands for."""
        if verdict not in {"left", "right"}:
            return verdict
        return "B" if (verdict == "left") == self.turned else "A"


def read_answers(path: Path) -> dict[str, Answered]:
    """Answers in words by question id, of a run's folder, or of a file of `id`, `question` and `answer`.

    Raises `InputError` where there are none.
    """
    if path.is_dir():
        found = {r.id: Answered(r.question, r.words.strip()) for r in read_records(path)}
        missing = "has no answers in words; measure a method that gives them"
    else:
        found = {r.text("id"): Answered(r.optional("question"), _words(r)) for r in records(path)}
        missing = "has no answers"
    if not any(one.words for one in found.values()):
        raise InputError(missing, file=path)
    return found


def _words(record: Record) -> str:
    return record.optional("answer", "words", "text")


def pair_up(
    first: Mapping[str, Answered], second: Mapping[str, Answered], names: tuple[str, str]
) -> list[AnswerPair]:
    """The pairs of questions that both have, where either has words. Raises `NothingInCommon`."""
    pairs = [
        AnswerPair(key, ours.question or second[key].question, ours.words, second[key].words)
        for key, ours in first.items()
        if key in second and (ours.words or second[key].words)
    ]
    if not pairs:
        raise NothingInCommon(*names)
    return pairs


def write_queue(pairs: Sequence[AnswerPair], file: Path) -> int:
    """Add the pairs that a person's file doesn't have yet, each with an empty `verdict`; how many were added.

    What is in the file stays as it is. Raises `InputError` for a file that isn't such a queue.
    """
    held = {record.text("id") for record in json_lines(file)} if file.exists() else set()
    missing = [pair for pair in pairs if pair.id not in held]
    with file.open("a", encoding="utf-8") as stream:
        for pair in missing:
            left, right = pair.sides
            told = {"id": pair.id, "question": pair.question, "left": left, "right": right, "verdict": ""}
            stream.write(json.dumps(told, ensure_ascii=False) + "\n")
    return len(missing)


def read_verdicts(file: Path, pairs: Sequence[AnswerPair]) -> dict[str, str]:
    """A person's labels by question id; lines without a verdict are passed over.

    Raises `InputError`, with the line, for a verdict that is none, and for a question or answers that aren't
    in the pairs.
    """
    known = {pair.id: pair for pair in pairs}
    found = {}
    for record in json_lines(file):
        identifier, verdict = record.text("id"), record.optional("verdict")
        if not verdict:
            continue
        if verdict not in VERDICTS:
            raise record.wrong(f"must be one of {', '.join(VERDICTS)}, not {verdict!r}", "verdict")
        if identifier not in known:
            raise record.wrong(f"{identifier!r} is no question that both answered", "id")
        shown = record.optional("left"), record.optional("right")
        if any(shown) and shown != known[identifier].sides:
            raise record.wrong("shows other answers than these; write a new queue", "left")
        found[identifier] = known[identifier].label(verdict)
    return found
