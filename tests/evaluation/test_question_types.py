import pytest

from fathom.evaluation.categories import by_level, families
from fathom.evaluation.parsing import parsed
from fathom.evaluation.question_types import evidence_kinds, question_types


@pytest.mark.parametrize(
    ("gold", "types"),
    [
        ("SELECT name FROM t WHERE city = 'Oslo'", ("match",)),
        ("SELECT `a b` FROM t WHERE `a b` IN ('x', 'y')", ("match",)),
        ("SELECT name FROM t ORDER BY size DESC LIMIT 1", ("ranking",)),
        ("SELECT name FROM t WHERE size = (SELECT MAX(size) FROM t)", ("ranking", "aggregation")),
        ("SELECT name FROM t WHERE size BETWEEN 1 AND 9", ("comparison",)),
        ("SELECT COUNT(*) FROM t WHERE a > 3", ("comparison", "counting")),
        ("SELECT AVG(a) FROM t", ("aggregation",)),
        (
            "SELECT CAST(SUM(a) AS REAL) * 100 / COUNT(*) FROM t",
            ("counting", "aggregation", "numeric computing"),
        ),
        ("SELECT name FROM t LIMIT 5", ()),
        ("not a query (", ()),
    ],
)
def test_types_told_from_the_query(gold: str, types: tuple[str, ...]) -> None:
    assert question_types(gold, "") == types


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        ("female refers to sex = 'F'", "value illustration"),
        ("Admission = '+' means that the patient was admitted", "value illustration"),
        ("banned refers to status IS NULL", "value illustration"),
        ("normal range refers to HCT > 29 and HCT < 52", "domain knowledge"),
        ("The larger the birthday, the younger the person", "domain knowledge"),
        ("hometown refers to city", "synonym"),
        ("play format refers to `play format`", "synonym"),
        ("rate = DIVIDE(SUM(a), COUNT(b))", "numeric computing"),
        ("the percentage of women", "numeric computing"),
    ],
)
def test_kinds_told_from_the_evidence(evidence: str, kind: str) -> None:
    assert evidence_kinds(evidence) == (kind,)


def test_a_question_has_the_kinds_of_all_its_evidence() -> None:
    told = "hometown refers to city; female refers to sex = 'F'"
    assert evidence_kinds(told) == ("synonym", "value illustration")
    assert question_types("SELECT city FROM t WHERE sex = 'F'", told) == (
        "match",
        "synonym",
        "value illustration",
    )
    assert evidence_kinds("") == evidence_kinds(" ; ") == ()


def test_families_of_categories_stand_apart() -> None:
    tags = ["Order By", "Join", "Trial Phase", "GWAS significance", "odd"]
    assert families(tags) == {
        "SQL category": ["Join", "Order By"],
        "biology category": ["Trial Phase", "GWAS significance"],
        "category": ["odd"],
    }
    assert families(["Select", "Insert"]) == {"category": ["Insert", "Select"]}


def test_levels_stand_in_their_order() -> None:
    assert by_level({"challenging", "moderate", "simple", "weird"}) == [
        "simple",
        "moderate",
        "challenging",
        "weird",
    ]


def test_queries_of_any_engine_are_read() -> None:
    assert parsed("SELECT `a b` FROM [t t]") is not None
    assert parsed("SELECT a::text FROM t") is not None
    assert parsed("SELECT FROM WHERE (") is None
