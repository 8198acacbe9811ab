"""Reasons put together from queries: their steps in the order in which a person would take them."""

import pytest

from fathom.nl2sql.reasoned import reason_of


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT name FROM gene", "The question is about gene. What is shown is name."),
        (
            "SELECT DISTINCT g.name FROM gene AS g JOIN drug AS d ON d.gene_id = g.id WHERE d.phase = 4",
            "The question is about gene and drug. They are joined where d.gene_id = g.id. "
            "Only rows count where d.phase = 4. What is shown is g.name, each once.",
        ),
        (
            "SELECT chr, COUNT(*) AS n FROM gene GROUP BY chr HAVING COUNT(*) > 2 ORDER BY n DESC LIMIT 5",
            "The question is about gene. There is one row for each chr. Of these groups those count where "
            "COUNT(*) > 2. They are ordered by n DESC. The first 5 are wanted. "
            "What is shown is chr and COUNT(*).",
        ),
        (
            "SELECT name FROM gene WHERE id IN (SELECT gene_id FROM drug)",
            "The question is about gene. Only rows count where id IN (SELECT gene_id FROM drug). "
            "That takes a query within, SELECT gene_id FROM drug. What is shown is name.",
        ),
        (
            "SELECT a FROM t EXCEPT SELECT a FROM u",
            "The rows of the first and not the second of two queries are wanted. First: The question "
            "is about t. What is shown is a. Second: The question is about u. What is shown is a.",
        ),
        ("no query (", ""),
        ("DELETE FROM gene", ""),
    ],
)
def test_a_query_is_told_step_by_step(sql: str, said: str) -> None:
    assert reason_of(sql) == said
