"""What a query becomes over what is seen, and what isn't rewritten at all."""

import pytest
from sqlglot import parse_one

from fathom.errors import QueryRefused
from fathom.rights.rewriting import Rewriter, SeenTable

SOURCES = (
    SeenTable("staff", '"staff"', ('"id"', '"name"'), "(country = 'FR')"),
    SeenTable("hr.grades", '"hr"."grades"', ('"id"',)),
    SeenTable("towns", '"towns"', ('"id"', '"name"'), whole=True),
)
SEEN = '(SELECT "id", "name" FROM "staff" WHERE (country = \'FR\') OFFSET 0)'


def rewritten(sql: str, dialect: str = "postgres", *, own: bool = False) -> str:
    rewriter = Rewriter(SOURCES, dialect, "public", "m", ["payroll"])
    return rewriter.own(sql) if own else rewriter.rewritten(parse_one(sql, dialect=dialect))


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT * FROM staff", f"SELECT * FROM {SEEN} AS staff"),
        ("SELECT s.id FROM public.STAFF AS s", f"SELECT s.id FROM {SEEN} AS s"),
        ("SELECT public.staff.id FROM staff", f"SELECT staff.id FROM {SEEN} AS staff"),
        ("SELECT * FROM hr.grades", 'SELECT * FROM (SELECT "id" FROM "hr"."grades") AS grades'),
        (
            "SELECT * FROM towns JOIN staff USING (id)",
            f'SELECT * FROM "towns" AS towns JOIN {SEEN} AS staff USING (id)',
        ),
        (
            "SELECT * FROM (towns JOIN staff ON true)",
            f'SELECT * FROM ("towns" AS towns JOIN {SEEN} AS staff ON TRUE)',
        ),
        (
            "WITH staff AS (SELECT * FROM staff) SELECT staff.id FROM staff",
            f'WITH "cte_m_1" AS (SELECT * FROM {SEEN} AS staff) SELECT staff.id FROM "cte_m_1" AS staff',
        ),
        (
            "WITH RECURSIVE w AS (SELECT 1 AS n UNION SELECT n FROM w) SELECT * FROM w AS x",
            'WITH RECURSIVE "cte_m_1" AS (SELECT 1 AS n UNION SELECT n FROM "cte_m_1" AS w) '
            'SELECT * FROM "cte_m_1" AS x',
        ),
        ("SELECT * FROM generate_series(1, 3)", "SELECT * FROM GENERATE_SERIES(1, 3)"),
    ],
)
def test_what_a_query_becomes(sql: str, sent: str) -> None:
    assert rewritten(sql) == sent


OWN = SEEN.replace(" OFFSET 0", "")


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT count(*) FROM staff", f"SELECT count(*) FROM {OWN} AS staff"),
        ('SELECT  1 FROM "staff" AS s', f"SELECT  1 FROM {OWN} AS s"),
        ("SELECT staff.id FROM staff LIMIT 1", f"SELECT staff.id FROM {OWN} AS staff LIMIT 1"),
        ("SELECT 1 FROM towns JOIN staff s USING (id)", f"SELECT 1 FROM towns JOIN {OWN} s USING (id)"),
        ("SELECT 1 FROM towns WHERE name = 'staff'", "SELECT 1 FROM towns WHERE name = 'staff'"),
        ("SELECT 1 FROM towns, staff", f'SELECT 1 FROM "towns" AS towns, {OWN} AS staff'),
        ("SELECT 1 FROM public.staff", f"SELECT 1 FROM {OWN} AS staff"),
        ("SELECT 'staff' FROM hr.grades", 'SELECT \'staff\' FROM (SELECT "id" FROM "hr"."grades") AS grades'),
        ("SELECT staff FROM towns AS staff", 'SELECT staff FROM "towns" AS staff'),
        (
            "WITH w AS (SELECT 1 FROM staff) SELECT 1 FROM w",
            f'WITH "cte_m_1" AS (SELECT 1 FROM {OWN} AS staff) SELECT 1 FROM "cte_m_1" AS w',
        ),
        ("SELECT public.staff.id FROM staff", f"SELECT staff.id FROM {OWN} AS staff"),
    ],
)
def test_fathoms_own_queries_are_filtered_without_a_fence(sql: str, sent: str) -> None:
    assert rewritten(sql, own=True) == sent


def test_fathoms_own_queries_reach_nothing_hidden_either() -> None:
    with pytest.raises(QueryRefused, match="no table 'payroll'"):
        rewritten("SELECT 1 FROM staff WHERE EXISTS (SELECT 1 FROM payroll)", own=True)


@pytest.mark.parametrize(
    ("sql", "dialect", "says"),
    [
        ("SELECT * FROM Staf", "postgres", "Did you mean 'staff'?"),
        ('SELECT * FROM "STAFF"', "postgres", "no table 'STAFF'"),
        ("SELECT * FROM other.public.staff", "postgres", "no table 'public.staff'"),
        ("SELECT * FROM other.staff", "postgres", "no table 'other.staff'"),
        ("SELECT id IN staff FROM towns", "sqlite", "IN (SELECT"),
        ("SELECT * FROM towns USE INDEX (a)", "mysql", "named plainly"),
        ("SELECT * FROM ONLY staff", "postgres", "named plainly"),
        ("SELECT * FROM staff TABLESAMPLE SYSTEM (10)", "postgres", "sampled"),
        ("DESCRIBE staff", "duckdb", "about the database itself"),
        ("SUMMARIZE staff", "duckdb", "about the database itself"),
        ("SELECT (SELECT 1 FROM (DESCRIBE staff))", "duckdb", "about the database itself"),
        ("SELECT 'staff'::regclass", "postgres", "names a type"),
        ("SELECT NULL::staff", "postgres", "names a type"),
        ("SELECT pg_relation_size('staff')", "postgres", "about the database itself"),
        ("SELECT * FROM duckdb_columns()", "duckdb", "about the database itself"),
    ],
)
def test_what_is_refused(sql: str, dialect: str, says: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        rewritten(sql, dialect)
    assert says in str(refused.value)


def test_names_are_found_in_any_case_where_the_engine_does() -> None:
    assert '"staff"' in rewritten("SELECT * FROM STAFF", "sqlite")
