import json
import sqlite3
from pathlib import Path

import pytest

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.gold_checks import check_gold, list_benchmarks
from tests.command import Fathom
from tests.data import DATA, needed

CASES = {
    "SELECT nope FROM t": "fails",
    "DELETE FROM t": "fails",
    "SELECT n FROM t WHERE n > 9": "empty",
    "SELECT max(n) FROM t WHERE n > 9": "all null",
    "SELECT 1 FROM t": "repeats",
    "SELECT n FROM t": None,
    "SELECT a.n FROM t a, t b, t c, t d, t e, t f, t g, t h, t i": "many rows",
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (n)")
        connection.executemany("INSERT INTO t VALUES (?)", [(1,), (2,), (3,)])
    connection.close()
    entries = [{"id": sql, "question": "?", "database": "t.sqlite", "gold": [sql]} for sql in CASES] + [
        {"id": "lost", "question": "?", "database": "none.sqlite", "gold": ["SELECT 1"]}
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    return file


def test_gold_that_fails_or_looks_wrong_is_reported(own: Path) -> None:
    found = list(check_gold(load_benchmark(own)))
    assert [f.fault if f else None for f in found] == [*CASES.values(), "database"]


def test_the_command_reports_and_fails(own: Path, fathom: Fathom) -> None:
    done = fathom("benchmarks", "check", own, "--json")
    told = json.loads(done.out)
    assert done.code == 1
    assert (told["checked"], told["faults"]["fails"]) == (8, 2)


def test_geoquery_has_the_faults_that_are_known() -> None:
    needed("geoquery")
    found = [f for f in check_gold(load_benchmark("geoquery", "all", data=DATA)) if f]
    failing = {f.id: f.detail for f in found if f.fault == "fails"}
    assert "DERIVED_TABLEalias1.STATE_NAME" in failing["37.0"]
    assert sum(f.fault == "empty" for f in found) > 20


def test_what_is_missing_is_listed_with_what_it_needs(tmp_path: Path, fathom: Fathom) -> None:
    assert not any(b.is_there for b in list_benchmarks(tmp_path))
    done = fathom("benchmarks", "--data", tmp_path)
    assert done.code == 0
    assert "dev_databases/<db_id>" in done.out
    assert "Set FATHOM_DATA" in done.out
