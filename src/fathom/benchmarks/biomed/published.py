"""Load the published tables of BiomedSQL from Parquet files where a user has them."""

import os
from pathlib import Path

import duckdb

from fathom.benchmarks.biomed.knowledge_base import Progress
from fathom.benchmarks.biomed.progress_bar import hide_progress_bar
from fathom.benchmarks.biomed.tables import COLUMNS
from fathom.errors import InputError, InputErrors, did_you_mean


def build_published(folder: str | Path, path: str | Path, *, progress: Progress | None = None) -> Path:
    """Make a DuckDB file at `path` from a folder of Parquet files, one or several a table.

    A table's files are `<table>.parquet`, `<table>*.parquet` (shards), or any Parquet file in a folder named
    after it. Raises `InputErrors` that name every table and column missing, and `FileExistsError` rather
    than replace a file.
    """
    target = Path(path)
    if target.exists():
        raise FileExistsError(f"{target} exists; the knowledge base is made as a new file.")
    files = _files(Path(folder))
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(partial)) as connection:
            hide_progress_bar(connection)
            _check_columns(connection, files)
            for done, (table, found) in enumerate(files.items(), 1):
                columns = ", ".join(f'CAST("{c}" AS {t}) AS "{c}"' for c, t in COLUMNS[table].items())
                connection.execute(
                    f'CREATE TABLE "{table}" AS SELECT {columns} FROM read_parquet($files)', {"files": found}
                )
                if progress:
                    progress(table, done, len(files))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _files(folder: Path) -> dict[str, list[str]]:
    found = {
        table: sorted(
            str(f) for f in [*folder.glob(f"{table}*.parquet"), *folder.glob(f"{table}/**/*.parquet")]
        )
        for table in COLUMNS
    }
    if missing := [t for t, files in found.items() if not files]:
        there = [f.stem for f in folder.glob("*.parquet")]
        raise InputErrors(
            [
                InputError(f"no Parquet file for the table {t}.{did_you_mean(t, there)}", file=folder)
                for t in missing
            ]
        )
    return found


def _check_columns(connection: duckdb.DuckDBPyConnection, files: dict[str, list[str]]) -> None:
    problems = []
    for table, found in files.items():
        try:
            there = connection.execute("DESCRIBE SELECT * FROM read_parquet($files)", {"files": found})
        except duckdb.Error as error:
            problems.append(InputError(f"can't be read as Parquet: {error}", file=found[0]))
            continue
        names = [str(row[0]) for row in there.fetchall()]
        folded = {n.casefold() for n in names}
        problems += [
            InputError(f"there is no column {c!r}.{did_you_mean(c, names)}", file=found[0], field=c)
            for c in COLUMNS[table]
            if c.casefold() not in folded
        ]
    if problems:
        raise InputErrors(problems)
