"""People's decisions: a JSONL file that they edit and that is read back, never rewritten."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.authoring.journal import Item, lock, rejected
from fathom.errors import InputError
from fathom.files import LineFile

DECISIONS = ("keep", "drop", "")


def queue(
    items: Iterable[Item],
    file: Path,
    shown: Callable[[Item], Mapping[str, Any]],
    editable: Sequence[str] = ("question",),
) -> None:
    """Add what isn't in the file yet, undecided, with what people see and what they may correct.

    They set `decision` to keep or drop, and say who they are in `reviewer` and why in `note`.
    """
    there: set[str] = set()
    with lock(file):
        _end_last_line(file)
        lines = LineFile(file, lambda number, line: there.add(_line(file, number, line)["id"]))
        try:
            for item in items:
                if item["id"] not in there:
                    told = {"id": item["id"], "decision": "", "reviewer": "", "note": ""}
                    told |= {name: item.get(name) for name in editable}
                    line = json.dumps({**told, **shown(item)}, ensure_ascii=False, default=str)
                    lines.append(line.encode("utf-8", "replace") + b"\n")
        finally:
            lines.close()


def decided(
    items: Iterable[Item], file: Path, editable: Sequence[str] = ("question",), reviewed_only: bool = False
) -> Iterator[dict[str, Any]]:
    """The items as people left them, those they dropped with a reason; `reviewed` says that one decided.

    Undecided ones count as kept unless `reviewed_only`. Nothing but what is editable is taken from a line.
    Raises `InputError` for a decision that is none, or a text that was emptied.
    """
    lines = file.read_bytes().splitlines() if file.exists() else []
    # The last line of an id counts, as where somebody appended to the file.
    reviews = {found["id"]: found for found in (_line(file, *line) for line in enumerate(lines, 1))}
    for item in items:
        review = reviews.get(str(item["id"]), {})
        decision = review.get("decision", "")
        if decision not in DECISIONS:
            raise InputError(
                f"{item['id']}: {json.dumps(decision)} is no decision; write keep or drop", file=file
            )
        told = {**item, **_corrected(item, review, editable, file), "reviewed": bool(decision)}
        if decision:
            told |= {"by": f"people: {review.get('reviewer') or 'unnamed'}"}
        if decision == "drop":
            yield rejected(told, f"dropped in review: {review.get('note') or 'no note'}")
        elif decision == "keep" or not reviewed_only:
            yield told
        else:
            yield rejected(told, "not reviewed yet")


def _corrected(item: Item, review: Mapping[str, Any], editable: Sequence[str], file: Path) -> dict[str, Any]:
    """Give the fields that people corrected, as they stand in their line."""
    found: dict[str, Any] = {}
    for name in editable:
        value = review.get(name, item.get(name))
        if value == item.get(name):
            continue
        if type(value) is not type(item.get(name)) or not value or not str(value).strip():
            raise InputError(f"{item['id']}: the {name} is empty; to leave it out, write drop", file=file)
        found[name] = value.strip() if isinstance(value, str) else value
    return found


def _end_last_line(file: Path) -> None:
    """End the last line where an editor left its end out, so that it isn't taken for a torn one."""
    if file.exists() and (held := file.read_bytes()) and not held.endswith(b"\n"):
        with file.open("ab") as stream:
            stream.write(b"\n")


def _line(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
        if isinstance(found, dict) and isinstance(found["id"], str):
            return found
    except (ValueError, KeyError):
        pass
    raise InputError("is not an item to review; repair or delete the line", file=file, line=number)
