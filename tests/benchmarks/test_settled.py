import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.settled import with_settled
from fathom.errors import InputError
from tests.command import Fathom


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "d.sqlite")) as made, made:
        made.execute("CREATE TABLE t (a)")
        made.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
    asked = [
        {"id": str(i), "question": "How many?", "database": "d.sqlite", "gold": ["SELECT COUNT(*) FROM t"]}
        for i in range(4)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in asked))
    said = [{"id": str(i), "sql": "SELECT SUM(a) FROM t"} for i in range(4)]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(p) + "\n" for p in said))
    return tmp_path


def settle(folder: Path, *told: dict[str, object]) -> Path:
    file = folder / "settled.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    return file


SETTLED: tuple[dict[str, object], ...] = (
    {"id": "0", "decision": "gold_right"},
    {"id": "1", "decision": "gold_wrong", "gold": ["SELECT SUM(a) FROM t"]},
    {"id": "2", "decision": "gold_wrong"},
    {"id": "3", "decision": "ambiguous"},
)


def test_corrected_gold_counts_and_what_is_at_fault_is_left_out(fathom: Fathom, folder: Path) -> None:
    file = settle(folder, *SETTLED)
    words = ("score", folder / "q.jsonl", folder / "p.jsonl")
    before = json.loads(fathom(*words, "--json").out)
    after = json.loads(fathom(*words, "--json", "--settled", file).out)
    assert (before["n"], before["correct"]) == (4, 0)
    assert (after["n"], after["correct"]) == (2, 1)
    assert after["settled"] == {"corrected": ["1"], "left_out": ["2", "3"]}
    shown = fathom(*words, "--settled", file).out
    assert "1 with corrected gold, 2 left out as at fault" in shown


def test_what_does_not_fit_is_told(folder: Path) -> None:
    loaded = load_benchmark(str(folder / "q.jsonl"))
    with pytest.raises(InputError, match="no question '9'"):
        with_settled(loaded, settle(folder, {"id": "9", "decision": "ambiguous"}))
    with pytest.raises(InputError, match="must be one of"):
        with_settled(loaded, settle(folder, {"id": "1", "decision": "maybe"}))
