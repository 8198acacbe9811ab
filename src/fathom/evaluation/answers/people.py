"""People's BioScores of a run's answers in words, kept beside the judge's."""

import json
from collections.abc import Sequence
from pathlib import Path

from fathom.errors import InputError
from fathom.evaluation.answers.judge import Judgement
from fathom.evaluation.answers.relation import SCORES
from fathom.evaluation.answers.stored import read_judgements_of
from fathom.evaluation.runs.folder import PEOPLE, read_records
from fathom.files import write_whole

_FORM = 'each line has an id and a score, such as {"id": "1", "score": 2}'


def import_scores(folder: Path, files: Sequence[Path]) -> dict[str, int]:
    """Take people's scores into a run: a JSONL file a person, named after them, with `id` and `score`.

    A person's earlier scores are replaced. Returns how many each gave. Raises `InputError` for a score that
    is no BioScore, a question that the run doesn't have, or one scored twice.
    """
    known = {record.id for record in read_records(folder)}
    found = read_judgements_of(folder / PEOPLE)
    for file in files:
        found[file.stem] = _read(file, known)
    lines = (
        json.dumps(one.as_json() | {"model": person}, ensure_ascii=False) + "\n"
        for person, scores in found.items()
        for one in scores
    )
    write_whole(folder / PEOPLE, "".join(lines))
    return {file.stem: len(found[file.stem]) for file in files}


def _read(file: Path, known: set[str]) -> list[Judgement]:
    found: dict[str, Judgement] = {}
    try:
        # Not `whole_lines`: people's editors leave no end at the last line.
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            if not line.strip():
                continue
            one = _judgement(line, file, number, known)
            if one.id in found:
                raise InputError(f"scores the question {one.id!r} twice", file=file, line=number)
            found[one.id] = one
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from error
    if not found:
        raise InputError("holds no score", file=file)
    return list(found.values())


def _judgement(line: bytes, file: Path, number: int, known: set[str]) -> Judgement:
    try:
        content = json.loads(line)
        identifier, score = str(content["id"]), float(content["score"])
    except KeyError as error:
        raise InputError(f"lacks {error.args[0]!r}; {_FORM}", file=file, line=number) from error
    except (ValueError, TypeError) as error:
        raise InputError(f"can't be read; {_FORM}", file=file, line=number) from error
    if score not in SCORES:
        told = ", ".join(f"{s:g}" for s in SCORES)
        raise InputError(f"{score:g} is no BioScore; there is: {told}", file=file, line=number)
    if identifier not in known:
        raise InputError(f"the run has no question {identifier!r}", file=file, line=number)
    return Judgement(identifier, score, str(content.get("reason") or ""))
