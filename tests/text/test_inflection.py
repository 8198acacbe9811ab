import pytest

from fathom.text.inflection import in_number, plural, quoted_list, singular, with_article


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


@pytest.mark.parametrize(
    ("article", "words"),
    [
        ("an", "order, x-ray, hour, hourglass, honest answer, uncle, unidentified gene, uninsured patient"),
        ("a", "house, user, unit price, unanimous vote, euro, one-way trip, utility, Ukrainian"),
        ("an", "8-week course, 18th day, ID, EU country, MRI scan, SQL query, mRNA, SNP"),
        ("a", "180-day stay, 110th day, NASA mission, URL, US city, VAT rate, GWAS"),
    ],
)
def test_an_article_goes_by_the_sound_of_the_first_word(article: str, words: str) -> None:
    for phrase in words.split(", "):
        assert with_article(phrase) == f"{article} {phrase}"


@pytest.mark.parametrize(
    ("words", "last", "expected"),
    [
        ((), "or", ""),
        (("a",), "or", "“a”"),
        (("a", "b"), "or", "“a” or “b”"),
        (("a", "b", "c"), "or", "“a”, “b” or “c”"),
        (("a", "b", "c"), "", "“a”, “b”, “c”"),
    ],
)
def test_words_are_quoted_and_listed(words: tuple[str, ...], last: str, expected: str) -> None:
    assert quoted_list(words, last) == expected
