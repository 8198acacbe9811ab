import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_shows_rows(fathom: Run, genes: Path) -> None:
    done = fathom("sql", genes, "SELECT symbol, chromosome FROM gene ORDER BY symbol")
    assert done.code == 0
    assert "APOE" in done.out
    assert "3 rows" in done.out


def test_json_and_csv(fathom: Run, genes: Path) -> None:
    query = "SELECT symbol FROM gene ORDER BY chromosome"
    found = json.loads(fathom("sql", genes, query, "--json", "--rows", 2).out)
    assert found["rows"] == [["BIN1"], ["SNCA"]]
    assert found["truncated"] == "rows"
    assert fathom("sql", genes, query, "--csv").out.split() == ["symbol", "BIN1", "SNCA", "APOE"]


def test_a_write_is_refused_with_its_reason(fathom: Run, genes: Path) -> None:
    before = genes.read_bytes()
    done = fathom("sql", genes, "DELETE FROM gene")
    assert done.code == 1
    assert "Refused" in done.err
    assert "delete" in done.err
    assert genes.read_bytes() == before


def test_errors_say_what_to_do(fathom: Run, genes: Path) -> None:
    assert "no file" in fathom("sql", "nowhere.db", "SELECT 1").err
    assert fathom("sql", genes).code == 2
    assert fathom("sqll").code == 2


def test_control_codes_in_cells_stay_visible_text(fathom: Run, genes: Path) -> None:
    done = fathom("sql", genes, "SELECT char(27) || '[31mred' AS a, '[bold]x[/bold]' AS b")
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out
    assert "[bold]x[/bold]" in done.out
