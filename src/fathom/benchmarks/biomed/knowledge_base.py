"""Make the sample knowledge base, chunk by chunk, as a DuckDB or SQLite file."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import duckdb

from fathom.benchmarks.biomed import drugs, facts, genetics, tables
from fathom.benchmarks.biomed.genome import Genome
from fathom.benchmarks.biomed.more_tables import more_sources
from fathom.benchmarks.biomed.progress_bar import hide_progress_bar
from fathom.benchmarks.biomed.tables import ALL_COLUMNS, PUBLISHED, Chunk, RowSource
from fathom.benchmarks.biomed.variants import Universe
from fathom.errors import ConfigError
from fathom.knowledge import KnowledgePack, load_packs

Progress = Callable[[str, int, int], None]
FEWEST_ROWS = 20_000
DEMO_ROWS = 200_000
TABLES, MORE_TABLES = 10, 20
"""How many tables were published, and how many there are with those that make selection harder."""
_CHUNK = 1 << 18
_FEWEST_DRUGS = 1_000


def sources(rows: int, seed: int, table_count: int = TABLES) -> tuple[RowSource, ...]:
    """The tables of a knowledge base, the ten published ones with about so many rows in their proportions.

    Small ones hold all the drugs and pathways even so.
    """
    share = rows / sum(PUBLISHED.values())
    count = {table: round(n * share) for table, n in PUBLISHED.items()}
    genome = Genome(seed)
    loci = len(facts.loci())
    partners = min(max(count[tables.PD_GWAS] // (10 * loci), 4), 3_000)
    universe = Universe(seed, genome, count[tables.FREQUENCIES], partners)
    pharmacy = drugs.Pharmacy(seed, min(max(count[tables.DRUGS], _FEWEST_DRUGS), PUBLISHED[tables.DRUGS]))
    larger = count[tables.AD_GWAS]
    further = more_sources(universe, genome, pharmacy, seed, share) if table_count > TABLES else ()
    return (
        genetics.association(universe, seed, "AD", larger, larger),
        genetics.association(universe, seed, "PD", count[tables.PD_GWAS], larger),
        genetics.frequencies(universe),
        genetics.smr(universe, seed, count[tables.SMR]),
        genetics.pathways(genome, seed, "AD", PUBLISHED[tables.AD_PATHWAYS]),
        genetics.pathways(genome, seed, "PD", PUBLISHED[tables.PD_PATHWAYS]),
        drugs.annotations(pharmacy),
        drugs.indications(pharmacy, count[tables.INDICATIONS]),
        drugs.licenses(pharmacy, min(count[tables.LICENSES], PUBLISHED[tables.LICENSES])),
        drugs.dosages(pharmacy, count[tables.DOSAGES]),
        *further,
    )


def build(
    path: str | Path,
    *,
    rows: int = DEMO_ROWS,
    seed: int = 7,
    table_count: int = TABLES,
    chunk_rows: int = _CHUNK,
    progress: Progress | None = None,
) -> Path:
    """Make a knowledge base of about `rows` rows at `path`; DuckDB, or SQLite by the ending .sqlite or .db.

    The same rows and seed give the same content, whatever `chunk_rows`, which bounds the memory. The file
    appears whole or not at all. `progress` hears (table, rows done, rows in all). With a `table_count` of 20
    there are ten tables more, beside those rows. Raises `ConfigError` for fewer than 20,000 rows or another
    count of tables, and `FileExistsError` rather than replace a file.
    """
    if table_count not in (TABLES, MORE_TABLES):
        raise ConfigError(
            f"The sample knowledge base has {TABLES} or {MORE_TABLES} tables, not {table_count}."
        )
    if rows < FEWEST_ROWS:
        raise ConfigError(f"The sample knowledge base needs at least {FEWEST_ROWS:,} rows, not {rows:,}.")
    target = Path(path)
    if target.exists():
        raise FileExistsError(f"{target} exists; the sample knowledge base is made as a new file.")
    return write(target, sources(rows, seed, table_count), chunk_rows=chunk_rows, progress=progress)


def write(
    target: Path, made: Iterable[RowSource], *, chunk_rows: int = _CHUNK, progress: Progress | None = None
) -> Path:
    """Write tables to a new file, which appears whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    found = tuple(made)
    total, done = sum(s.rows for s in found), 0
    try:
        with closing(_writer(partial, target.suffix)) as writer:
            for source in found:
                writer.create(source.table)
                for start, stop in _ranges(source.rows, chunk_rows):
                    writer.append(source, source.chunk(start, stop))
                    done += stop - start
                    if progress:
                        progress(source.table, done, total)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _ranges(rows: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, rows)) for start in range(0, rows, size))


class _TableWriter(Protocol):
    def create(self, table: str) -> None: ...
    def append(self, source: RowSource, chunk: Chunk) -> None: ...
    def close(self) -> None: ...


def _writer(path: Path, suffix: str) -> _TableWriter:
    return _SqliteWriter(path) if suffix in (".sqlite", ".db", ".sqlite3") else _DuckDBWriter(path)


class _DuckDBWriter:
    """Writes chunks to a DuckDB file, with the descriptions of the knowledge pack as comments."""

    def __init__(self, path: Path) -> None:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": 2,
            "memory_limit": "700MB",
            "temp_directory": str(path) + ".tmp",
        }
        self._connection = duckdb.connect(str(path), config=settings)
        hide_progress_bar(self._connection)
        self._pack = load_packs("biomed")

    def create(self, table: str) -> None:
        self._connection.execute(f'CREATE TABLE "{table}" ({_declared(table)})')
        for statement in _comments(table, self._pack):
            self._connection.execute(statement)

    def append(self, source: RowSource, chunk: Chunk) -> None:
        self._connection.register("chunk", chunk)
        self._connection.execute(f'INSERT INTO "{source.table}" SELECT {source.select} FROM chunk')
        self._connection.unregister("chunk")

    def close(self) -> None:
        self._connection.close()


class _SqliteWriter:
    """Writes chunks to an SQLite file; DuckDB makes the rows, so that both hold the same."""

    def __init__(self, path: Path) -> None:
        self._rows = duckdb.connect(":memory:")
        hide_progress_bar(self._rows)
        self._connection = sqlite3.connect(path)
        self._connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")

    def create(self, table: str) -> None:
        self._connection.execute(f'CREATE TABLE "{table}" ({_declared(table)})')

    def append(self, source: RowSource, chunk: Chunk) -> None:
        self._rows.register("chunk", chunk)
        cursor = self._rows.execute(f"SELECT {source.select} FROM chunk")
        marks = ", ".join("?" * len(ALL_COLUMNS[source.table]))
        while batch := cursor.fetchmany(10_000):
            self._connection.executemany(f'INSERT INTO "{source.table}" VALUES ({marks})', batch)
        self._rows.unregister("chunk")

    def close(self) -> None:
        self._connection.commit()
        self._connection.close()
        self._rows.close()


def _declared(table: str) -> str:
    return ", ".join(f'"{name}" {kind}' for name, kind in ALL_COLUMNS[table].items())


def _comments(table: str, pack: KnowledgePack) -> Sequence[str]:
    note = pack.table(table)
    if note is None:
        return ()
    said: list[tuple[str, Any]] = [(f'TABLE "{table}"', note.description)]
    said += [(f'COLUMN "{table}"."{c}"', n.description) for c, n in note.columns.items()]
    return [f"COMMENT ON {what} IS '{text.replace(chr(39), chr(39) * 2)}'" for what, text in said if text]
