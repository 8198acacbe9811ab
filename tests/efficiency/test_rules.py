"""Every rule is seen at work, and every form that a rule makes gives the same result on real data."""

import random
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from fathom.benchmarks import load_benchmark
from fathom.databases import Database, connect
from fathom.efficiency.rules import RULES
from fathom.efficiency.tree import Unclear, read_query
from fathom.errors import QueryError
from tests.data import DATA, ROOT, needed
from tests.sampling import Sample

WRITTEN = [
    ("in-to-exists", "SELECT Name FROM Track WHERE AlbumId IN (SELECT AlbumId FROM Album WHERE ArtistId = 1)"),
    ("exists-to-in", "SELECT Title FROM Album a WHERE EXISTS (SELECT 1 FROM Track t WHERE t.Name = a.Title)"),
    ("exists-to-in", "SELECT Name FROM Artist a WHERE NOT EXISTS (SELECT 1 FROM Track t WHERE t.Composer = a.Name)"),
    ("in-to-join", "SELECT Name FROM Track WHERE AlbumId IN (SELECT AlbumId FROM Album WHERE ArtistId < 20)"),
    ("aggregate-to-join", "SELECT Title, (SELECT COUNT(*) FROM Track t WHERE t.AlbumId = a.AlbumId) FROM Album a"),
    ("aggregate-to-join", "SELECT Name FROM Track t WHERE Milliseconds > (SELECT AVG(Milliseconds) FROM Track u"
                          " WHERE u.Composer = t.Composer)"),
    ("count-to-exists", "SELECT Name FROM Artist a WHERE (SELECT COUNT(*) FROM Album b"
                        " WHERE b.ArtistId = a.ArtistId) > 0"),
    ("needless-order", "SELECT Name FROM Track WHERE AlbumId IN (SELECT DISTINCT AlbumId FROM Album ORDER BY Title)"),
    ("first-to-extreme", "SELECT Name FROM Track WHERE Milliseconds ="
                         " (SELECT Milliseconds FROM Track ORDER BY Milliseconds DESC LIMIT 1)"),
    ("extreme-to-first", "SELECT Name FROM Track WHERE TrackId = (SELECT MIN(TrackId) FROM Track)"),
    ("needless-distinct", "SELECT DISTINCT t.TrackId, a.Title FROM Track t JOIN Album a ON a.AlbumId = t.AlbumId"),
    ("needless-distinct", "SELECT DISTINCT Composer, COUNT(*) FROM Track GROUP BY Composer"),
    ("needless-count-distinct", "SELECT AlbumId, COUNT(DISTINCT TrackId) FROM Track GROUP BY AlbumId"),
    ("needless-join", "SELECT t.Name FROM Track t LEFT JOIN Album a ON a.AlbumId = t.AlbumId"),
    ("union-to-all", "SELECT TrackId, GenreId FROM Track WHERE GenreId = 1"
                     " UNION SELECT TrackId, GenreId FROM Track WHERE GenreId = 2"),
    ("union-to-or", "SELECT Composer FROM Track WHERE GenreId = 1 UNION SELECT Composer FROM Track WHERE AlbumId = 9"),
    ("having-to-where", "SELECT GenreId, COUNT(*) FROM Track GROUP BY GenreId HAVING GenreId > 3 AND COUNT(*) > 30"),
    ("push-down", "SELECT x.n FROM (SELECT AlbumId AS a, COUNT(*) AS n FROM Track GROUP BY AlbumId) x WHERE x.a = 5"),
    ("or-to-in", "SELECT Name FROM Track WHERE GenreId = 1 OR GenreId = 2 OR GenreId = 3"),
    ("bare-cast", "SELECT Name FROM Track WHERE CAST(AlbumId AS INTEGER) = 5"),
    ("bare-sum", "SELECT Name FROM Track WHERE AlbumId + 0 = 5"),
    ("bare-coalesce", "SELECT Name FROM Track WHERE COALESCE(Composer, '') = 'U2'"),
    ("year-to-range", "SELECT InvoiceId FROM Invoice WHERE strftime('%Y', InvoiceDate) = '2023'"),
    ("year-to-range", "SELECT InvoiceId FROM Invoice WHERE CAST(substr(InvoiceDate, 1, 4) AS INTEGER) = 2022"),
    ("prefix-to-range", "SELECT Name FROM Track WHERE Name LIKE '1%'"),
]  # fmt: skip
IN_DUCKDB = [w for w in WRITTEN if w[0] != "year-to-range"] + [
    ("date-to-range", "SELECT InvoiceId FROM Invoice WHERE year(InvoiceDate) = 2022")
]
# Each looks like what a rule is for, and would give another result for some rows.
UNSAFE = [
    ("exists-to-in", "SELECT Title FROM Album a WHERE EXISTS (SELECT 1 FROM Track t WHERE t.AlbumId > a.AlbumId)"),
    ("in-to-exists", "SELECT Name FROM Artist WHERE ArtistId NOT IN (SELECT ArtistId FROM Album)"),
    ("in-to-join", "SELECT Title FROM Album WHERE AlbumId IN (SELECT AlbumId FROM Track)"),
    ("needless-distinct", "SELECT DISTINCT a.Title FROM Album a"),
    ("needless-distinct", "SELECT DISTINCT a.AlbumId FROM Album a JOIN Track t ON t.AlbumId = a.AlbumId"),
    ("needless-join", "SELECT a.Title FROM Album a JOIN Track t ON t.AlbumId = a.AlbumId"),
    ("needless-join", "SELECT a.Name FROM Artist a LEFT JOIN Album b ON b.ArtistId = a.ArtistId"),
    ("union-to-all", "SELECT Composer FROM Track WHERE GenreId = 1 UNION SELECT Composer FROM Track WHERE GenreId = 2"),
    ("having-to-where", "SELECT GenreId, COUNT(*) FROM Track GROUP BY GenreId HAVING COUNT(*) > 3"),
    ("push-down", "SELECT x.n FROM (SELECT AlbumId AS a, COUNT(*) AS n FROM Track GROUP BY AlbumId) x WHERE x.n = 5"),
    ("extreme-to-first", "SELECT Name FROM Track WHERE Milliseconds = (SELECT MAX(Milliseconds) FROM Track)"),
    ("or-to-in", "SELECT Name FROM Track WHERE GenreId = 1 OR AlbumId = 2"),
    ("bare-coalesce", "SELECT Name FROM Track WHERE NOT COALESCE(Composer, '') = 'U2'"),
    ("prefix-to-range", "SELECT Name FROM Track WHERE Name LIKE 'a%'"),
    ("prefix-to-range", "SELECT Name FROM Track WHERE Name NOT LIKE '1%'"),
    ("year-to-range", "SELECT InvoiceId FROM Invoice WHERE NOT strftime('%Y', InvoiceDate) = '2023'"),
]  # fmt: skip
UNSAFE_IN_DUCKDB = [
    ("push-down", "SELECT x.a FROM (SELECT DISTINCT ON (AlbumId) AlbumId AS a, GenreId AS g FROM Track) x WHERE x.g = 1"),
    ("union-to-or", "SELECT DISTINCT ON (AlbumId) AlbumId, Name FROM Track WHERE GenreId = 1"
                    " UNION SELECT DISTINCT ON (AlbumId) AlbumId, Name FROM Track WHERE GenreId = 2"),
]  # fmt: skip


def forms(database: Database, sql: str, rule: str | None = None) -> list[tuple[str, str]]:
    """What rules make of a query: the rule and the form."""
    tree = read_query(sql, database.schema)
    return [
        (r.name, form.sql(dialect=database.dialect))
        for r in RULES
        if rule in (None, r.name)
        for form in r.applied(tree, database.schema)
    ]


def rows(database: Database, sql: str) -> Counter[str]:
    return Counter(map(repr, database.run(sql).rows))


@pytest.mark.parametrize(("rule", "sql"), WRITTEN)
def test_rules_apply_and_keep_the_result(rule: str, sql: str, chinook: Path) -> None:
    with connect(chinook) as database:
        made = forms(database, sql, rule)
        assert made
        wanted = rows(database, sql)
        assert all(form != sql and rows(database, form) == wanted for _, form in made)


@pytest.mark.parametrize(("rule", "sql"), IN_DUCKDB)
def test_rules_keep_the_result_in_duckdb(rule: str, sql: str, chinook_in_duckdb: Path) -> None:
    with connect(chinook_in_duckdb) as database:
        made = forms(database, sql, rule)
        assert made
        wanted = rows(database, sql)
        assert all(rows(database, form) == wanted for _, form in made)


@pytest.mark.parametrize(("rule", "sql"), UNSAFE)
def test_rules_leave_alone_what_they_would_change(rule: str, sql: str, chinook: Path) -> None:
    with connect(chinook) as database:
        assert forms(database, sql, rule) == []


@pytest.mark.parametrize(("rule", "sql"), UNSAFE_IN_DUCKDB)
def test_rules_leave_alone_what_they_would_change_in_duckdb(
    rule: str, sql: str, chinook_in_duckdb: Path
) -> None:
    with connect(chinook_in_duckdb) as database:
        assert database.run(sql).rows
        assert forms(database, sql, rule) == []


def test_every_rule_is_tried_above() -> None:
    assert {r.name for r in RULES} == {rule for rule, _ in [*WRITTEN, *IN_DUCKDB]}


def test_forms_of_published_queries_give_the_same_rows(sample: Sample) -> None:
    """By the rules alone, before any check: 2,500 gold queries of Spider's training databases, or a tenth."""
    needed("spider", "database")
    questions = list(load_benchmark("spider", data=DATA))
    random.Random(7).shuffle(questions)
    made = 0
    with ExitStack() as opened:
        databases: dict[str, Database] = {}
        for question in sample.of(questions[:2500], 0.1):
            if question.database not in databases:
                databases[question.database] = opened.enter_context(connect(question.database))
            database, sql = databases[question.database], question.gold[0]
            try:
                wanted = rows(database, sql)
                found = forms(database, sql)
            except (Unclear, QueryError):
                continue
            for rule, form in found:
                assert rows(database, form) == wanted, (rule, sql, form)
            made += len(found)
    assert made > sample.times(60, 0.05)


def test_the_page_lists_every_rule() -> None:
    page = (ROOT / "docs" / "efficiency.md").read_text(encoding="utf-8")
    assert all(f"| `{rule.name}` | {rule.about} |" in page for rule in RULES)
