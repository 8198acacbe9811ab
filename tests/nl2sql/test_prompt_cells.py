"""What prompts show of cells: all that a query may have to name, and every cut told."""

import asyncio
import re
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fathom.databases import connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.prompt_cells import LONGEST_CELL, prompt_literal, prompt_value
from fathom.nl2sql.query_runs import QueryRun, Status, preview
from fathom.records import Question, Result


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NULL"),
        (True, "true"),
        (False, "false"),
        (123456.7891, "123456.7891"),
        (1234567.89, "1234567.89"),
        (0.1234567, "0.1234567"),
        (3.2e-12, "3.2e-12"),
        (1e22, "1e+22"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("1234567.8900"), "1234567.8900"),
        (Decimal("1E+3"), "1000"),
        (12345678901234567890, "12345678901234567890"),
        (date(2020, 2, 1), "2020-02-01"),
        (datetime(2020, 2, 1, 3, 4, 5), "2020-02-01 03:04:05"),
        (b"\x00\xff", "X'00FF'"),
        ("APOE", "APOE"),
        ("it's", "it's"),
        ("", "''"),
        ("NULL", "'NULL'"),
        ("true", "'true'"),
        ("12", "'12'"),
        ("-1.5e3", "'-1.5e3'"),
        (" padded", "' padded'"),
        ("two  blanks", "two  blanks"),
        ("a | b", "'a | b'"),
        ("a\nb", r"'a\nb'"),
        ("'quoted'", "'''quoted'''"),
        (["a", None, 2.5], "['a', NULL, 2.5]"),
        ({"p": 0.05}, "{p: 0.05}"),
    ],
)
def test_a_cell_is_shown_as_it_is_held(value: Any, shown: str) -> None:
    assert prompt_value(value) == shown


def test_texts_as_literals_are_always_quoted() -> None:
    assert prompt_literal("O'Hara") == "'O''Hara'"
    assert prompt_literal(7) == "7"
    assert prompt_literal(None) == "NULL"


def test_a_cut_is_told_with_what_was_left_out() -> None:
    assert prompt_value("x" * LONGEST_CELL) == "x" * LONGEST_CELL
    assert prompt_value("x" * (LONGEST_CELL + 1_300)) == "x" * LONGEST_CELL + "…[1,300 more characters]"
    assert prompt_literal("x" * (LONGEST_CELL + 1)) == "'" + "x" * LONGEST_CELL + "'…[1 more characters]"
    assert prompt_value(b"\x01" * 102) == "X'" + "01" * 100 + "'…[2 more bytes]"


def test_what_a_prompt_shows_finds_its_row_again(tmp_path: Path) -> None:
    """Each number and text, copied from the prompt into a query, finds the row that it stands in."""
    path = tmp_path / "prices.sqlite"
    held = [(0.123457891, "12"), (1234567.895, "O'Hara"), (123456.7891, "NULL"), (3.0, " x"), (1e-9, "")]
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE price (amount REAL, note TEXT)")
        made.executemany("INSERT INTO price VALUES (?, ?)", held)
    made.close()
    with connect(str(path)) as database:
        for amount, note in held:
            sql = (
                f"SELECT * FROM price WHERE amount = {prompt_value(amount)} AND note = {prompt_literal(note)}"
            )
            assert database.run(sql).rows == ((amount, note),)


def test_a_preview_tells_null_from_the_word_and_numbers_from_texts() -> None:
    rows = ((None, 1), ("NULL", "1"), ("seen", True))
    told = preview(QueryRun("SELECT 1", Status.OK, Result(("a", "b"), rows, "SELECT 1", 0.0)), 2)
    assert told == "a | b\nNULL | 1\n'NULL' | '1'\n(1 more rows)"


LONG = "x" * (LONGEST_CELL + 100)
HELD = [
    (None, 0.123457, 1234567.895, "NULL", LONG),
    (True, 123456.7891, None, "12", ""),
    (False, 0.1234567891, 1e-9, None, "short"),
]
"""People would be shown "not known", "yes", 0.123457 twice, and numbers without all of their digits."""


@pytest.mark.parametrize(
    ("method", "prompts"),
    [("mac-sql", 1), ("chess-ir-cg-ut", 1), ("din-sql", 2), ("e-sql", 2), ("opensearch-sql", 1),
     ("pet-sql", 2), ("rsl-sql", 3), ("3-rows", 2), ("bmsql", 4)],
)  # fmt: skip
def test_the_rows_that_a_method_shows_its_model_are_those_of_the_database(
    tmp_path: Path, method: str, prompts: int
) -> None:
    path = tmp_path / "prices.duckdb"
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE price (ok BOOLEAN, amount DOUBLE, revenue DOUBLE, note TEXT, story TEXT)")
        made.executemany("INSERT INTO price VALUES (?, ?, ?, ?, ?)", HELD)
    model = ScriptedModel.of(rules={"": "SELECT * FROM price"})
    with connect(path) as database:
        context = Context(database, model=model, cache=tmp_path)
        asyncio.run(run_method(find_method(method), Question("Which amount is fine?"), context))
    with_rows = [p for p in model.prompts if "1e-09" in p]
    assert len(with_rows) >= prompts
    for shown in with_rows:
        numbers = {float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", shown)}
        assert {0.123457, 0.1234567891, 123456.7891, 1234567.895, 1e-9} <= numbers
        assert all(re.search(rf"(?<!['\w]){word}(?!['\w])", shown) for word in ("NULL", "true", "false"))
        assert {"'NULL'", "'12'"} <= set(re.findall(r"'\w+'", shown))
        assert all(
            run == LONG[:LONGEST_CELL] for run in re.findall(r"xx+(?='?…\[100 more characters\])", shown)
        )
    told = any("…[100 more characters]" in shown for shown in with_rows)
    assert told == (method != "chess-ir-cg-ut")  # which shows no long cells at all
    assert LONG not in "".join(model.prompts)
