import pytest

from fathom.nl2sql.anatomy import anatomy


def test_a_query_is_taken_apart_under_the_names_of_its_tables() -> None:
    found = anatomy(
        "SELECT DISTINCT b.name AS n, COUNT(*) FROM boat AS b JOIN mooring m ON m.boat_id = b.id "
        "WHERE b.built < 1950 AND m.harbour = 'Husum' GROUP BY b.name ORDER BY b.built LIMIT 3"
    )
    assert found is not None
    assert set(found.columns) == {
        "boat.name", "boat.id", "boat.built", "mooring.boat_id", "mooring.harbour",
    }  # fmt: skip
    assert found.values == ("Husum",)
    assert found.selected == ("boat.name", "COUNT(*)")
    assert set(found.conditions) == {"boat.built < 1950", "mooring.harbour = 'Husum'"}
    assert found.joins == ("mooring.boat_id = boat.id",)
    assert found.sketch == (
        "show name, COUNT(*) WHERE built < 1950 AND harbour = 'Husum' GROUP BY name ORDER BY built LIMIT 3"
    )


def test_columns_of_the_only_table_bear_its_name() -> None:
    found = anatomy("SELECT name FROM boat WHERE built = 1950")
    assert found is not None
    assert set(found.columns) == {"boat.name", "boat.built"}
    assert found.values == ()


@pytest.mark.parametrize("sql", ["SELECT (", "DROP TABLE boat", ""])
def test_what_is_no_query_has_no_anatomy(sql: str) -> None:
    assert anatomy(sql) is None
