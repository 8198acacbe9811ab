import pytest

from fathom.text.inflection import in_number, plural, singular


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("order detail", "order details"),
        ("country", "countries"),
        ("day", "days"),
        ("box", "boxes"),
        ("branch", "branches"),
        ("address", "addresses"),
        ("person", "people"),
        ("series", "series"),
        ("campus", "campuses"),
        ("virus", "viruses"),
        ("house", "houses"),
        ("warehouse", "warehouses"),
        ("cause", "causes"),
        ("course", "courses"),
        ("size", "sizes"),
        ("prize", "prizes"),
        ("waltz", "waltzes"),
        ("shoe", "shoes"),
        ("movie", "movies"),
        ("analysis", "analyses"),
        ("diagnosis", "diagnoses"),
        ("hero", "heroes"),
    ],
)
def test_one_and_many(one: str, many: str) -> None:
    assert singular(many) == singular(one) == one
    if one != "hero":  # "photos" is right, and no ending tells them apart
        assert plural(one) == plural(many) == many


def test_short_words_and_those_of_other_languages_stay() -> None:
    for word in ("bus", "gas", "is", "us", "haus"):
        assert singular(word) == word


def test_names_of_several_words_take_a_number() -> None:
    assert in_number(("order", "details"), many=False) == "order detail"
    assert in_number(("child",), many=True) == "children"
