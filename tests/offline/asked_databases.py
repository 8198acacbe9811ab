"""The databases of the files in `asked`, made for those who ask them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fathom.databases import Database, connect
from tests.databases import makers
from tests.offline.asked_files import ASKED, Given, databases
from tests.offline.making import made
from tests.offline.rule_databases import file_of


@contextmanager
def opened(given: Given, folder: Path) -> Iterator[Database]:
    """A database, made in a folder where it is none of the shared ones."""
    if not given.statements:
        with connect(file_of(given.name, folder)) as database:
            yield database
    elif given.engine == "sqlite":
        with made(";\n".join(given.statements), folder) as database:
            yield database
    else:
        with getattr(makers, f"{given.engine}_databases")(folder) as make:
            yield make(*given.statements)


@contextmanager
def asked_database(file: str, name: str, folder: Path) -> Iterator[Database]:
    """A database of a file in `asked`, for tests that need more than a line there."""
    with opened(databases(ASKED / f"{file}.yaml")[name][0], folder) as database:
        yield database
