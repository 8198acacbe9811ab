import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fathom.authoring.audit import KINDS, Finding, audit, findings_markdown, write_findings
from fathom.benchmarks import load_benchmark
from fathom.evaluation.runs.running import evaluate
from fathom.records import Question

CASES = [
    ("SELECT name FROM gene WHERE id = 1", "What is gene 1 called?", None),
    ("SELECT nme FROM gene", "Name the genes", "gold_fails"),
    ("SELECT name FROM gene WHERE id = 99", "What is gene 99 called?", "gold_empty"),
    ("SELECT MAX(id) FROM gene WHERE id > 99", "The greatest above 99?", "gold_empty"),
    ("SELECT id FROM gene WHERE chr = 'X'", "What are the names of genes on X?", "ids_for_names"),
    ("SELECT id FROM gene WHERE chr = 'X'", "Give the ids and names of genes on X", None),
    ("SELECT name FROM gene WHERE chr = 'x'", "Genes on X", "value_not_found"),
    ("SELECT name FROM gene ORDER BY chr LIMIT 1", "The gene with the lowest chromosome", "limit_ties"),
    ("SELECT name FROM gene ORDER BY id LIMIT 1", "The first gene", None),
    ("SELECT name FROM gene LIMIT 2", "Two genes", "limit_unordered"),
    ("SELECT name FROM gene LIMIT 20", "Some genes", None),
    ("SELECT name, RANDOM() FROM gene", "Genes", "gold_unstable"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    connection = sqlite3.connect(tmp_path / "g.sqlite")
    connection.execute("CREATE TABLE gene (id INTEGER PRIMARY KEY, name TEXT, chr TEXT)")
    connection.executemany("INSERT INTO gene VALUES (?, ?, ?)", [(i, f"G{i}", "1X"[i % 2]) for i in range(6)])
    connection.commit()
    connection.close()
    return tmp_path


def _benchmark(folder: Path, cases: list[tuple[str, str]]) -> Path:
    file = folder / "b.jsonl"
    lines = [
        {"id": str(i), "question": question, "database": "g.sqlite", "gold": [sql]}
        for i, (sql, question) in enumerate(cases)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize(("sql", "question", "kind"), CASES)
def test_each_suspicion(folder: Path, sql: str, question: str, kind: str | None) -> None:
    found = list(audit(load_benchmark(_benchmark(folder, [(sql, question)]))))
    kinds = {f.kind for f in found}
    assert kind in kinds if kind else not kinds, found


def test_the_value_in_other_case_is_evidence(folder: Path) -> None:
    file = _benchmark(folder, [("SELECT name FROM gene WHERE chr = 'x'", "Genes on X")])
    told = {f.kind: f.evidence for f in audit(load_benchmark(file))}
    assert told["value_not_found"] == "gene.chr never holds 'x'; it holds 'X'"


def test_methods_that_agree_against_gold(folder: Path) -> None:
    file = _benchmark(
        folder, [("SELECT 'wrong'", "Genes?"), ("SELECT name FROM gene WHERE id = 1", "Gene 1?")]
    )

    def one(question: Question) -> str:
        return "SELECT name FROM gene WHERE id = 1"

    def two(question: Question) -> str:
        return "SELECT g.name FROM gene g WHERE g.id = 1"

    def three(question: Question) -> str:
        return "SELECT 'other'"

    with ThreadPoolExecutor(1) as pool:
        runs = [evaluate(file, m, out=folder / m.__name__, executor=pool).folder for m in (one, two, three)]
    found = [f for f in audit(load_benchmark(file), runs=runs) if f.kind == "methods_agree"]
    assert [f.id for f in found] == ["0"]
    assert found[0].evidence == "2 of 3 runs agree: one, two"


def test_findings_are_written_to_be_settled_and_to_be_read(folder: Path) -> None:
    finding = Finding("1", "gold_empty", "<b>Which?</b>", "g", "SELECT\n1", "no row", {"rows": 0})
    write_findings([finding], folder / "f.jsonl")
    content = json.loads((folder / "f.jsonl").read_text(encoding="utf-8"))
    assert content["decision"] is None
    assert content["kind"] == "gold_empty"
    text = findings_markdown([finding])
    assert "&lt;b&gt;Which?&lt;/b&gt;" in text
    assert "    SELECT\n    1\n" in text
    assert all(kind in text for kind in KINDS)
