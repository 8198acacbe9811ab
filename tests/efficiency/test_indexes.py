import json
import sqlite3
from contextlib import closing
from pathlib import Path

from fathom.databases import connect
from fathom.efficiency import suggest_indexes
from fathom.efficiency.candidates import Index, candidates
from tests.command import Fathom


def test_candidates_come_from_conditions_joins_and_order(library: Path) -> None:
    sql = ("SELECT b.title FROM book b JOIN loan l ON l.book = b.id WHERE b.shelf = 's1' AND b.pages > 9"
           " AND l.day LIKE '2015%' ORDER BY b.title")  # fmt: skip
    with connect(library) as database:
        found = candidates(sql, database.schema)
    assert {
        Index("book", c) for c in [("shelf",), ("pages",), ("shelf", "pages"), ("shelf", "title")]
    } <= set(found)
    assert {Index("loan", c) for c in [("book",), ("day",), ("book", "day")]} <= set(found)
    assert Index("book", ("id",)) not in found  # the primary key has its own


def test_indexes_that_help_are_suggested_with_their_cost_and_not_made(large_library: Path) -> None:
    before = large_library.read_bytes()
    queries = [
        "SELECT COUNT(*) FROM loan WHERE book = 77",
        "SELECT title FROM book WHERE shelf = 's7' AND pages = 7",
        "SELECT COUNT(*) FROM loan",  # which no index helps
    ]
    with connect(large_library) as database:
        advice = suggest_indexes(database, [*queries, "DELETE FROM loan"], budget=30)
    assert large_library.read_bytes() == before
    assert [sql for sql, _ in advice.skipped] == ["DELETE FROM loan"]
    assert {(s.table, s.columns[0]) for s in advice.suggestions} <= {
        ("loan", "book"),
        ("book", "pages"),
        ("book", "shelf"),
    }
    assert {s.table for s in advice.suggestions} == {"loan", "book"}
    for suggestion in advice.suggestions:
        assert suggestion.size > 0
        assert suggestion.insert_ratio is not None
    helped = {sql for s in advice.suggestions for sql, _ in s.helps}
    assert helped == set(queries[:2])
    with closing(sqlite3.connect(large_library)) as connection:  # what is suggested can be run as it is
        for suggestion in advice.suggestions:
            connection.execute(suggestion.sql)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {queries[0]}").fetchall()
    assert "ix_loan_book" in plan[0][-1]


def test_nothing_is_suggested_where_nothing_helps(library: Path) -> None:
    with connect(library) as database:
        advice = suggest_indexes(
            database, ["SELECT COUNT(*) FROM loan", "SELECT title FROM book WHERE id = 3"]
        )
    assert advice.suggestions == ()


def test_duckdb_files_are_measured_too(chinook_in_duckdb: Path) -> None:
    before = chinook_in_duckdb.read_bytes()
    with connect(chinook_in_duckdb) as database:
        advice = suggest_indexes(database, ["SELECT Name FROM Track WHERE Composer = 'AC/DC'"], budget=20)
    assert advice.tried == 1
    assert advice.skipped == ()
    assert chinook_in_duckdb.read_bytes() == before


def test_the_command_prints_statements(large_library: Path, tmp_path: Path, fathom: Fathom) -> None:
    file = tmp_path / "queries.sql"
    file.write_text("SELECT COUNT(*) FROM loan WHERE book = 77;\nSELECT ';' FROM book WHERE id = 1;\n")
    for extra in ([], ["--json"]):
        code, said, _ = fathom("suggest-indexes", large_library, "--queries", file, *extra)
        assert code == 0
        if extra:
            assert json.loads(said)["suggestions"][0]["columns"] == ["book"]
        else:
            assert 'CREATE INDEX "ix_loan_book" ON "loan" ("book");' in said
