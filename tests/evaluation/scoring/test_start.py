"""Scoring's start is part of every measurement of it: what isn't needed isn't loaded."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from fathom.interfaces.cli import main
try:
    main(["score", sys.argv[1], sys.argv[2], "--workers", "1", "--as", "bird"])
except SystemExit as done:
    assert not done.code
assert "sqlglot" not in sys.modules
"""


def test_no_parser_is_loaded_to_score_predictions_as_bird_does(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "t.sqlite")
    connection.execute("CREATE TABLE t AS SELECT 1 AS n")
    connection.close()
    asked = {"id": "1", "question": "Which?", "database": "t.sqlite", "gold": ["SELECT n FROM t"]}
    (tmp_path / "b.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    (tmp_path / "p.jsonl").write_text(json.dumps({"id": "1", "sql": "SELECT 1;"}) + "\n", encoding="utf-8")
    command = [sys.executable, "-c", CODE, str(tmp_path / "b.jsonl"), str(tmp_path / "p.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
