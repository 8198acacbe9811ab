"""Taking items into a project, and with them the responses that came along from elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from fathom.answering.store.store import new_id
from fathom.authoring.annotation.queue import assignment
from fathom.authoring.annotation.records import NotInReview, Project
from fathom.authoring.annotation.responses import latest, save
from fathom.authoring.annotation.store import NewItem, Reviews, stamp
from fathom.errors import InputError


@dataclass(frozen=True, slots=True)
class Imported:
    """A response that came with an item, by the name that its author has elsewhere."""

    item: str
    person: str
    body: Mapping[str, Any]
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Incoming:
    """The content of a source. `database` of its items is a name or an address, relative to `folder`."""

    origin: str
    items: Sequence[NewItem]
    responses: Sequence[Imported] = ()
    folder: Path = Path()


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of an intake: the numbers of new and of known items and of responses, and the problems."""

    added: int
    known: int
    responses: int = 0
    problems: Sequence[str] = field(default_factory=tuple)


def take(reviews: Reviews, project: Project, incoming: Incoming) -> Taken:
    """Put what a source holds into a project; what is there already stays as it is.

    Raises `InputError` for an item without a database where the project has several.
    """
    with reviews.writing():
        databases = dict(project.databases)
        items = [
            replace(item, database=_database(item, databases, incoming.folder, project))
            for item in incoming.items
        ]
        project = reviews.add_databases(project, databases)
        added, known = reviews.add_items(project, items, incoming.origin)
        taken, problems = _take_responses(reviews, project, incoming.responses)
    return Taken(added, known, taken, tuple(problems))


def _database(item: NewItem, databases: dict[str, str], folder: Path, project: Project) -> str:
    """The name that an item's database has in the project, added where it is new."""
    said = item.database
    if not said:
        if len(databases) > 1:
            raise InputError(f"{item.name} names no database, and {project.id} has {', '.join(databases)}")
        return next(iter(databases), "")
    if said in databases:
        return said
    beside = folder / said
    address = str(beside.resolve()) if "://" not in said and beside.is_file() else said
    for name, known in databases.items():
        if known == address:
            return name
    base = said.removeprefix("demo:") if said.startswith("demo:") else Path(said.partition("?")[0]).stem
    name, number = base, 2
    while name in databases:
        name, number = f"{base}-{number}", number + 1
    databases[name] = address
    return name


def _take_responses(
    reviews: Reviews, project: Project, responses: Sequence[Imported]
) -> tuple[int, list[str]]:
    """Keep responses as their authors' work, each once; and why some can't be."""
    ids = {item.name: item for item in reviews.items(project.id)}
    taken, problems = 0, list[str]()
    for one in responses:
        item, person = ids[one.item], reviews.imported_person(one.person)
        try:
            known = reviews.rows(
                "SELECT id FROM assignment WHERE item = ? AND round = ? AND person = ?",
                item.id, item.round, person.id,
            )  # fmt: skip
            work = known[0][0] if known else _assigned(reviews, item.id, item.round, person.id)
            given = assignment(reviews, work, person)
            last = latest(reviews, work)
            if last is None or not last.submitted:
                save(reviews, given, one.body, submit=True, active_seconds=one.seconds)
                taken += 1
        except (InputError, NotInReview) as error:
            problems.append(f"{one.item}, {one.person}: {error}")
    return taken, problems


def _assigned(reviews: Reviews, item: str, number: int, person: str) -> str:
    made, now = new_id(), reviews.now()
    reviews.insert(
        "assignment", id=made, item=item, round=number, person=person, sides="AB", offered_at=stamp(now),
        lease_until=stamp(now + timedelta(minutes=1)),
    )  # fmt: skip
    return made
