import asyncio
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.databases.thinned_copies import thinned_copies
from fathom.efficiency import Rewriting, rewrite
from fathom.efficiency.proposals import propose
from fathom.errors import QueryFailed, QueryRefused
from fathom.llm.scripted import ScriptedModel

SLOW = "SELECT Title FROM Album a WHERE EXISTS (SELECT 1 FROM Track t WHERE t.Name = a.Title) ORDER BY Title"


def outcome(found: Rewriting, sql: str) -> tuple[str, str]:
    tried = next(t for t in found.tried if t.sql == sql)
    return tried.outcome, tried.note


@pytest.mark.parametrize("sql", [
    SLOW,
    "SELECT Name FROM Track t WHERE Milliseconds > (SELECT AVG(Milliseconds) FROM Track u"
    " WHERE u.Composer = t.Composer) AND GenreId = 1 ORDER BY Name, TrackId",
])  # fmt: skip
def test_a_faster_form_gives_the_same_rows_in_order(sql: str, chinook: Path) -> None:
    """Thirty and eighty times as fast: far more than a busy machine blurs."""
    with connect(chinook) as database:
        found = rewrite(database, sql)
        assert found.best is not None
        assert found.best.ratio is not None
        assert found.checked_on == 2
        given, made = database.run(sql), database.run(found.best.sql)
        assert (made.rows, made.columns) == (given.rows, given.columns)


def test_columns_keep_their_names(chinook: Path) -> None:
    sql = "SELECT Name, (SELECT AVG(Milliseconds) FROM Track u WHERE u.Composer = t.Composer) FROM Track t"
    with connect(chinook) as database:
        found = rewrite(database, f"{sql} WHERE UnitPrice > 1")
        assert found.best is not None
        assert database.run(found.best.sql).columns == database.run(f"{sql} WHERE UnitPrice > 1").columns


def test_duckdb_too(chinook_in_duckdb: Path) -> None:
    with connect(chinook_in_duckdb) as database:
        found = rewrite(database, SLOW)
        assert found.tried
        assert found.checked_on == 2
        assert not [t for t in found.tried if t.outcome in ("another result", "failed")]


def test_a_form_of_the_same_cost_is_not_proposed(chinook: Path) -> None:
    """The query itself in other words: whatever the clock says by chance, it isn't faster."""
    sql = "SELECT Name FROM Track WHERE Composer LIKE '%a%' ORDER BY Name"
    same = [sql.replace("Name FROM", f"Name /* {n} */ FROM") for n in range(4)]
    with connect(chinook) as database:
        found = rewrite(database, sql, proposals=same)
    assert found.best is None
    assert {outcome(found, s)[0] for s in same} == {"not faster"}


@pytest.mark.parametrize(("proposal", "wanted"), [
    ("SELECT Title FROM Album a JOIN Track t ON t.Name = a.Title ORDER BY Title", "rows instead of"),
    ("SELECT Title FROM Album a WHERE Title IN (SELECT Name FROM Track) ORDER BY 1 DESC", "another order"),
    ("SELECT Title AS t FROM Album a WHERE Title IN (SELECT Name FROM Track) ORDER BY 1", "columns t"),
    ("SELECT upper(Title) Title FROM Album WHERE Title IN (SELECT Name FROM Track) ORDER BY 1", "other"),
])  # fmt: skip
def test_another_result_is_never_proposed(proposal: str, wanted: str, chinook: Path) -> None:
    with connect(chinook) as database:
        found = rewrite(database, SLOW, proposals=[proposal])
    assert outcome(found, proposal)[0] == "another result"
    assert wanted in outcome(found, proposal)[1]
    assert found.best is None or found.best.sql != proposal


def test_types_are_part_of_the_result(library: Path) -> None:
    with connect(library) as database:
        found = rewrite(database, "SELECT id FROM book", proposals=["SELECT id * 1.0 AS id FROM book"])
    assert outcome(found, "SELECT id * 1.0 AS id FROM book") == ("another result", "other values")


def test_what_is_equal_by_chance_of_the_data_is_found_out(library: Path) -> None:
    """4,000 rows there are: true today. On thinned copies it isn't."""
    sql = "SELECT COUNT(*) AS n FROM book WHERE title IS NOT NULL"
    with connect(library) as database:
        found = rewrite(database, sql, proposals=["SELECT 4000 AS n"])
    told = outcome(found, "SELECT 4000 AS n")
    assert told[0] == "another result"
    assert told[1].startswith("on fewer rows")


def test_a_result_that_changes_by_itself_is_left_alone(library: Path) -> None:
    with connect(library) as database:
        found = rewrite(database, "SELECT random() AS r FROM book")
    assert found.problem
    assert found.best is None


@pytest.mark.parametrize("written", [
    "DELETE FROM loan", "UPDATE book SET title = ''", "SELECT 1; DROP TABLE book", "ATTACH 'o.db' AS o",
])  # fmt: skip
def test_a_proposal_that_writes_is_refused(written: str, library: Path) -> None:
    before = library.read_bytes()
    model = ScriptedModel.of(f'{{"queries": ["{written}"]}}')
    with connect(library) as database:
        proposals = asyncio.run(propose(model, database, "SELECT title FROM book"))
        found = rewrite(database, "SELECT title FROM book", proposals=proposals)
    assert found.tried[0].outcome == "refused"
    assert found.tried[0].note
    assert found.best is None
    assert library.read_bytes() == before


def test_a_proposal_of_a_model_is_measured_like_any_other(library: Path) -> None:
    sql = ("SELECT title FROM book b WHERE b.id < 300"
           " AND (SELECT COUNT(*) FROM loan l WHERE l.book + 0 = b.id) = 0")  # fmt: skip
    better = ("SELECT title FROM book b LEFT JOIN (SELECT book + 0 AS book FROM loan GROUP BY 1) l"
              " ON l.book = b.id WHERE l.book IS NULL AND b.id < 300")  # fmt: skip
    model = ScriptedModel.of(f'{{"queries": ["{better}"]}}')
    with connect(library) as database:
        proposals = asyncio.run(propose(model, database, sql))
        found = rewrite(database, sql, proposals=proposals)
    assert "4,000 rows" in model.prompts[0]
    assert outcome(found, better)[0] == "faster"


def test_what_cant_be_run_is_told(library: Path) -> None:
    with connect(library) as database:
        with pytest.raises(QueryFailed):
            rewrite(database, "SELECT nothing FROM nowhere")
        with pytest.raises(QueryRefused):
            rewrite(database, "DELETE FROM book")


def test_thinned_copies_keep_declared_keys(chinook: Path, library: Path) -> None:
    def orphans(database: Database) -> int:
        return sum(
            len(database.run(
                f"SELECT 1 FROM {k.table} c WHERE c.{k.columns[0]} IS NOT NULL AND NOT EXISTS"
                f" (SELECT 1 FROM {k.target_table} p WHERE p.{k.target_columns[0]} = c.{k.columns[0]})").rows)
            for k in database.schema.foreign_keys if not k.inferred
        )  # fmt: skip

    for file in (chinook, library):
        with connect(file) as database, thinned_copies(database) as (most, least):
            for table in database.schema.tables:
                counts = [
                    d.run(f"SELECT COUNT(*) FROM {table.name}").rows[0][0] for d in (database, most, least)
                ]
                assert counts == sorted(counts, reverse=True)
            assert orphans(most) == orphans(least) == 0
