"""A list of the published benchmarks, and checks of a benchmark's gold."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from fathom import registry
from fathom.benchmarks.by_name import Published, data_folder, load_benchmark
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion
from fathom.databases import Database, connect
from fathom.errors import FathomError, QueryError
from fathom.records import Limits

MANY_ROWS = 10_000
Fault = Literal["database", "fails", "empty", "all null", "many rows", "repeats"]


@dataclass(frozen=True, slots=True)
class BenchmarkListing:
    """One registered benchmark: what it is, and its splits, or what is missing."""

    name: str
    about: str
    folder: Path
    comparison: str
    splits: tuple[str, ...]
    needs: str

    @property
    def is_there(self) -> bool:
        """True if it can be loaded now."""
        return bool(self.splits)


@dataclass(frozen=True, slots=True)
class GoldFault:
    """A gold query that fails (`database`, `fails`), gives nothing (`empty`), or looks wrong."""

    id: str
    fault: Fault
    detail: str
    sql: str

    @property
    def is_certain(self) -> bool:
        """True if no prediction can be judged by it; else it only looks wrong."""
        return self.fault in ("database", "fails")


def list_benchmarks(data: Path | None = None) -> list[BenchmarkListing]:
    """Every registered benchmark with what is there of it and what it needs."""
    found = []
    for name in registry.names("benchmarks"):
        published: Published = registry.load("benchmarks", name)
        folder = data_folder(data) / published.folder
        splits: tuple[str, ...] = ()
        needs = f"{published.layout.needs}, in {folder}"
        if folder.is_dir():
            try:
                splits = load_benchmark(name, data=data).splits
            except FathomError as error:
                needs = str(error)
        found.append(
            BenchmarkListing(name, published.about, folder, published.layout.comparison, splits, needs)
        )
    return found


def check_gold(
    benchmark: Benchmark, *, seconds: float = 30.0, limit: int | None = None
) -> Iterator[GoldFault | None]:
    """Run every gold query; one item a query, None where nothing is wrong with it.

    Raises `InputError` where the benchmark's own files are malformed.
    """
    databases: dict[str, Database | str] = {}
    try:
        for position, question in enumerate(benchmark):
            if limit is not None and position >= limit:
                return
            for sql in question.gold:
                yield _check(question, sql, databases, seconds)
    finally:
        for opened in databases.values():
            if isinstance(opened, Database):
                opened.close()


def _check(
    question: BenchmarkQuestion, sql: str, databases: dict[str, Database | str], seconds: float
) -> GoldFault | None:
    database = _opened(question.database, databases)
    if isinstance(database, str):
        return GoldFault(question.id, "database", database, sql)
    rows: list[tuple[object, ...]] = []
    count = 0
    try:
        with database.stream(sql, Limits(seconds, None, None)) as stream:
            for row in chain.from_iterable(stream):
                count += 1
                if count <= MANY_ROWS:
                    rows.append(row)
    except QueryError as error:
        return GoldFault(question.id, "fails", str(error), sql)
    return _suspicious(question, sql, rows, count)


def _suspicious(
    question: BenchmarkQuestion, sql: str, rows: list[tuple[object, ...]], count: int
) -> GoldFault | None:
    """Find the fault in a result of so many rows, of which the first are given; None where there is none."""
    if not count:
        return GoldFault(question.id, "empty", "returns no rows", sql)
    if all(value is None for row in rows for value in row):
        return GoldFault(question.id, "all null", f"{count} rows hold nothing but NULL", sql)
    if count > MANY_ROWS:
        return GoldFault(question.id, "many rows", f"returns {count:,} rows", sql)
    different = len(set(map(repr, rows)))
    if count > 1 and different == 1:
        return GoldFault(question.id, "repeats", f"returns the same row {count} times", sql)
    return None


def _opened(name: str, databases: dict[str, Database | str]) -> Database | str:
    if name not in databases:
        try:
            databases[name] = connect(name)
        except FathomError as error:
            databases[name] = str(error)
    return databases[name]
