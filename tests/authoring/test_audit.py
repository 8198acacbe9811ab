import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.command import Fathom

from fathom.authoring.audit import KINDS, AuditFinding, audit, findings_markdown, write_findings
from fathom.benchmarks import load_benchmark
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question

CASES = [
    ("SELECT name FROM gene WHERE id = 1", "What is gene 1 called?", None),
    ("SELECT nme FROM gene", "Name the genes", "gold_fails"),
    ("SELECT name FROM gene WHERE id = 99", "What is gene 99 called?", "gold_empty"),
    ("SELECT MAX(id) FROM gene WHERE id > 99", "The greatest above 99?", "gold_empty"),
    ("SELECT id FROM gene WHERE chr = 'X'", "What are the names of genes on X?", "ids_for_names"),
    ("SELECT id, name FROM gene WHERE chr = 'X'", "Give the ids and names of genes on X", None),
    ("SELECT id FROM gene WHERE chr = 'X'", "Give the ids and names of genes on X", "item_not_returned"),
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
        runs = [
            evaluate(file, m, RunOptions(out=folder / m.__name__, executor=pool)).folder
            for m in (one, two, three)
        ]
    found = [f for f in audit(load_benchmark(file), runs=runs) if f.kind == "methods_agree"]
    assert [f.id for f in found] == ["0"]
    assert found[0].evidence == "2 of 3 runs agree: one, two"


def test_a_database_that_is_not_here_accuses_no_gold(folder: Path, fathom: Fathom) -> None:
    lines = [
        {"id": "0", "question": "Which?", "database": "g.sqlite", "gold": ["SELECT nme FROM gene"]},
        {"id": "1", "question": "Which?", "database": "away.sqlite", "gold": ["SELECT nme FROM gene"]},
        {"id": "2", "question": "Which?", "database": "away.sqlite", "gold": ["SELECT name FROM gene"]},
    ]
    file = folder / "b.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    judged: list[bool] = []
    assert [f.id for f in audit(load_benchmark(file), advance=judged.append)] == ["0"]
    assert judged == [True, False, False]
    told = fathom("audit", file, "--out", folder / "f.md").out
    assert told.startswith(
        "1 questions judged, 1 with suspect gold; 2 not judged: their databases aren't here."
    )
    assert "1 questions. 2 not judged" in (folder / "f.md").read_text(encoding="utf-8")
    assert fathom("audit", file, "--database", "g").out.startswith("1 questions, 1 with suspect gold.")
    assert fathom("audit", file, "--database", "away").out.startswith("0 questions judged, 0 with suspect")
    assert fathom("audit", file, "--database", "nowhere").code == 1


def test_findings_are_written_to_be_settled_and_to_be_read(folder: Path) -> None:
    finding = AuditFinding("1", "gold_empty", "<b>Which?</b>", "g", "SELECT\n1", "no row", {"rows": 0})
    write_findings([finding], folder / "f.jsonl")
    content = json.loads((folder / "f.jsonl").read_text(encoding="utf-8"))
    assert content["decision"] is None
    assert content["kind"] == "gold_empty"
    text = findings_markdown([finding])
    assert "&lt;b&gt;Which?&lt;/b&gt;" in text
    assert "    SELECT\n    1\n" in text
    assert all(kind in text for kind in KINDS)


def test_suspicions_are_held_against_labels(tmp_path: Path, fathom: Fathom) -> None:
    (tmp_path / "genes").mkdir()
    with sqlite3.connect(tmp_path / "genes" / "genes.sqlite") as made:
        made.execute("CREATE TABLE gene (name TEXT)")
        made.execute("INSERT INTO gene VALUES ('APOE')")
    made.close()
    kind = [{"error_type": "Value-Related Errors"}]
    rows = [
        {"sql": "SELECT nope FROM gene", "label": False, "error_types": kind},
        {"sql": "SELECT name FROM gene WHERE name = 'TP53'", "label": True},
        {"sql": "SELECT COUNT(*) FROM gene", "label": False, "error_types": kind},
        {"sql": "SELECT name FROM gene", "label": True},
    ]
    about = {"question": "Which genes?", "db_id": "genes"}
    lines = [about | row for row in rows] + [about | rows[0] | {"db_id": "elsewhere"}]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = json.loads(fathom("audit", "--labelled", file, "--data", tmp_path, "--json").out)
    counts = {name: (rate["hits"], rate["n"]) for name, rate in found["rates"].items()}
    assert counts == {
        "accuracy": (2, 4),
        "precision (NP)": (1, 2),
        "recall (NR)": (1, 2),
        "precision of right (PP)": (1, 2),
        "recall of right (PR)": (1, 2),
    }
    assert found["unjudged"] == 1
    assert found["kinds"]["gold_fails"] == {"wrong": 1, "right": 0}
    assert found["errors"]["Value-Related Errors"]["hits"] == 1
    assert "not judged" in fathom("audit", "--labelled", file, "--data", tmp_path).out
    assert fathom("audit").code == 1


def test_the_most_certain_suspicions_come_first() -> None:
    def agreed(runs: int) -> AuditFinding:
        return AuditFinding(f"{runs}", "methods_agree", "?", "d", "", "", {"runs": ["r"] * runs, "asked": 6})

    fails = AuditFinding("f", "gold_fails", "?", "d", "", "")
    found = sorted([agreed(3), agreed(6), fails, agreed(4)], key=lambda one: one.order)
    assert [one.id for one in found] == ["f", "6", "4", "3"]
