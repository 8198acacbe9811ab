"""Changed copies of a database: rows dropped, repeated and emptied, so that what is equal by luck shows.

Two queries that are equal on the data at hand may differ in what they mean: one counts a column and the other
its rows, one repeats and the other doesn't. On data with empty values, repeated rows and fewer of them, they
part.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from fathom.databases.copies import WorkingCopy, working_copy
from fathom.databases.database import Database
from fathom.databases.thinned_copies import MOST_BYTES, thin
from fathom.records import Table
from fathom.records.schema import NUMERIC

_KEPT = 67
"""Of a hundred rows, how many stay where rows are dropped: enough that most queries still find some."""
_REPEATED, _EMPTIED = 5, 7
"""Every so manieth row is repeated, and every so manieth value emptied; coprime, so that both meet."""
_FORM = "1"
"""Part of a copy's name: another whenever these rules change."""


def changed_copies(database: Database, folder: Path) -> tuple[Path, ...]:
    """Files of two changed copies, made in the folder unless they are there: one thinned, one with repeated
    rows and empty values. Every time the same for the same data.

    None of a server's database, or of a file of more than 300 MB. Raises `DatabaseError` where the file can't
    be copied or changed; nothing is kept then.
    """
    file = database.file
    if file is None or file.stat().st_size > MOST_BYTES:
        return ()
    mark = hashlib.sha256(f"{_FORM} {file.resolve()} {database.state()}".encode()).hexdigest()[:24]
    places = tuple(folder / f"{mark}-{name}{file.suffix}" for name in ("dropped", "repeated"))
    if not all(place.exists() for place in places):
        folder.mkdir(parents=True, exist_ok=True)
        for place, change in zip(places, (_drop, _repeat_and_empty), strict=True):
            with working_copy(database) as copy:
                change(copy, database)
                _keep(copy, place)
    return places


def _keep(copy: WorkingCopy, place: Path) -> None:
    """Put a copy into its place, whole or not at all: another process may be making the same."""
    copy.close()
    partial = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        shutil.copy(copy.file, partial)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)


def _drop(copy: WorkingCopy, database: Database) -> None:
    thin(copy, database, _KEPT)


def _repeat_and_empty(copy: WorkingCopy, database: Database) -> None:
    referring = {(k.table, c) for k in database.schema.foreign_keys for c in k.columns}
    for table in database.schema.tables:
        if table.is_view:
            continue
        # A change that a key or a rule of the table forbids isn't made.
        for sql in (*_emptied(database, table, referring), *_repeated(database, table)):
            copy.attempt(sql)


def _emptied(database: Database, table: Table, referring: set[tuple[str, str]]) -> Iterator[str]:
    """Empty values in each column that may have some, at other rows each; keys stay whole."""
    keys = {*table.primary_key, *(name for columns in table.unique for name in columns)}
    for number, column in enumerate(table.columns):
        if column.nullable and column.name not in keys and (table.name, column.name) not in referring:
            name = _column(database, table, column.name)
            yield (
                f"UPDATE {database.identifier(table.name)} SET {name} = NULL "
                f"WHERE (rowid * 31 + {number * 3}) % {_EMPTIED} = 0"
            )


def _repeated(database: Database, table: Table) -> Iterator[str]:
    """Rows that are there once more: alike but for a single number that identifies them."""
    name, where = database.identifier(table.name), f"WHERE (rowid * 17 + 3) % {_REPEATED} = 0"
    key = table.primary_key[0] if len(table.primary_key) == 1 else None
    if key is None and not table.primary_key and not table.unique:
        yield f"INSERT INTO {name} SELECT * FROM {name} {where}"
    elif key is not None and not _others(table.unique, key) and table.column(key).kind in NUMERIC:
        columns = [_column(database, table, c.name) for c in table.columns]
        number = _column(database, table, key)
        shifted = [f"{c} + (SELECT MAX({c}) FROM {name})" if c == number else c for c in columns]
        yield (
            f"INSERT INTO {name} ({', '.join(columns)}) SELECT {', '.join(shifted)} FROM {name} {where} "
            f"AND {number} > 0"
        )


def _others(unique: Sequence[Sequence[str]], key: str) -> bool:
    return any(tuple(columns) != (key,) for columns in unique)


def _column(database: Database, table: Table, column: str) -> str:
    """A column's name alone, quoted."""
    whole = database.identifier(table.name, column)
    return whole.removeprefix(f"{database.identifier(table.name)}.")
