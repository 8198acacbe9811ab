import pytest

from fathom.evaluation.failure_classes import TAXONOMIES, Failure, failure_class

GOLD = (
    "SELECT T1.UUID FROM gwas AS T1 JOIN drug AS T2 ON T1.gene = T2.gene WHERE T1.p < 5e-8 AND T2.phase = 4"
)


@pytest.mark.parametrize(
    ("sql", "error", "expected"),
    [
        ("", "", "no query"),
        ("SELECT (", "syntax_error", "syntax"),
        ("SELECT UUID FROM gwas WHERE p < 5e-8", "timeout", "syntax"),
        ("SELECT UUID FROM gwas WHERE p < 1", "", "incorrect tables"),
        (GOLD.replace("T1.gene = T2.gene", "T1.UUID = T2.gene"), "", "incorrect tables"),
        (GOLD.replace("drug", "drugs"), "no_such_table_or_column", "incorrect tables"),
        (GOLD.replace(" AND T2.phase = 4", ""), "", "missing threshold"),
        (GOLD.replace("5e-8", "0.05"), "", "incorrect threshold"),
        (GOLD.replace("T1.p <", "T1.p >"), "", "incorrect threshold"),
        (GOLD.replace("T1.UUID FROM", "COUNT(*) FROM"), "", "incorrect aggregation"),
        (GOLD.replace("T1.UUID FROM", "DISTINCT T1.UUID FROM"), "", "incorrect aggregation"),
        (GOLD.replace("T1.UUID FROM", "T1.snp FROM"), "", "other"),
        (GOLD.replace("T1.p < 5e-8", "5e-8 > T1.p"), "", "other"),
    ],
)
def test_biomedsql_gives_one_class_in_its_order(sql: str, error: str, expected: str) -> None:
    assert failure_class(Failure(sql, GOLD, error), "BiomedSQL") == expected


ASKED = "SELECT name FROM person WHERE sex = 'F' AND age > 30"
EVIDENCE = "women refers to sex = 'F'; rate = DIVIDE(a, b)"


@pytest.mark.parametrize(
    ("sql", "error", "evidence", "expected"),
    [
        ("SELECT name FROM person WHERE", "", "", "syntax"),
        ("SELECT YEAR(name) FROM person", "no_such_function", EVIDENCE, "syntax"),
        (ASKED.replace("'F'", "'female'"), "", EVIDENCE, "evidence"),
        ("SELECT DIVIDE(a, b) FROM person WHERE sex = 'F' AND age > 30", "", EVIDENCE, "evidence"),
        (ASKED.replace("'F'", "'female'"), "", "", "database content"),
        (ASKED.replace("name", "nam"), "no_such_table_or_column", "", "database content"),
        (ASKED.replace("name", "city"), "", "", "schema linking"),
        (ASKED.replace("person", "people"), "", "", "schema linking"),
        (ASKED.replace("name", "DISTINCT name"), "", "", "other"),
    ],
)
def test_bird_gives_one_class_in_its_order(sql: str, error: str, evidence: str, expected: str) -> None:
    assert failure_class(Failure(sql, ASKED, error, evidence), "BIRD") == expected


def test_every_failure_has_a_class_that_is_listed() -> None:
    for sql in ("", "SELECT 1", "((", "SELECT a FROM b UNION SELECT c FROM d", "DROP TABLE x"):
        for taxonomy, classes in TAXONOMIES.items():
            assert failure_class(Failure(sql, GOLD), taxonomy) in classes
