import pytest

from fathom.offline.linking.similarity import likeness
from fathom.offline.linking.text import stem
from fathom.offline.linking.translation import Translation, learn


@pytest.mark.parametrize(
    ("word", "schema_word", "least", "most"),
    [
        ("cities", "city", 1, 1),
        ("name", "lastname", 0.8, 0.8),
        ("department", "dept", 0.5, 0.9),
        ("quantity", "qty", 0.5, 0.9),
        ("student", "stu", 0.6, 0.9),
        ("enviroment", "environment", 0.7, 0.9),
        ("cat", "category", 0, 0.6),
        ("river", "price", 0, 0),
        ("12", "1234", 0, 0),
    ],
)
def test_letters(word: str, schema_word: str, least: float, most: float) -> None:
    assert least <= likeness(word, stem(word), schema_word, stem(schema_word)) <= most


def test_translation_learns_what_stands_for_what_and_survives_a_file() -> None:
    pairs = [
        (["oldest", "dog"], ["age", "pet"]),
        (["oldest", "cat"], ["age", "feline"]),
        (["small", "dog"], ["size", "pet"]),
        (["small", "cat"], ["size", "feline"]),
    ]
    learned = learn(pairs)
    again = Translation.from_arrays(learned.arrays("t"), "t")
    for table in (learned, again):
        given = table.given("oldest")
        assert max(given, key=given.__getitem__) == "age"
        assert table.matrix(["oldest", "unseen"], ["age", "size"])[1].sum() == 0
