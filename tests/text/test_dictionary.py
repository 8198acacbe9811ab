"""English words, and which are one slip of a finger away."""

import pytest

from fathom.text.dictionary import common_words, is_english, likeliest, one_slip_away


def test_words_of_english_are_known() -> None:
    assert is_english("customers")
    assert not is_english("trakcs")
    assert "the" in common_words()[:5]
    assert all(w.isalpha() for w in common_words())


@pytest.mark.parametrize("word", ["trcks", "trackss", "trakcs", "trucks"])
def test_one_slip_is_a_letter_wrong_missing_too_many_or_two_swapped(word: str) -> None:
    assert one_slip_away(word, ["tracks", "track", "racket"])[0] == "tracks"


def test_two_slips_and_none_are_not_one() -> None:
    assert one_slip_away("tracks", ["tracks", "bricks"]) == []


@pytest.mark.parametrize(
    ("word", "near", "meant"),
    [
        ("fisrt", ["first", "fist"], "first"),  # all its letters
        ("bught", ["bought", "ought"], None),
        ("amunt", ["amount"], "amount"),
        ("xyz", [], None),
    ],
)
def test_the_likeliest_has_the_same_letters(word: str, near: list[str], meant: str | None) -> None:
    assert likeliest(word, near) == meant
