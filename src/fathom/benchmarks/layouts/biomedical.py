"""BiomedSQL: a CSV file of questions with SQL and an answer in words (Koretsky et al. 2025)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from fathom.benchmarks.layouts.layout import Layout
from fathom.benchmarks.record_files import csv_records
from fathom.benchmarks.records import BenchmarkQuestion

DIALECT = "bigquery"
_REQUIRED = ("question", "sql_query")
_CATEGORIES = ("sql_category", "bio_category", "SQL Category", "Bio Category", "query_type")


def _splits(folder: Path) -> Mapping[str, Path]:
    found = {}
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8-sig", errors="ignore") as stream:
            header = stream.readline().strip().split(",")
        if set(_REQUIRED) <= set(header):
            found[file.stem] = file
    return found


def _read(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    from fathom.benchmarks.translation import engine_of, translated  # noqa: PLC0415, scoring counts its start

    # Gold is BigQuery's: on a file of another engine it runs translated, as predictions in files do.
    database = next((str(f) for e in ("duckdb", "sqlite", "db") for f in sorted(folder.glob(f"*.{e}"))), None)
    engine = engine_of(database or "")
    for position, record in enumerate(csv_records(file, _REQUIRED)):
        sql = record.text("sql_query")
        tags = [tag.strip() for name in _CATEGORIES for tag in record.optional(name).split(",")]
        yield BenchmarkQuestion(
            id=record.optional("uuid", "id", "question_id") or str(position),
            text=record.text("question"),
            database=database or "biomedsql",
            gold=(translated(sql, DIALECT, engine) if engine else sql,),
            tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
            database_name="biomedsql",
            answer=record.optional("answer"),
        )


BIOMEDSQL = Layout(
    name="biomedsql",
    comparison="biomedsql",
    needs="a CSV file with columns question, sql_query, answer, and the knowledge base as a .duckdb file (or "
    "its URL under [databases] biomedsql in the settings)",
    splits=_splits,
    read=_read,
    preferred=("dev", "test", "train"),
    dialect=lambda split: DIALECT,
)
