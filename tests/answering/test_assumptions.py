import pytest

from fathom.answering.assumptions import inferred_joins
from fathom.records import Column, ForeignKey, Schema, Table


def table(name: str, *columns: str) -> Table:
    return Table(name, tuple(Column(c, "INTEGER", "integer") for c in columns))


SCHEMA = Schema(
    "sqlite",
    (table("singer", "id", "band"), table("concert", "singer_id", "hall"), table("hall", "id")),
    (
        ForeignKey("concert", ("singer_id",), "singer", ("id",), inferred=True, confidence=0.9),
        ForeignKey("concert", ("hall",), "hall", ("id",)),
    ),
)
CASES = [
    ("SELECT 1 FROM singer AS s JOIN concert AS c ON c.singer_id = s.id", 1),
    ("SELECT 1 FROM singer, Concert WHERE singer.ID = concert.singer_id", 1),
    ("SELECT 1 FROM concert AS c JOIN hall AS h ON c.hall = h.id", 0),
    ("SELECT 1 FROM singer WHERE id = 3", 0),
    ("SELECT 1 FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE hall = 2)", 1),
    ("SELECT 1 FROM concert WHERE hall IN (SELECT id FROM hall)", 0),
    ("SELECT 1 FROM singer AS s JOIN hall ON 1 = 1 WHERE s.id IN (SELECT c.singer_id FROM concert AS c)", 1),
    ("SELECT 1 FROM singer WHERE id IN (1, 2) AND band IN (SELECT count(*) FROM concert)", 0),
    ("not sql at all", 0),
    (f"SELECT {'(' * 5000}1{')' * 5000} FROM singer", 0),
]


@pytest.mark.parametrize(("sql", "count"), CASES)
def test_names_each_join_that_is_not_declared(sql: str, count: int) -> None:
    found = inferred_joins(sql, SCHEMA)
    assert len(found) == count
    assert all("concert.singer_id was joined with singer.id" in a.text for a in found)
