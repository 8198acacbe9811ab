"""Copies of embedded databases in a temporary folder, for what may not be tried on the data themselves."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fathom.databases.connection import connect
from fathom.databases.database import Database
from fathom.errors import DatabaseError, QueryFailed


class WorkingCopy:
    """A copy that may be changed, by statements of our own alone; queries go through `database`, as always.

    The open database is closed before each change, so ask for it anew afterwards.
    """

    def __init__(self, file: Path, dialect: str) -> None:
        self.file, self._dialect = file, dialect
        self._opened: Database | None = None

    @property
    def database(self) -> Database:
        """The copy, open for reading only."""
        if self._opened is None:
            self._opened = connect(self.file)
        return self._opened

    def execute(self, *statements: str) -> list[tuple[object, ...]]:
        """Run statements that may write; the rows of the last one. Raises `QueryFailed`."""
        self.close()
        if self._dialect == "sqlite":
            with closing(sqlite3.connect(self.file)) as connection, connection:
                connection.execute("PRAGMA trusted_schema=off")
                connection.execute("PRAGMA synchronous=off")  # nobody needs the copy after a power failure
                return _last_rows(connection.execute, statements, sqlite3.Error)
        import duckdb  # noqa: PLC0415 - slow to import

        with closing(duckdb.connect(str(self.file), config={"enable_external_access": "false"})) as opened:
            return _last_rows(opened.execute, statements, duckdb.Error)

    def attempt(self, statement: str) -> bool:
        """Run a statement that the table's own rules may forbid; whether it ran.

        Raises `QueryFailed` for every other reason, such as a disk that is full.
        """
        try:
            self.execute(statement)
        except QueryFailed as failed:
            if not _is_forbidden(failed.__cause__):
                raise
            return False
        return True

    def bytes_used(self) -> int:
        """The size of what the file holds, free pages apart."""
        if self._dialect == "sqlite":
            (pages,), (free,), (size,) = (
                self.execute(f"PRAGMA {name}")[0] for name in ("page_count", "freelist_count", "page_size")
            )
            return (int(str(pages)) - int(str(free))) * int(str(size))
        found = self.execute("CHECKPOINT", "SELECT used_blocks * block_size FROM pragma_database_size()")
        return int(str(found[0][0]))

    def close(self) -> None:
        """Close the open database; the copy stays."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


@contextmanager
def working_copy(database: Database) -> Iterator[WorkingCopy]:
    """A copy of a SQLite or DuckDB file that is deleted afterwards. Raises `DatabaseError` for servers."""
    if database.file is None:
        raise DatabaseError(
            f"{database.name} is on a server, where nothing can be tried on a copy. Copy the tables in"
            " question into a SQLite or DuckDB file, and name that."
        )
    with TemporaryDirectory(prefix="fathom-copy-") as folder:
        file = Path(folder) / f"copy{database.file.suffix}"
        _copy(database.file, file, database.dialect)
        copy = WorkingCopy(file, database.dialect)
        try:
            yield copy
        finally:
            copy.close()


def _copy(source: Path, target: Path, dialect: str) -> None:
    try:
        if dialect == "sqlite":  # page by page, with what is still in the write-ahead log
            with (
                closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as opened,
                closing(sqlite3.connect(target)) as new,
            ):
                opened.backup(new)
            return
        shutil.copy(source, target)
        log = source.with_name(source.name + ".wal")
        if log.exists():
            shutil.copy(log, target.with_name(target.name + ".wal"))
    except (OSError, sqlite3.Error) as error:
        raise DatabaseError(f"{source} can't be copied: {error}") from error


def _is_forbidden(error: BaseException | None) -> bool:
    """True if a driver's error comes from the statement and the table's rules, not from the file."""
    if isinstance(error, sqlite3.IntegrityError):
        return True
    if isinstance(error, sqlite3.Error):
        # The lowest byte is the kind; 1 is a statement that doesn't fit the table, such as one without rowid.
        return getattr(error, "sqlite_errorcode", 1) & 0xFF == sqlite3.SQLITE_ERROR
    import duckdb  # noqa: PLC0415 - slow to import

    broken = duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException, duckdb.InternalException
    return isinstance(error, duckdb.Error) and not isinstance(error, broken)


def _last_rows(
    execute: Callable[[str], Any], statements: tuple[str, ...], errors: type[Exception]
) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for sql in statements:
        try:
            rows = execute(sql).fetchall()
        except errors as error:
            raise QueryFailed(str(error), sql=sql) from error
    return rows
