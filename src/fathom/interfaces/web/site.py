"""The state that pages share: the databases to ask, the store of answers, and the rules of the site."""

import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock, RLock, Thread
from typing import TYPE_CHECKING

from fathom.answering import Asking, prepare
from fathom.answering.store import Store
from fathom.config import Settings
from fathom.databases import Database, connect
from fathom.databases.row_files.sources import rows_under
from fathom.errors import FathomError, InputError, UnknownName
from fathom.interfaces.web.uploads import Uploads
from fathom.knowledge.lessons import LessonFile, lesson_file
from fathom.records import TableProfile
from fathom.watch import tell

if TYPE_CHECKING:
    from fathom.biotools.client import Client
    from fathom.llm import Model

DEMO = "demo:biomed"
QUESTION_LETTERS, SQL_LETTERS = 2_000, 100_000
"""The longest question and query that are taken."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a site. `token` lets in; `hosts` are the exact Host headers that are answered.

    `origins` are those that may send forms. Without `sql` nobody writes queries by hand; with `teaching`
    assistants may teach at `/mcp`, if their person agrees. Without `uploads` nobody puts files here; the
    files of rows in `folder` may be asked as well. In a demo the tools answer from made-up records.
    Pages of the origins `embed_in` may show answers, where a link says so. With `administration` whoever is
    let in to all changes databases, packs, users and grants on pages.
    """

    token: str
    hosts: frozenset[str]
    origins: frozenset[str]
    runs: Path = Path("runs")
    sql: bool = True
    why_no_sql: str = "Queries written by hand are switched off here (--no-sql)."
    teaching: bool = False
    is_demo: bool = False
    uploads: bool = True
    folder: Path | None = None
    embed_in: tuple[str, ...] = ()
    administration: bool = False
    jobs_a_minute: int = 60
    cookie: str = "fathom"
    secure: bool = False

    def check_sql(self) -> None:
        """Raises `InputError` where nobody writes queries by hand."""
        if not self.sql:
            raise InputError(self.why_no_sql)


@dataclass(eq=False)
class Site:
    """The databases by the names that they have in addresses, opened when first asked for.

    `served` are those that the server was started with, `named` among them, and those of the settings;
    beside them are files that people put there. Safe to use from several threads. `user` is whose site it
    is, where each user has their own; "" where all who are let in share one.
    """

    settings: Settings
    rules: Rules
    store: Store
    served: Mapping[str, str]
    model: "Model | None" = None
    tools: "Client | None" = None
    user: str = ""
    named: tuple[str, ...] = ()
    _askings: dict[str, Asking] = field(default_factory=dict)
    _taught: dict[str, object] = field(default_factory=dict)
    _opening: dict[str, RLock] = field(default_factory=dict)
    _looking: "dict[tuple[str, int], Future[Mapping[str, TableProfile]]]" = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def uploads(self) -> Uploads | None:
        """The files that people put here; None where none are taken."""
        return Uploads(self.settings.store.parent, self.settings.cache) if self.rules.uploads else None

    @property
    def may_link(self) -> bool:
        """True if links may be made here that show an answer to whoever has them."""
        return True

    @property
    def databases(self) -> dict[str, str]:
        """Paths and URLs of the databases by their names: those served, and files of rows."""
        found = dict(self.served)
        uploads = self.uploads
        for more in (
            uploads.databases() if uploads else {},
            rows_under(self.rules.folder) if self.rules.folder else {},
        ):
            found |= {name: place for name, place in more.items() if name not in found}
        return found

    @property
    def samples(self) -> list[str]:
        """The databases whose data are made up."""
        return [name for name, place in self.served.items() if place == DEMO]

    def asking(self, name: str) -> Asking:
        """Give the means to ask a database. Raises `UnknownName`, `ConnectionFailed`, `InputError`."""
        if name not in self.served and name not in (there := self.databases):
            raise UnknownName("database", name, there)
        with self._lock:
            opening = self._opening.setdefault(name, RLock())
        with opening:
            known = self._askings.get(name)
            if known is None:
                tell("opening the database; a sample is made the first time")
                database = self.opened(name)
            else:
                database = known.database
                database.refresh()
            taught = (self.lessons(database).mark, database.renewals)
            if known is None or taught != self._taught.get(name):  # by another process, or just now
                self._askings[name] = self._prepared(database)
                self._taught[name] = taught
            return self._askings[name]

    def opened(self, name: str) -> Database:
        """A database of the site, opened. Raises `ConnectionFailed`."""
        if name in self.served:
            return connect(self.served[name], settings=self.settings)
        return connect(Path(self.databases[name]), settings=self.settings)

    def _prepared(self, database: Database) -> Asking:
        may_ask = database.granted is None or database.granted.models
        return prepare(database, model=self.model if may_ask else None, settings=self.settings)

    def lessons(self, database: Database) -> LessonFile:
        """Open the file of people's lessons about an open database."""
        return lesson_file(database.known_as or database.url, self.settings)

    def database(self, name: str) -> Database:
        """A database, opened. Raises what `asking` raises."""
        return self.asking(name).database

    def looked_at(self, name: str) -> Asking | None:
        """The means to ask a database that is open, and still there; None for others."""
        try:
            return self.asking(name) if self.is_open(name) else None
        except FathomError:
            return None

    def drop(self, name: str) -> None:
        """Close a database, if it is open."""
        if (asking := self._askings.pop(name, None)) is not None:
            asking.database.close()

    def is_open(self, name: str) -> bool:
        """True if a database was asked for already."""
        return name in self._askings

    def profile(self, name: str, within: float = 0.5) -> tuple[Mapping[str, TableProfile] | None, str]:
        """Give the profiles of a database's columns, or the reason why there are none.

        It is looked at in the background, once: None where that takes longer than `within` seconds.
        """
        database = self.database(name)
        with self._lock:
            looking = self._looking.get((name, database.renewals))
            if looking is None:
                looking = self._looking[name, database.renewals] = Future()
                Thread(target=_look, args=(database, looking), daemon=True).start()
        try:
            return looking.result(within), ""
        except TimeoutError:
            return None, ""
        except FathomError as error:
            return None, str(error)

    def forget(self, name: str) -> None:
        """Ask a database anew with what is known about it by now; it stays open."""
        with self._lock:
            opening = self._opening.setdefault(name, RLock())
        with opening:
            if (known := self._askings.get(name)) is not None:
                self._askings[name] = self._prepared(known.database)

    def renew(self, settings: Settings) -> set[str]:
        """Serve from here on what the settings say by now: databases, packs, where answers are sent.

        A database whose address changed, or that isn't named any more, is closed, and what works on it fails;
        gives back the names of these.
        """
        before, was = self.settings, self.served
        self.settings = replace(
            before,
            databases=settings.databases,
            packs=settings.packs,
            destinations=settings.destinations,
            smtp=settings.smtp,
            mail_from=settings.mail_from,
        )
        self.served, closed = addresses(self.named, self.settings), set[str]()
        for name, text in was.items():
            place = before.databases.get(text)
            if self.served.get(name) != text or self.settings.databases.get(text) != place:
                self.drop(name)
                closed.add(name)
            elif self.settings.packs.get(text) != before.packs.get(text):
                self.forget(name)
        return closed

    def close(self) -> None:
        """Close what was opened."""
        for asking in self._askings.values():
            asking.database.close()
        if self.tools is not None:
            self.tools.close()
        self.store.close()


def _look(database: Database, looking: "Future[Mapping[str, TableProfile]]") -> None:
    try:
        looking.set_result(database.profile())
    except Exception as error:
        looking.set_exception(error)


def addresses(named: tuple[str, ...], settings: Settings, *, whole: bool = True) -> dict[str, str]:
    """Names for addresses of databases, by what they are opened with: a path's stem, a setting's name.

    Those that the settings name are among them where it is `whole`.
    """
    found: dict[str, str] = {}
    for text in dict.fromkeys((*named, *(settings.databases if whole else ()))):
        bare = (
            text.removeprefix("demo:")
            if text in settings.databases or text.startswith("demo:")
            else stem(text)
        )
        base = re.sub(r"[^\w.-]+", "-", bare).strip("-.") or "database"
        name, number = base, 2
        while name in found:
            name, number = f"{base}-{number}", number + 1
        found[name] = text
    return found


def stem(text: str) -> str:
    """The name in an address of a database: a file's without its ending."""
    return Path(text.partition("?")[0].rstrip("/")).stem
