import pytest

from fathom.text import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("a\rb\x08\x85", r"a\x0db\x08\x85"),
        ("paid \u202e100\u2066", r"paid \u202e100\u2066"),
        ("ad\u200bmin\ufeff", r"ad\u200bmin\ufeff"),
        ("one\u2028two", r"one\u2028two"),
        ("tag\U000e0041\U000e0101", r"tag\U000e0041\U000e0101"),
        ("fill\u3164er", r"fill\u3164er"),
        ("half \ud800", r"half \ud800"),
        ("Zoë, 北京, नमस्ते, 🧬\nand a\ttab", "Zoë, 北京, नमस्ते, 🧬\nand a\ttab"),
    ],
)
def test_what_is_hidden_is_shown_as_its_code(text: str, shown: str) -> None:
    assert visible(text) == shown
