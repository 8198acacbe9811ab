"""The form in which a terminal shows a text from outside: nothing in it moves, hides or reorders."""

import unicodedata

_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Letters and marks that have no shape, though their category is that of others that do."""
_HIDDEN_KINDS = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control; format, which are bidirectional, zero-width and tag characters; halves; separators of lines."""


def is_hidden(character: str) -> bool:
    """True if a terminal would act on a character, or show nothing for it, instead of showing it."""
    if " " <= character <= "~":
        return False
    return (
        unicodedata.category(character) in _HIDDEN_KINDS
        or character in _HIDDEN_LETTERS
        or "\U000e0100" <= character <= "\U000e01ef"  # variation selectors that carry data in emoji
    )


def visible(text: str) -> str:
    r"""The text with hidden characters as their codes (`\x1b`, `\u202e`, `\U000e0041`), but for line ends."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or not is_hidden(c) else _code(c) for c in text)


def _code(character: str) -> str:
    number = ord(character)
    return (
        f"\\x{number:02x}"
        if number < 0x100
        else f"\\u{number:04x}"
        if number < 0x10000
        else f"\\U{number:08x}"
    )
