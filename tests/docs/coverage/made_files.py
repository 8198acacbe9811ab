"""Files that the coverage page speaks of and no command makes: BiomedSQL's as published, a wide database."""

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from zlib import crc32

import duckdb

KNOWLEDGE_BASE = "fathom author knowledge-base kb.duckdb --rows 20000"
PUBLISHED = {
    "How many variants of the study of Alzheimer's disease have p below 1e-5?": (
        "SELECT COUNT(*) FROM `card-ai-389220.bio_sql_benchmark.AlzheimerDisease_CombinedGeneData_UUID` "
        "WHERE SAFE_CAST(p AS FLOAT64) < 1e-5"
    ),
    "Which drugs were first approved before 1950?": (
        "SELECT DISTINCT drugName FROM `card-ai-389220.bio_sql_benchmark."
        "DrugGeneTargets_ComprehensiveAnnotations_updated` WHERE yearOfFirstApproval < 1950"
    ),
    "How many pathways of the study of Parkinson's disease have more than 20 genes?": (
        "SELECT COUNT(*) FROM `card-ai-389220.bio_sql_benchmark.ParkinsonDisease_GeneAssoc_Pathways_UUID` "
        "WHERE size > 20"
    ),
}
"""Questions with gold in the form in which BiomedSQL's is published."""
WIDE = 150
"""The tables of the wide database beside the one that answers."""


def _parquet(shown: Callable[[str], str]) -> None:
    shown(KNOWLEDGE_BASE)
    Path("parquet").mkdir()
    with duckdb.connect("kb.duckdb", read_only=True) as opened:
        for (name,) in opened.execute("SELECT table_name FROM information_schema.tables").fetchall():
            opened.execute(f"COPY \"{name}\" TO 'parquet/{name}.parquet'")


def _published(shown: Callable[[str], str]) -> None:
    shown(KNOWLEDGE_BASE)
    Path("published").mkdir()
    Path("published/kb.duckdb").write_bytes(Path("kb.duckdb").read_bytes())
    with Path("published/triples.csv").open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["uuid", "question", "sql_query", "answer", "sql_category"])
        table.writerows(
            [f"u{n}", q, sql, "As it is.", "Select"] for n, (q, sql) in enumerate(PUBLISHED.items())
        )
    told = {f"u{n}": sql.replace("< 1950", "< 1940") for n, sql in enumerate(PUBLISHED.values())}
    Path("published/predictions.json").write_text(json.dumps(told), encoding="utf-8")


def _scores(shown: Callable[[str], str]) -> None:
    told = [
        json.loads(line) for line in Path("triples/sample.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    scores = [{"id": t["id"], "score": crc32(t["question"].encode()) % 4} for t in told]
    Path("scores.jsonl").write_text("\n".join(map(json.dumps, scores)), encoding="utf-8")


def _wide(shown: Callable[[str], str]) -> None:
    with closing(sqlite3.connect("wide.sqlite")) as made, made:
        made.execute("CREATE TABLE Invoice (InvoiceId INTEGER PRIMARY KEY, BillingCountry TEXT, Total REAL)")
        made.executemany("INSERT INTO Invoice VALUES (?, ?, ?)", [(1, "Canada", 303.96), (2, "USA", 523.06)])
        for n in range(WIDE):
            columns = ", ".join(f"measurement_{n}_{k} REAL" for k in range(40))
            made.execute(f"CREATE TABLE instrument_{n} (id INTEGER PRIMARY KEY, {columns})")


MADE: dict[str, Callable[[Callable[[str], str]], None]] = {
    "parquet": _parquet,
    "published": _published,
    "published/predictions.json": _published,
    "scores.jsonl": _scores,
    "wide.sqlite": _wide,
}
"""How each is made, given what runs a command of the page."""
