"""Queries read by the forms of the columns that they name, whichever method wrote them."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from fathom.databases import Database
from fathom.forms import FormReader
from fathom.records import Assumption, TableProfile

_READERS: WeakKeyDictionary[Database, tuple[Mapping[str, TableProfile], FormReader]] = WeakKeyDictionary()


def read_by_forms(sql: str, database: Database) -> str:
    """Write a query so that it reads each column by its form. Raises `Misread` where that can't be done."""
    return _reader(database).read(sql)


def cells_left_out(sql: str, database: Database) -> tuple[Assumption, ...]:
    """Say how many cells of the columns that a query reads as numbers hold none."""
    return tuple(
        Assumption(
            "value",
            f"{form.unfit:,} cell{'s' if form.unfit != 1 else ''} of {form.column} "
            f"hold{'s' if form.unfit == 1 else ''} no number: left out.",
        )
        for form in _reader(database).left_out(sql)
    )


def _reader(database: Database) -> FormReader:
    profiles = database.profile()
    kept = _READERS.get(database)
    if kept is None or kept[0] is not profiles:  # the database was read again since
        kept = (profiles, FormReader(database.schema, profiles, database.dialect))
        _READERS[database] = kept
    return kept[1]
