import io
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import Fathom

from fathom.databases.sqlite import SQLite

MAIN = "from fathom.interfaces.cli import main; main()"


def test_shows_rows(fathom: Fathom, genes: Path) -> None:
    done = fathom("sql", genes, "SELECT symbol, chromosome FROM gene ORDER BY symbol")
    assert done.code == 0
    assert "APOE" in done.out
    assert "3 rows" in done.out


def test_json_and_csv(fathom: Fathom, genes: Path) -> None:
    query = "SELECT symbol FROM gene ORDER BY chromosome"
    found = json.loads(fathom("sql", genes, query, "--json", "--rows", 2).out)
    assert found["rows"] == [["BIN1"], ["SNCA"]]
    assert found["truncated"] == "rows"
    assert fathom("sql", genes, query, "--csv").out.split() == ["symbol", "BIN1", "SNCA", "APOE"]


def test_a_write_is_refused_with_its_reason(fathom: Fathom, genes: Path) -> None:
    before = genes.read_bytes()
    done = fathom("sql", genes, "DELETE FROM gene")
    assert done.code == 1
    assert "Refused" in done.err
    assert "delete" in done.err
    assert genes.read_bytes() == before


def test_errors_say_what_to_do(fathom: Fathom, genes: Path) -> None:
    assert "no file" in fathom("sql", "nowhere.db", "SELECT 1").err
    assert fathom("sql", genes).code == 2
    assert fathom("sqll").code == 2


def test_control_codes_in_cells_stay_visible_text(fathom: Fathom, genes: Path) -> None:
    done = fathom("sql", genes, "SELECT char(27) || '[31mred' AS a, '[bold]x[/bold]' AS b")
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out
    assert "[bold]x[/bold]" in done.out


def test_json_and_csv_hold_what_json_has_no_form_for(fathom: Fathom, genes: Path) -> None:
    query = "SELECT x'aa00' AS bytes, 9e999 AS endless, NULL AS missing"

    def no_json(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    found = json.loads(fathom("sql", genes, query, "--json").out, parse_constant=no_json)
    assert found["rows"] == [["aa00", "inf", None]]
    assert fathom("sql", genes, query, "--csv").out.splitlines() == ["bytes,endless,missing", "aa00,inf,"]


def test_csv_says_that_rows_were_cut(fathom: Fathom, genes: Path) -> None:
    query = "SELECT symbol FROM gene ORDER BY symbol"
    done = fathom("sql", genes, query, "--csv", "--rows", 2)
    assert done.out.split() == ["symbol", "APOE", "BIN1"]
    assert "cut at the limit on rows" in done.err
    assert fathom("sql", genes, query, "--csv").err == ""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_an_output_that_lacks_a_letter_shows_its_code(genes: Path, encoding: str) -> None:
    with sqlite3.connect(genes) as writer:
        writer.execute("INSERT INTO gene VALUES ('é北', 1)")
    writer.close()
    query = "SELECT symbol FROM gene WHERE chromosome = 1"

    def printed(*options: str) -> str:
        command = [sys.executable, "-c", MAIN, "sql", str(genes), query, *options]
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode(encoding)

    assert "\\u5317" in printed()
    assert "\\u5317" in printed("--csv")
    assert json.loads(printed("--json"))["rows"] == [["é北"]]


def test_a_query_is_read_from_standard_input(
    fathom: Fathom, genes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("-- how many\nSELECT COUNT(*) AS n FROM gene\n"))
    assert fathom("sql", genes, "-", "--csv").out.split() == ["n", "3"]
    assert fathom("sql", genes, "--cvs", "SELECT 1").code == 2


def test_a_sample_that_cannot_be_kept_says_what_to_set(
    fathom: Fathom, genes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(genes / "cache"))  # in a file, where no folder can be
    done = fathom("sql", "demo:biomed", "SELECT 1")
    assert done.code == 1
    assert "Set FATHOM_CACHE to a folder that can be written to." in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_told_without_a_traceback(genes: Path) -> None:
    command = [sys.executable, "-c", MAIN, "sql", str(genes), "SELECT 1", "--csv"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_limits_out_of_range_are_told(fathom: Fathom, genes: Path) -> None:
    assert "A limit of -5 rows lets no query run." in fathom("sql", genes, "SELECT 1", "--rows", "-5").err
    assert "A limit of 0 seconds" in fathom("ask", genes, "How many genes are there?", "--seconds", "0").err


def test_the_module_runs_as_the_command(genes: Path) -> None:
    command = [sys.executable, "-m", "fathom", "sql", str(genes), "SELECT 40 + 2 AS found", "--csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["found", "42"]


def test_what_a_query_would_read_is_told_where_the_engine_tells(
    fathom: Fathom, genes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("sql", genes, "SELECT symbol FROM gene", "--estimate")
    assert "sqlite doesn't tell" in fathom(*asked).out
    assert json.loads(fathom(*asked, "--json").out) == {"bytes": None}
    monkeypatch.setattr(SQLite, "tells_size", True)
    assert "can't be told before it runs" in fathom(*asked).out
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 12_345_678_900)
    assert "The query would read about 12.3 GB." in fathom(*asked).out
    assert "only a query is estimated" in fathom("sql", genes, "EXPLAIN SELECT 1", "--estimate").err
