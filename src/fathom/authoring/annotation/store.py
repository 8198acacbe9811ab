"""The file of people's work: who they are, the projects, and the items with how each stands."""

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from fathom.answering.store.file import SESSION_AGE, StoreFile, migrations
from fathom.answering.store.store import new_id
from fathom.authoring.annotation.records import (
    Decision,
    DecisionKind,
    NotInReview,
    Person,
    PersonRole,
    Project,
    ReviewItem,
    ReviewRefused,
    Settling,
    WorkKind,
)
from fathom.errors import InputError
from fathom.text import without_passwords

_DECISION = "id, item, round, kind, person, response, body, reason, seen, created_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """An item to put into a project; `name` is the question's own id, which a project holds once."""

    name: str
    question: str
    database: str = ""
    evidence: str = ""
    priority: float = 0.0
    shown: Mapping[str, Any] = field(default_factory=dict)
    withheld: Mapping[str, Any] = field(default_factory=dict)


class Reviews:
    """The projects, people and items of one file. Several threads and processes may use it at once."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Open a file, made where there is none. Raises `ConfigError` where it can't be used."""
        self.path, self._clock = path, clock
        self._file = StoreFile(path, migrations(__package__), "What people said")
        # People's work is not to be had again: it must be on the disk before they are told so.
        self.rows("PRAGMA synchronous=FULL")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def rows(self, sql: str, *values: Any) -> Sequence[sqlite3.Row]:
        """The rows of a query of ours, or of a statement that gives none."""
        return self._file.rows(sql, *values)

    def insert(self, table: str, **values: Any) -> int:
        """Add a row to a table of ours; its number."""
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks}) RETURNING rowid"
        return int(self._file.rows(sql, *values.values())[0][0])

    def writing(self) -> AbstractContextManager[None]:
        """All that is written inside is kept together, or not at all; nobody else writes meanwhile."""
        return self._file.writing()

    def now(self) -> datetime:
        """The time, in UTC."""
        return self._clock()

    def note(self, what: str, subject: str, person: str | None = None, detail: str = "") -> None:
        """Keep in the log of events that something happened."""
        self.insert("event", at=stamp(self.now()), person=person, what=what, subject=subject, detail=detail)

    # People

    def add_person(self, name: str, role: PersonRole = PersonRole.ANNOTATOR) -> tuple[Person, str]:
        """Let somebody take part; the token that lets them in is told this once, and only its digest kept.

        Raises `InputError` for a name that is taken, or none.
        """
        token = secrets.token_urlsafe(24)
        person = self._new_person(name, role, _digest(token))
        return person, token

    def imported_person(self, name: str) -> Person:
        """Somebody whose work comes from elsewhere, by name; they can't log in."""
        found = self._people("WHERE name = ?", name)
        return found[0] if found else self._new_person(name, PersonRole.ANNOTATOR, None)

    def _new_person(self, name: str, role: PersonRole, digest: str | None) -> Person:
        name = " ".join(name.split())
        if not name or len(name) > 100:
            raise InputError("a person needs a name of at most 100 letters")
        with self.writing():
            if self._people("WHERE name = ?", name):
                raise InputError(f"there is somebody called {name} already")
            made = Person(new_id(), name, role, self.now())
            self.insert(
                "person", id=made.id, name=name, role=role, token=digest, created_at=stamp(made.created_at)
            )
            self.note("person added", made.id, detail=role)
        return made

    def new_token(self, person: Person) -> str:
        """Another token for somebody; the earlier one lets in no more."""
        token = secrets.token_urlsafe(24)
        with self.writing():
            self.rows("UPDATE person SET token = ?, has_left = 0 WHERE id = ?", _digest(token), person.id)
            self.rows("DELETE FROM login WHERE person = ?", person.id)
            self.note("token renewed", person.id)
        return token

    def let_go(self, person: Person) -> None:
        """Let somebody in no more; what they said stays."""
        with self.writing():
            self.rows("UPDATE person SET token = NULL, has_left = 1 WHERE id = ?", person.id)
            self.note("person left", person.id)

    def begin_login(self, person: Person, secret: str) -> None:
        """Let a browser in as somebody, that shows this secret; only its digest is kept."""
        with self.writing():
            self.insert("login", digest=_digest(secret), person=person.id, begun_at=stamp(self.now()))

    def logged_in(self, secret: str) -> Person | None:
        """Who is logged in with this secret; None for nobody, who has left, or logged in too long ago."""
        found = self._people(
            "WHERE NOT has_left AND id IN (SELECT person FROM login WHERE digest = ? AND begun_at > ?)",
            *(_digest(secret), stamp(self.now() - SESSION_AGE)),
        )
        return found[0] if found else None

    def owner(self) -> Person:
        """Who holds the file itself, and so may do everything: an owner without a token."""
        found = self._people("WHERE role = ? AND token IS NULL AND NOT has_left", PersonRole.OWNER)
        return found[0] if found else self._new_person("the owner of this file", PersonRole.OWNER, None)

    def people(self) -> Sequence[Person]:
        """All who take part or did, by name."""
        return self._people("ORDER BY name")

    def person(self, name_or_id: str) -> Person:
        """Somebody by name or id. Raises `NotInReview`."""
        for found in self._people("WHERE name = ? OR id = ?", name_or_id, name_or_id):
            return found
        raise NotInReview("person", name_or_id)

    def person_of(self, token: str) -> Person | None:
        """Whose token this is; None where it is nobody's."""
        # The digest is looked up, not the token: how long that takes tells nothing about it.
        found = self._people("WHERE token = ?", _digest(token))
        return found[0] if found else None

    def _people(self, rest: str, *values: Any) -> list[Person]:
        found = self.rows(f"SELECT id, name, role, created_at, has_left FROM person {rest}", *values)
        return [Person(i, n, PersonRole(r), moment(at), bool(left)) for i, n, r, at, left in found]

    # Projects

    def add_project(self, project: Project) -> Project:
        """Keep a new project, with the rules that hold for it. Raises `InputError` for rules that can't."""
        self._check(project)
        with self.writing():
            if self.rows("SELECT 1 FROM project WHERE id = ?", project.id):
                raise InputError(f"there is a project {project.id!r} already")
            self.insert(
                "project", id=project.id, kind=project.kind, title=project.title or project.id,
                guideline=project.guideline, people=project.people, done_by=project.done_by,
                settled_by=project.settled_by, comparison=project.comparison,
                databases=json.dumps(dict(project.databases)), exam=project.exam,
                pass_mark=project.pass_mark, votes=project.votes, seed=project.seed,
                created_at=stamp(self.now()),
            )  # fmt: skip
            self.note("project added", project.id, detail=project.kind)
        return self.project(project.id)

    def _check(self, project: Project) -> None:
        if not project.id or not all(c.isalnum() or c in "-_." for c in project.id) or len(project.id) > 60:
            raise InputError("a project's name has letters, digits, - and _ only, at most 60")
        if project.people < 0 or project.people > 20:
            raise InputError("an item needs 1 to 20 people, or 0 for one response from everybody")
        for address in project.databases.values():
            if without_passwords(address) != address:
                raise InputError(
                    "an address with a password isn't kept here: give the database a name in the settings, "
                    "and name that"
                )
        if project.exam is not None and not self.project(project.exam).is_exam:
            raise InputError(f"{project.exam!r} is no exam: make it with a pass mark")

    def project(self, id: str) -> Project:  # noqa: A002
        """One project. Raises `NotInReview`."""
        for found in self._projects("WHERE id = ?", id):
            return found
        raise NotInReview("project", id)

    def projects(self) -> Sequence[Project]:
        """All projects, the oldest first."""
        return list(self._projects("ORDER BY created_at, id"))

    def add_databases(self, project: Project, databases: Mapping[str, str]) -> Project:
        """The project with these databases as well. Raises `InputError` for an address with a password."""
        whole = replace(project, databases={**project.databases, **databases})
        if whole.databases != project.databases:
            self._check(whole)
            told = json.dumps(dict(whole.databases))
            with self.writing():
                self.rows("UPDATE project SET databases = ? WHERE id = ?", told, project.id)
        return whole

    def close_project(self, id: str, *, closed: bool = True) -> None:  # noqa: A002
        """Take no more work in a project, or take it again."""
        with self.writing():
            self.rows("UPDATE project SET closed = ? WHERE id = ?", closed, self.project(id).id)
            self.note("project closed" if closed else "project opened", id)

    def _projects(self, rest: str, *values: Any) -> Iterator[Project]:
        for row in self.rows(f"SELECT * FROM project {rest}", *values):
            kept = {name: row[name] for name in row.keys()}  # noqa: SIM118, rows iterate values
            yield Project(
                **kept
                | {
                    "kind": WorkKind(row["kind"]),
                    "done_by": PersonRole(row["done_by"]),
                    "settled_by": Settling(row["settled_by"]),
                    "databases": json.loads(row["databases"]),
                    "created_at": moment(row["created_at"]),
                    "closed": bool(row["closed"]),
                }
            )

    # Items

    def add_items(self, project: Project, items: Iterable[NewItem], origin: str) -> tuple[int, int]:
        """Put items into a project: how many are new, and how many were there already, which stay.

        Raises `InputError` for an item of a database that the project doesn't have.
        """
        added = known = 0
        with self.writing():
            names = {r[0] for r in self.rows("SELECT name FROM item WHERE project = ?", project.id)}
            number = len(names)
            for item in items:
                if item.name in names:
                    known += 1
                    continue
                if item.database and item.database not in project.databases:
                    raise InputError(
                        f"{item.name}: the project {project.id} has no database {item.database!r}; there is: "
                        f"{', '.join(project.databases) or 'none'}"
                    )
                names.add(item.name)
                number, added = number + 1, added + 1
                self._add_item(project, item, number, origin)
            if added:
                self.note("items added", project.id, detail=f"{added} from {origin}")
        return added, known

    def _add_item(self, project: Project, item: NewItem, number: int, origin: str) -> None:
        id_, now = new_id(), stamp(self.now())
        self.insert(
            "item", id=id_, project=project.id, number=number, name=item.name, database=item.database,
            origin=origin, priority=item.priority, shown=_as_text(item.shown),
            withheld=_as_text(item.withheld), created_at=now,
        )  # fmt: skip
        self.insert(
            "round", item=id_, number=1, question=item.question, evidence=item.evidence, reason="",
            created_at=now,
        )  # fmt: skip

    def item(self, id: str) -> ReviewItem:  # noqa: A002
        """One item as it stands. Raises `NotInReview`."""
        for found in self._items("WHERE item_now.id = ?", id):
            return found
        raise NotInReview("item", id)

    def items(self, project: str) -> Sequence[ReviewItem]:
        """The items of a project as they stand, in the order in which they came."""
        return list(self._items("WHERE item_now.project = ? ORDER BY item_now.number", project))

    def _items(self, rest: str, *values: Any) -> Iterator[ReviewItem]:
        decision = ", ".join(f"d.{name.strip()} AS d_{name.strip()}" for name in _DECISION.split(","))
        sql = f"SELECT item_now.*, {decision} FROM item_now LEFT JOIN decision AS d ON d.id = decision {rest}"
        for row in self.rows(sql, *values):
            kept = {name: row[name] for name in row.keys() if not name.startswith("d_")}  # noqa: SIM118
            del kept["created_at"]
            kept |= {"shown": json.loads(row["shown"]), "withheld": json.loads(row["withheld"])}
            yield ReviewItem(**kept | {"decision": _decision(row) if row["d_id"] is not None else None})

    def decisions(self, item: str) -> Sequence[Decision]:
        """Everything that was decided about an item, the first first."""
        named = ", ".join(f"{name.strip()} AS d_{name.strip()}" for name in _DECISION.split(","))
        return [
            _decision(row)
            for row in self.rows(f"SELECT {named} FROM decision WHERE item = ? ORDER BY id", item)
        ]

    def check_open(self, project: Project) -> None:
        """Raises `ReviewRefused` where a project takes no more work."""
        if project.closed:
            raise ReviewRefused(f"{project.title} is closed: no more work is taken.")


def _decision(row: sqlite3.Row) -> Decision:
    kept = {name[2:]: row[name] for name in row.keys() if name.startswith("d_")}  # noqa: SIM118
    kept["kind"], kept["body"] = DecisionKind(kept["kind"]), json.loads(kept["body"])
    return Decision(**kept | {"created_at": moment(kept["created_at"])})


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _as_text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, default=str)


def stamp(at: datetime) -> str:
    """A time as it is kept: in UTC, as text that sorts."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """The time that a text keeps."""
    return datetime.fromisoformat(text)
