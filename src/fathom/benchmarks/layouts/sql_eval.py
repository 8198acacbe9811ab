"""sql-eval: CSV files of questions with several gold queries each, over small databases."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from pathlib import Path

from fathom.benchmarks.layouts.layout import Layout, sqlite_file
from fathom.benchmarks.record_files import csv_records
from fathom.benchmarks.records import BenchmarkQuestion
from fathom.benchmarks.sql_text import pieces, statements

_COLUMNS = ("question", "query", "db_name", "query_category")
_EMPTY_GROUP = re.compile(r"GROUP\s+BY\s*\{\s*\}", re.IGNORECASE)
MOST_ALTERNATIVES = 10


def alternatives(gold: str) -> tuple[str, ...]:
    """The gold queries that one published text stands for (docs/comparisons.md, `sql_eval`).

    Queries are separated by `;`. `{a, b}` in one of them stands for every non-empty subset of these columns
    in their order, fewest first, and `GROUP BY {}` takes the same subset. Raises `ValueError` where braces
    don't close, or list more than `MOST_ALTERNATIVES` columns.
    """
    return tuple(chain.from_iterable(map(_subsets, statements(gold))))


def _subsets(query: str) -> Iterator[str]:
    before, columns, after = _braces(query)
    if not columns:
        yield query
        return
    if len(columns) > MOST_ALTERNATIVES:
        raise ValueError(f"lists {len(columns)} columns to choose from; {MOST_ALTERNATIVES} are the limit")
    for size in range(1, len(columns) + 1):
        for chosen in combinations(columns, size):
            names = ", ".join(chosen)
            grouped = _EMPTY_GROUP.sub(lambda _, names=names: f"GROUP BY {names}", after)  # type: ignore[misc]
            yield before + names + grouped


def _braces(query: str) -> tuple[str, list[str], str]:
    """The text before the first pair of braces, the columns listed in it, and the text after."""
    before: list[str] = []
    columns: list[list[str]] = []
    rest = pieces(query)
    for piece in rest:
        if piece == "{":
            break
        before.append(piece)
    else:
        return query, [], ""
    columns.append([])
    depth = 0
    for piece in rest:
        if piece == "}":
            return "".join(before), ["".join(c).strip() for c in columns], "".join(rest)
        depth += (piece == "(") - (piece == ")")
        if piece == "," and depth == 0:
            columns.append([])
        else:
            columns[-1].append(piece)
    raise ValueError("has a brace that doesn't close")


def _splits(folder: Path) -> Mapping[str, Path]:
    found = {}
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8-sig", errors="ignore") as stream:
            header = stream.readline().strip().split(",")
        if set(_COLUMNS) <= set(header):
            found[_split(file.stem)] = file
    return found


def _split(stem: str) -> str:
    return stem.removeprefix("questions_gen_")


def _dialect(split: str) -> str:
    known = {"postgres", "mysql", "bigquery", "snowflake", "tsql", "sqlite"}
    return next((name for name in known if name in split), "sqlite")


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    for position, record in enumerate(csv_records(file, _COLUMNS)):
        name, category = record.text("db_name"), record.optional("query_category")
        # The unanswerable ones come in a file of their own, with a refusal in the place of a query.
        answerable = "idk" not in file.stem
        try:
            gold = alternatives(record.text("query")) if answerable else ()
        except ValueError as error:
            raise record.wrong(str(error), "query") from None
        engine = record.optional("db_type") or _dialect(split)
        yield BenchmarkQuestion(
            id=f"{split}-{position}",
            text=record.text("question"),
            database=sqlite_file(name, folder / "sqlite", folder) if engine == "sqlite" else name,
            gold=gold,
            evidence=record.optional("instructions"),
            tags=(category,) if category else (),
            answerable=answerable,
            database_name=name,
        )


def _packs(folder: Path, database_name: str) -> tuple[Path, ...]:
    file = folder / "descriptions" / f"{database_name}.json"
    return (file,) if file.is_file() and "table_metadata" in json.loads(file.read_text("utf-8")) else ()


SQL_EVAL = Layout(
    name="sql-eval",
    comparison="sql_eval",
    needs="questions_gen_<dialect>.csv and sqlite/<db_name>.sqlite, or the database's URL in the settings",
    splits=_splits,
    read=_read,
    preferred=("sqlite", "postgres"),
    dialect=_dialect,
    packs=_packs,
)
