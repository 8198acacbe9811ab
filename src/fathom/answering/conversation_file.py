"""A conversation as a file: JSON to go on from, or Markdown to read."""

import json
from collections.abc import Sequence
from pathlib import Path

from fathom.answering.archive import answer_from_json, archived
from fathom.answering.markdown import conversation_as_markdown
from fathom.errors import InputError
from fathom.files import write_whole
from fathom.records import Answer

_FORM = "fathom conversation"


def write_conversation(file: Path, database: str, whole: str, answers: Sequence[Answer]) -> None:
    """Write answers as the file's ending says: `.json` to go on from, `.md` to read.

    `whole` is the question that a short one completes. Raises `InputError` for another ending, or a file that
    can't be written.
    """
    match file.suffix.casefold():
        case ".json":
            kept = [archived(a) for a in answers]
            content = {"form": _FORM, "database": database, "whole": whole, "answers": kept}
            text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        case ".md":
            text = conversation_as_markdown(f"Questions to {database}", answers)
        case _:
            raise InputError("a conversation is written as .json, to go on from, or .md, to read", file=file)
    try:
        write_whole(file, text)
    except OSError as error:
        raise InputError(f"the conversation can't be written: {error.strerror}", file=file) from error


def read_conversation(file: Path) -> tuple[str, list[Answer]]:
    """The question that a short one completes, and the answers, of a `.json` that `write_conversation` wrote,
    or of the one answer that `as_json` gives.

    Raises `InputError` for a file that can't be read or holds something else.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"no conversation can be read from it: {error}", file=file) from error
    if not isinstance(content, dict):
        raise InputError("is no conversation, and no answer, that Fathom wrote", file=file)
    if content.get("form") != _FORM:
        answer = answer_from_json(content)
        return answer.question.text, [answer]
    if not isinstance(content.get("answers"), list) or not isinstance(content.get("whole"), str):
        raise InputError("is a damaged conversation: it lacks answers. Begin a new one", file=file)
    return content["whole"], [answer_from_json(a) for a in content["answers"]]
