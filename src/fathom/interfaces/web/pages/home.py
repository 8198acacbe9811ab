"""The first page: what can be asked, what was asked last."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter

from fathom.answering.store import StoredQuestion
from fathom.answering.store.store import new_id
from fathom.errors import FathomError
from fathom.interfaces.web.examples import examples_of
from fathom.interfaces.web.routes import OfSite, shown
from fathom.interfaces.web.site import Site

router = APIRouter(tags=["home"])
LATEST = 8


@dataclass(frozen=True, slots=True)
class DatabaseLine:
    """One database in a list. What isn't known until it is opened is None."""

    name: str
    dialect: str | None
    tables: int | None
    rows: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """The databases and the latest questions. `examples` are questions to `database`, the last one asked."""

    databases: Sequence[DatabaseLine]
    database: str
    examples: Sequence[str]
    latest: Sequence[StoredQuestion]
    key: str


@shown(router, "/", "home.html")
def home(site: OfSite) -> Home:
    """The databases, questions to begin with, and the latest answers."""
    names, latest = list(site.databases), site.store.history(most=LATEST)
    last = next((one.database for one in latest if one.database in names), "".join(names[:1]))
    examples = examples_of(site, last) if last else []
    return Home([database_line(site, n) for n in names], last, examples, latest, new_id())


def database_line(site: Site, name: str) -> DatabaseLine:
    """A database in one line; nothing is opened for it."""
    if not site.is_open(name):
        return DatabaseLine(name, None, None, None)
    try:
        schema = site.database(name).schema
    except FathomError as error:  # a file that was removed
        return DatabaseLine(name, None, None, None, str(error))
    rows = [t.row_count for t in schema.tables if not t.is_view]
    known = sum(r for r in rows if r is not None) if any(r is not None for r in rows) else None
    return DatabaseLine(name, schema.dialect, len(schema.tables), known)
