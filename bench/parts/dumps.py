"""The messy databases, made from the dumps beside their questions."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

MESSY = Path(__file__).parent.parent / "questions" / "messy"


def made(name: str, folder: Path) -> Path:
    """Make one of the databases from its dump."""
    file = folder / f"{name}.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress((MESSY / f"{name}.sql.gz").read_bytes()).decode())
    return file
