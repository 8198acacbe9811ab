"""Thinned copies: the same schema over fewer rows, so that what is equal by chance of the data shows."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from fathom.databases.copies import WorkingCopy, working_copy
from fathom.databases.database import Database
from fathom.records import ForeignKey

MOST_BYTES = 300_000_000
_KEPT = (67, 20)
_PASSES = 5


@contextmanager
def thinned_copies(database: Database) -> Iterator[list[Database]]:
    """Two copies, with about two thirds and a fifth of each table's rows and declared keys kept whole.

    None of a server's database, or of a file of more than 300 MB.
    """
    file = database.file
    with ExitStack() as stack:
        copies: list[Database] = []
        if file is not None and file.stat().st_size <= MOST_BYTES:
            for percent in _KEPT:
                copy = stack.enter_context(working_copy(database))
                thin(copy, database, percent)
                copies.append(copy.database)
        yield copies


def thin(copy: WorkingCopy, database: Database, percent: int) -> None:
    """Delete rows from a copy of the database: about so many per cent stay, and declared keys whole.

    Raises `QueryFailed` where the copy can't be written to.
    """
    # A table that can't be thinned stays whole: one without row ids, or whose rows the engine holds on to.
    targets = {key.target_table for key in database.schema.foreign_keys if not key.inferred}
    for table in sorted(database.schema.tables, key=lambda t: t.name in targets):
        if not table.is_view:
            name = database.identifier(table.name)
            copy.attempt(f"DELETE FROM {name} WHERE (rowid * 7919 + 31) % 101 >= {percent}")
    orphans = [_orphans(database, key) for key in database.schema.foreign_keys if not key.inferred]
    for _ in range(_PASSES if database.dialect == "sqlite" else 0):  # which doesn't heed them by itself
        for sql in orphans:
            copy.attempt(sql)


def _orphans(database: Database, key: ForeignKey) -> str:
    """Delete the rows that refer to one that is gone."""
    table, target = database.identifier(key.table), database.identifier(key.target_table)
    pairs = list(zip(key.columns, key.target_columns, strict=False))
    own = [database.identifier(key.table, column) for column, _ in pairs]
    there = [
        f"target.{database.identifier(key.target_table, c).removeprefix(f'{target}.')}" for _, c in pairs
    ]
    given = " AND ".join(f"{column} IS NOT NULL" for column in own)
    same = " AND ".join(f"{a} = {b}" for a, b in zip(there, own, strict=True))
    return f"DELETE FROM {table} WHERE {given} AND NOT EXISTS (SELECT 1 FROM {target} AS target WHERE {same})"
