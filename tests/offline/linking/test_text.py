import pytest

from fathom.offline.linking.text import quotes, stem, tokenize
from fathom.text.identifiers import identifier_words


def words(text: str) -> list[str]:
    return [t.text for t in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many dogs?", ["How", "many", "dogs", "?"]),
        ("more than 1,200.5 or 20%", ["more", "than", "1,200.5", "or", "20%"]),
        ("the 3rd of 12 cities", ["the", "3rd", "of", "12", "cities"]),
        ("$1,000 a day", ["$1,000", "a", "day"]),
        ("full-time staff", ["full", "-", "time", "staff"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_offsets_give_back_the_text() -> None:
    text = 'Who isn\'t in "New York"?'
    assert all(text[t.start : t.end] == t.text for t in tokenize(text))


@pytest.mark.parametrize(
    "text", ['films named "Old Town"', "films named 'Old Town'", "films named “Old Town”"]
)
def test_quoted_words_stay_words_and_are_marked(text: str) -> None:
    tokens = tokenize(text)
    (span,) = quotes(tokens)
    assert [t.text for t in tokens[span.first : span.end]] == ["Old", "Town"]


def test_an_apostrophe_opens_no_quotation() -> None:
    assert not quotes(tokenize("the students' names and the teacher's age"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cities", "city"),
        ("children", "child"),
        ("oldest", "old"),
        ("sold", "sell"),
        ("student's", "student"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first_name", ("first", "name")),
        ("StuID", ("student", "id")),
        ("orderDateUTC", ("order", "date", "utc")),
        ("address2", ("address", "2")),
        ("Official Name (long)", ("official", "name", "long")),
    ],
)
def test_identifiers_split_into_words(name: str, expected: tuple[str, ...]) -> None:
    assert identifier_words(name) == expected
