"""Everything that commands print, on a real pseudo-terminal, over data, names and paths full of escapes."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from tests.command import Fathom

from fathom.text import is_hidden

EVIL = "a\x1b]0;owned\x07\x1b[2J\u202eb\u2066c\u200bd\U000e0041\x9b31m\u2028e"
STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2?K|\x1b\[1A|\x1b\[3[0-9]m")
"""What the table printer itself sends: colours, the cursor, and lines that it clears."""


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    folder = tmp_path / "pa\u202eth"
    folder.mkdir()
    file = folder / "evil.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute(f'CREATE TABLE "esc\u202e{EVIL[:9]}" (id INTEGER, "na\u2066me" TEXT)')
        made.execute(f'INSERT INTO "esc\u202e{EVIL[:9]}" VALUES (1, ?), (2, ?)', [EVIL, "=1+1"])
        made.execute("CREATE TABLE plain (cell TEXT)")
        made.execute("INSERT INTO plain VALUES (?), (?), (?)", [EVIL, "=cmd|'/c calc'!A0", "-2"])
    return file


def _on_a_terminal(*arguments: object, cache: Path) -> str:
    """What `fathom` prints where both outputs are a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "FATHOM_CACHE": str(cache)}
    command = [sys.executable, "-m", "fathom", *map(str, arguments)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        printed = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            printed += block
    os.close(ours)
    return printed.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    "command",
    [
        ("sql", "SELECT cell FROM plain"),
        ("sql", 'SELECT cell AS "x\u202ey" FROM plain', "--csv"),
        ("sql", 'SELECT cell AS "x\u202ey" FROM plain', "--json"),
        ("sql", "SELECT CAST(cell AS INTEGER) FROM plain"),
        ("sql", "SELECT '\u202e' FROM no\u200bthing"),
        ("sql", f"WITH x AS (TRUNCATE plain) SELECT '{EVIL}'"),  # of which the parser warns
        ("inspect",),
        ("ask", "Show the cell of plain"),
        ("ask", "How many \u202eplain are there?", "--sql"),
    ],
)
def test_no_text_from_outside_acts_on_a_terminal(
    evil: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *rest = command
    printed = _on_a_terminal(name, evil, *rest, cache=tmp_path / "cache")
    left = STYLE.sub("", printed)
    assert len(left) > 20
    assert [c for c in left if is_hidden(c) and c not in "\r\n\t"] == []


def test_paths_in_errors_are_shown_as_they_are(tmp_path: Path) -> None:
    printed = _on_a_terminal("inspect", tmp_path / "no\x1b[2J\u202e.db", cache=tmp_path / "cache")
    assert r"no\x1b[2J\u202e.db" in printed
    assert "\x1b[2J" not in printed


def test_json_is_the_same_value_on_a_terminal(evil: Path, tmp_path: Path) -> None:
    printed = _on_a_terminal("sql", evil, "SELECT cell FROM plain LIMIT 1", "--json", cache=tmp_path / "c")
    assert json.loads(STYLE.sub("", printed))["rows"] == [[EVIL]]


def test_formulas_are_defused_where_that_is_asked_for(evil: Path, fathom: Fathom) -> None:
    sql = "SELECT cell, -3 AS n, '=A1' AS \"=head\" FROM plain"
    plain = list(csv.reader(io.StringIO(fathom("sql", evil, sql, "--csv").out)))
    safe = list(csv.reader(io.StringIO(fathom("sql", evil, sql, "--safe-csv").out)))
    assert plain[0] == ["cell", "n", "=head"]
    assert plain[2] == ["=cmd|'/c calc'!A0", "-3", "=A1"]
    assert plain[1][0] == safe[1][0] == EVIL  # in a pipe the data are as they are
    assert safe[0] == ["cell", "n", "'=head"]
    assert safe[2] == ["'=cmd|'/c calc'!A0", "-3", "'=A1"]
    assert safe[3][0] == "'-2"
