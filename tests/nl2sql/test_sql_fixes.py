import pytest

from fathom.methods import Context
from fathom.nl2sql.sql_fixes import closed_up, qualified


@pytest.mark.parametrize(
    ("sql", "right"),
    [
        ("SELECT 1 WHERE 2 > = 1 AND 1 ! = 2 AND 1 < > 2", "SELECT 1 WHERE 2 >= 1 AND 1 != 2 AND 1 <> 2"),
        ("SELECT '> =' AS a", "SELECT '> =' AS a"),
        ("SELECT 'open", "SELECT 'open"),
    ],
)
def test_comparisons_are_closed_up_outside_of_texts(sql: str, right: str) -> None:
    assert closed_up(sql, "sqlite") == right


@pytest.mark.parametrize(
    ("sql", "right"),
    [
        (
            "SELECT id, `trade name` FROM drug AS d JOIN gene AS g ON d.id = g.id",
            "SELECT d.id, `trade name` FROM drug AS d JOIN gene AS g ON d.id = g.id",
        ),
        ("SELECT  name  FROM drug", "SELECT  name  FROM drug"),
        ("SELECT g.id FROM drug AS d JOIN gene AS g ON d.id = g.id",) * 2,
        ("SELECT (",) * 2,
    ],
)
def test_selected_columns_that_tables_are_joined_on_get_a_table(
    context: Context, sql: str, right: str
) -> None:
    assert qualified(sql, context.database.schema) == right
