"""Exports of Label Studio and Argilla: their tasks become items, people's answers there become responses.

A project there names its own controls, so that one says which of them means what: `fields` maps names there
to names here, such as `query` to `sql`. What isn't mapped and has the name of a part here is taken as that.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.authoring.annotation.bodies import BODIES, DIMENSIONS
from fathom.authoring.annotation.intake import Imported, Incoming
from fathom.authoring.annotation.records import WorkKind
from fathom.authoring.annotation.store import NewItem
from fathom.benchmarks.record_files import Record, records
from fathom.errors import InputError

_QUESTION = ("question", "text", "prompt", "instruction")
_RATINGS = {f"difficulty_{name}": place for place, name in enumerate(DIMENSIONS)}
Fields = Mapping[str, str]
_NONE: Fields = {}


def label_studio(file: Path, kind: WorkKind, fields: Fields = _NONE) -> Incoming:
    """Tasks with annotations, as Label Studio's JSON export has them. Raises `InputError`."""
    items, responses = [], list[Imported]()
    for record in records(file):
        data = record.content.get("data")
        if not isinstance(data, dict):
            raise record.wrong("is missing: this is no task of Label Studio", "data")
        name = str(record.content.get("id", record.line))
        items.append(_item(record, name, data, fields))
        for given in record.content.get("annotations") or ():
            if not given.get("was_cancelled"):
                values = _controls(given.get("result") or ())
                seconds = float(given.get("lead_time") or 0)
                person = _person(given.get("completed_by"))
                responses.append(Imported(name, person, _body(kind, values, fields), seconds))
    return Incoming(f"Label Studio {file.name}", items, responses, file.parent)


def _controls(result: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Give each control of an annotation with its value, by the control's name."""
    for part in result:
        value = part.get("value")
        if isinstance(value, dict):
            held = value.get(part.get("type", "")) if part.get("type") in value else None
            for kind in ("text", "choices", "rating", "number", "selected"):
                held = value.get(kind) if held is None else held
            if isinstance(held, list):
                held = held[0] if len(held) == 1 else "\n".join(map(str, held))
            yield str(part.get("from_name", "")), held


def _person(told: Any) -> str:
    """Who annotated: a number, or an object with what is known of them."""
    if isinstance(told, dict):
        return str(told.get("email") or told.get("username") or told.get("id"))
    return f"annotator {told}"


def argilla(file: Path, kind: WorkKind, fields: Fields = _NONE) -> Incoming:
    """Records with responses, as Argilla exports them: of version 2, and of feedback datasets before it."""
    items, responses = [], list[Imported]()
    for record in records(file):
        held = record.content.get("fields")
        if not isinstance(held, dict):
            raise record.wrong("is missing: this is no record of Argilla", "fields")
        name = str(record.content.get("id") or record.content.get("external_id") or record.line)
        metadata = record.content.get("metadata")
        data = {**(metadata if isinstance(metadata, dict) else {}), **held}
        items.append(_item(record, name, data, fields))
        for person, values in _answers(record.content.get("responses") or {}).items():
            responses.append(Imported(name, person, _body(kind, values.items(), fields)))
    return Incoming(f"Argilla {file.name}", items, responses, file.parent)


def _answers(responses: Any) -> dict[str, dict[str, Any]]:
    """Give each person's answers, by question; discarded answers and drafts don't count."""
    found: dict[str, dict[str, Any]] = {}
    if isinstance(responses, dict):  # version 2: by question
        for asked, given in responses.items():
            for one in given if isinstance(given, list) else ():
                if one.get("status", "submitted") == "submitted":
                    found.setdefault(f"annotator {one.get('user_id')}", {})[str(asked)] = one.get("value")
        return found
    for number, one in enumerate(responses):  # before: by person
        if one.get("status", "submitted") == "submitted":
            values = {k: v.get("value") for k, v in (one.get("values") or {}).items()}
            found[f"annotator {one.get('user_id') or number}"] = values
    return found


def _item(record: Record, name: str, data: Mapping[str, Any], fields: Fields) -> NewItem:
    """An item of what a task shows; what has no name here is shown as it is."""
    told = {fields.get(key, key): value for key, value in data.items()}
    question = next((told.pop(key) for key in _QUESTION if isinstance(told.get(key), str)), None)
    if question is None or not str(question).strip():
        raise InputError(
            f"has no question; say which of its fields is one, such as --field {next(iter(data), 'text')}="
            "question",
            file=record.file,
            line=record.line,
        )
    database, evidence = (str(told.pop(key, "") or "") for key in ("database", "evidence"))
    return NewItem(name=name, question=str(question), database=database, evidence=evidence, shown=told)


def _body(kind: WorkKind, values: Any, fields: Fields) -> dict[str, Any]:
    """A response in our words; the four ratings of difficulty may be four controls."""
    known, body = BODIES[kind].model_fields, dict[str, Any]()
    ratings: dict[int, Any] = {}
    for key, value in values:
        name = fields.get(key, key)
        if name in _RATINGS:
            ratings[_RATINGS[name]] = value
        elif name in known and value is not None:
            body[name] = value
    if len(ratings) == len(_RATINGS):
        body["difficulty"] = [int(ratings[place]) for place in sorted(ratings)]
    return body
