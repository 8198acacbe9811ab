"""The queue for people: a JSONL file that they edit and that is read back, never rewritten."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fathom.authoring.biotool.asking import shortened
from fathom.authoring.biotool.journal import Item, Journal, rejected
from fathom.errors import InputError

DECISIONS = ("keep", "drop", "")


def queue(judged: Iterable[Item], file: Path) -> int:
    """Add what isn't in the queue yet, undecided; how many there are to decide.

    Reviewers set `decision` to keep or drop, and may correct `question`.
    """
    waiting = [item for item in judged if not item.get("rejected")]
    with Journal(file) as reviewed:
        for item in waiting:
            reviewed.add(
                {
                    "id": item["id"],
                    "decision": "",
                    "question": item["question"],
                    "note": "",
                    "endpoint": item["endpoint"],
                    "arguments": item["arguments"],
                    "observation": shortened(item["observation"]),
                    "verdict": item["verdict"],
                }
            )
        return sum(not item.get("decision") for item in reviewed.items.values())


def decided(judged: Iterable[Item], file: Path, *, undecided: bool) -> list[dict[str, Any]]:
    """The questions as reviewers left them, those they dropped with a reason; `undecided` ones count as kept.

    The call and its observation are those that were made, whatever a line says of them. Raises `InputError`
    for a decision that is none, or a question that was emptied.
    """
    reviews = Journal.read(file).items
    found = []
    for item in judged:
        if item.get("rejected"):
            continue
        review = reviews.get(item["id"], {})
        decision, question = review.get("decision", ""), review.get("question", item["question"])
        if decision not in DECISIONS:
            raise InputError(
                f"{item['id']}: {json.dumps(decision)} is no decision; write keep or drop", file=file
            )
        if not isinstance(question, str) or not question.strip():
            raise InputError(f"{item['id']}: the question is empty; to leave it out, write drop", file=file)
        told = {**item, "question": question.strip(), "reviewed": bool(decision)}
        if decision == "drop":
            found.append(rejected(told, f"dropped in review: {review.get('note') or 'no note'}"))
        elif decision == "keep" or undecided:
            found.append(told)
        else:
            found.append(rejected(told, "not reviewed yet"))
    return found
