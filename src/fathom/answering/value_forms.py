"""Queries read by the forms of the columns that they name, whichever method wrote them."""

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from fathom.databases import Database
from fathom.forms import FormReader
from fathom.records import Assumption, TableProfile

_DAY = re.compile(r"\b(\d{1,2})/(\d{1,2})/\d{4}\b")
_MONTHS = 12
_READERS: WeakKeyDictionary[Database, tuple[Mapping[str, TableProfile], FormReader]] = WeakKeyDictionary()


def read_by_forms(sql: str, database: Database, question: str = "") -> str:
    """Write a query so that it reads each column by its form.

    Raises `Misread` where that can't be done, or where the query adds up several currencies, takes earlier
    rows for current ones, or reads another date than the question names.
    """
    reader = _reader(database)
    read = reader.read(sql, question)
    reader.check(read, question)
    return read


def unclear_day(question: str, database: Database) -> str:
    """Say why a day such as 01/02/2024 is unclear, where dates are written day first; else nothing."""
    forms = _reader(database).forms.values()
    if any(form.kind == "date" and form.pattern.startswith(("%d/", "%-d/")) for form in forms):
        for day in _DAY.finditer(question):
            if int(day[1]) <= _MONTHS >= int(day[2]) and int(day[1]) != int(day[2]):
                return f"{day[0]} may be read day first or month first: write it as 2024-01-31 is written."
    return ""


def as_asked(sql: str, database: Database) -> str:
    """Write a query as one of tidy columns, to put it in words."""
    return _reader(database).as_asked(sql)


def remarks_on_forms(sql: str, database: Database) -> tuple[Assumption, ...]:
    """Say what a query leaves out for the forms of its columns."""
    return tuple(Assumption("value", text) for text in _reader(database).remarks(sql))


def _reader(database: Database) -> FormReader:
    profiles = database.profile()
    kept = _READERS.get(database)
    if kept is None or kept[0] is not profiles:  # the database was read again since
        kept = (profiles, FormReader(database.schema, profiles, database.dialect))
        _READERS[database] = kept
    return kept[1]
