"""The forms of a database's columns, found once for as long as its profile stays."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from fathom.databases.database import Database
from fathom.forms import FormReader
from fathom.forms.formats import NO_FORMATS, Formats
from fathom.records import TableProfile

_READERS: WeakKeyDictionary[Database, tuple[Mapping[str, TableProfile], Formats, FormReader]] = (
    WeakKeyDictionary()
)


def form_reader(database: Database, told: Formats = NO_FORMATS) -> FormReader:
    """The reader of a database's columns by their forms; `told` are the formats of a knowledge pack."""
    profiles = database.profile()
    kept = _READERS.get(database)
    if kept is None or kept[0] is not profiles or kept[1] != told:  # the database or the pack was read again
        kept = (profiles, told, FormReader(database.schema, profiles, database.dialect, told))
        _READERS[database] = kept
    return kept[2]


def read_by_forms(sql: str, database: Database, question: str = "", told: Formats = NO_FORMATS) -> str:
    """Write a query so that it reads each column by its form; `told` are the formats of a knowledge pack.

    Raises `Misread` where that can't be done, or where the query adds up several currencies, takes earlier
    rows for current ones, or reads another date than the question names.
    """
    reader = form_reader(database, told)
    read = reader.read(sql, question)
    reader.check(read, question)
    return read
