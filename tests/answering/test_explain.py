import pytest

from fathom.answering.explain import counted, explain

CASES = [
    (
        "SELECT id FROM singer WHERE name NOT LIKE 'a_b' AND name NOT LIKE 'x%'",
        "Shows id from singer. Only rows where name doesn't have the pattern 'a_b' "
        "and name doesn't begin with 'x'.",
    ),
    ("SELECT count(*) FROM singer", "Counts rows from singer."),
    (
        "SELECT DISTINCT name, age FROM singer WHERE age > (SELECT avg(age) FROM singer) "
        "AND NOT country IS NULL ORDER BY age DESC LIMIT 3",
        "Shows name and age, each combination once, from singer. Only rows where age is more than "
        "[the average of age from singer] and country is known. Sorted by age (highest first). "
        "Only the first 3 rows.",
    ),
    (
        "SELECT T1.name, count(*) FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id "
        "WHERE T2.year BETWEEN 2010 AND 2012 GROUP BY T1.id HAVING count(*) >= 2",
        "Shows singer.name and the number of rows from singer, with concert where singer.id is "
        "concert.singer_id. Only rows where concert.year is between 2010 and 2012. One row for each "
        "singer.id. Only groups where the number of rows is at least 2.",
    ),
    (
        "SELECT a FROM t EXCEPT SELECT b FROM u WHERE c NOT IN ('x', 'y')",
        "Keeps the rows of the first of two queries that the second doesn't give. (1) Shows a from t. "
        "(2) Shows b from u. Only rows where c is not 'x' or 'y'.",
    ),
    (
        "SELECT a FROM t UNION ALL SELECT b FROM u",
        "Puts the rows of two queries together, repeats kept. (1) Shows a from t. (2) Shows b from u.",
    ),
    (
        "SELECT x.a, y.a FROM t AS x JOIN t AS y ON x.b = y.c",
        "Shows x.a and y.a from t (as x), with t (as y) where x.b is y.c.",
    ),
    (
        "SELECT city, max(price) FROM flat GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        "Shows city and the highest price from flat. One row for each city. "
        "Sorted by the highest price (highest first). Only the first row.",
    ),
    (
        "SELECT a FROM t GROUP BY 1.5 ORDER BY 1.5, 2",
        "Shows a from t. One row for each 1.5. Sorted by 1.5 (lowest first) then 2 (lowest first).",
    ),
    (
        "SELECT a FROM t WHERE year = 2010 AND year > 0 AND b < 9 AND year IS NOT NULL AND b < 5 AND b > 1",
        "Shows a from t. Only rows where year is 2010 and b is less than 5 and b is more than 1.",
    ),
    (
        "SELECT a FROM t WHERE year = 2010 AND year > 2011 AND b = 1 AND b = 1",
        "Shows a from t. Only rows where year is 2010 and year is more than 2011 and b is 1.",
    ),
    (
        "SELECT a FROM t WHERE id = 9007199254740993 AND id = 9007199254740992 AND b = 1e AND b > 0",
        "Shows a from t. Only rows where id is 9007199254740993 and id is 9007199254740992 "
        "and b is 1e and b is more than 0.",
    ),
    (
        "SELECT a, sum(b), (CAST(sum(b) - LAG(sum(b)) OVER (ORDER BY a) AS REAL) * 100) / "
        "NULLIF(LAG(sum(b)) OVER (ORDER BY a), 0) FROM t GROUP BY a",
        "Shows a, the total of b and the change in per cent from the previous total of b to the total of b "
        "from t. One row for each a.",
    ),
    (
        "SELECT a, rank() OVER (PARTITION BY b ORDER BY c DESC), sum(d) OVER (ORDER BY a), "
        "avg(d) OVER () FROM t",
        "Shows a, the rank by c (highest first) for each b, the total of d so far, in the order of a (lowest "
        "first) and the average of d over all rows from t.",
    ),
    (
        "SELECT b, AVG(a) FROM (SELECT b, a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY a) AS place, "
        "COUNT(*) OVER (PARTITION BY b) AS places FROM t) AS q WHERE 2 * place BETWEEN places AND places + 2 "
        "GROUP BY b",
        "First makes q: Shows b, a, the place by a (lowest first) for each b (as place) and the number of "
        "rows for each b (as places) from t. Shows b and the median of a from q. Only rows where 2 times "
        "place is between places and places plus 2. One row for each b.",
    ),
    (
        "SELECT CAST(a - b AS REAL) / (c + 1), CAST(a - b AS REAL) * 100 / d FROM t",
        "Shows (a minus b) divided by (c plus 1) and a minus b as a percentage of d from t.",
    ),
    (
        "SELECT strftime('%Y', day), sum(CASE WHEN kind = 'x' THEN 1 ELSE 0 END) / nullif(count(*), 0) FROM t"
        " GROUP BY 1",
        "Shows the year of day and the number of rows where kind is 'x' divided by the number of rows "
        "from t. One row for each year of day.",
    ),
    (
        "SELECT MAX((CAST(STRFTIME('%Y', DATE('now')) AS INTEGER) - CAST(STRFTIME('%Y', born) AS INTEGER))"
        " - CASE WHEN STRFTIME('%m-%d', DATE('now')) < STRFTIME('%m-%d', born) THEN 1 ELSE 0 END), a - b"
        " FROM t",
        "Shows the highest age by born and a minus b from t.",
    ),
    (
        "SELECT JULIANDAY(DATE('now')) - JULIANDAY(MAX(b)), AVG(JULIANDAY(b) - JULIANDAY(a)) * 24 FROM t",
        "Shows the days from the highest b to today and the average of the days from a to b times 24 from t.",
    ),
    (
        "SELECT name FROM t WHERE name LIKE 'A%' OR NOT EXISTS (SELECT 1 FROM u)",
        "Shows name from t. Only rows where name begins with 'A' or there is no row in [1 from u].",
    ),
]


@pytest.mark.parametrize(("sql", "said"), CASES)
def test_explains(sql: str, said: str) -> None:
    assert explain(sql, "sqlite") == said


@pytest.mark.parametrize("sql", ["", "SELEC 1", "DROP TABLE t", "SELECT 1; SELECT 2"])
def test_says_nothing_of_what_is_no_query(sql: str) -> None:
    assert explain(sql, "sqlite") == ""


LONG = 5000
DEEP = {
    "a chain of +": f"SELECT {'+'.join('1' * LONG)} FROM t",
    "a chain of AND": f"SELECT a FROM t WHERE {' AND '.join(['a > 1'] * LONG)}",
    "brackets": f"SELECT {'(' * LONG}1{')' * LONG} FROM t",
}


@pytest.mark.parametrize("sql", DEEP.values(), ids=list(DEEP))
def test_says_nothing_of_what_is_too_deep(sql: str) -> None:
    assert explain(sql, "sqlite") == ""


def test_nothing_is_counted_by_what_is_too_deep() -> None:
    assert all(counted(sql, "sqlite") is None for sql in DEEP.values())


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("drug_has_been_withdrawn = 1", " that have been withdrawn"),
        ("drugHasBeenWithdrawn = 0", " that have not been withdrawn"),
        ("is_active = TRUE", " marked as active"),
        ("is_active = 2", " where is active is 2"),
        ("is_active = '1'", " where is active is 1"),
        ("what_it_is = 1", " where what it is is 1"),
        ("drug_is_approved = 1", " that are approved"),
        ("lower(maker) = 'acme'", " whose maker is acme"),
        ("day >= '2026-04-01' AND day < '2026-05-01'", " whose day is in April 2026"),
        ("day >= '2025-12-01' AND day < '2026-01-01'", " whose day is in December 2025"),
        ("day >= '2026-04-01' AND price = 3", " whose day is on or after 2026-04-01 and whose price is 3"),
        ("unavailable = 1", " marked as unavailable"),
        ("unavailable = 0 AND has_side_effects = 1", " not marked as unavailable and with side effects"),
        ("closed_at IS NULL", " that are not closed"),
        ("withdrawal_date IS NULL", " with no withdrawal date"),
        ("withdrawal_date IS NOT NULL", " with a withdrawal date"),
        (
            "price > 300000 AND maker <> 'Acme'",
            " whose price is more than 300,000 and whose maker is not Acme",
        ),
        ("maker = 'x'' or 1'", " whose maker is 'x' or 1'"),
        ("day >= '2017-01-01' AND day < '2018-01-01'", " whose day is in 2017"),
        ("day < '2018-01-01'", " whose day is before 2018-01-01"),
        ("price = 1 OR price = 3", " where price is 1 or price is 3"),
        ("approved_on >= '2024-01-01' AND approved_on < '2025-01-01'", " approved in 2024"),
        ("sold_at < '2018-01-01'", " sold before 2018-01-01"),
        ("ordered_on LIKE '2025%'", " ordered in 2025"),
        ("approved_on = 1", " whose approved on is 1"),
        ("speed_on LIKE '2025%'", " whose speed on is in 2025"),
        ("drug_id NOT IN (SELECT drug_id FROM trials)", " without trials"),
        ("drug_id IN (SELECT drug_id FROM trials)", " with trials"),
        ("id NOT IN (SELECT drug_id FROM trials)", " without trials"),
        (
            "maker_id NOT IN (SELECT maker_id FROM trials)",
            " where maker ID is not among (maker_id from trials)",
        ),
        (
            "drug_id NOT IN (SELECT drug_id FROM trials WHERE phase = 3)",
            " where drug ID is not among (drug_id from trials. Only rows where phase is 3)",
        ),
    ],
)
def test_conditions_follow_what_is_counted(where: str, said: str) -> None:
    found = counted(f"SELECT COUNT(*) FROM drugs WHERE {where}", "sqlite", flags=["unavailable"])
    assert found is not None
    assert found.condition == said
