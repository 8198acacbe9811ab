"""The forms of a database's columns, found once for as long as its profile stays."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from fathom.databases.database import Database
from fathom.forms import FormReader
from fathom.records import TableProfile

_READERS: WeakKeyDictionary[Database, tuple[Mapping[str, TableProfile], FormReader]] = WeakKeyDictionary()


def form_reader(database: Database) -> FormReader:
    """The reader of a database's columns by their forms."""
    profiles = database.profile()
    kept = _READERS.get(database)
    if kept is None or kept[0] is not profiles:  # the database was read again since
        kept = (profiles, FormReader(database.schema, profiles, database.dialect))
        _READERS[database] = kept
    return kept[1]


def read_by_forms(sql: str, database: Database, question: str = "") -> str:
    """Write a query so that it reads each column by its form.

    Raises `Misread` where that can't be done, or where the query adds up several currencies, takes earlier
    rows for current ones, or reads another date than the question names.
    """
    reader = form_reader(database)
    read = reader.read(sql, question)
    reader.check(read, question)
    return read
