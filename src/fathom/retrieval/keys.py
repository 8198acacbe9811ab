"""Words of a value as one key, under which a question finds it however they are spaced."""

from zlib import crc32

from fathom.text.patterns import Pattern
from fathom.text.words import POINT

_DIGITS_MEET = Pattern(r"(?<=\d) (?=\d)")


def compact(stems: list[str]) -> str:
    """Words written together: "e-mail", "email" and "e mail" are one; digits of two words stay apart."""
    joined = "".join(stems)
    if len(stems) < 2 or joined.isalpha():
        return joined
    return _DIGITS_MEET.sub(POINT, " ".join(stems)).replace(" ", "")


def key(stems: list[str]) -> int:
    """A 32-bit number for the words of a value: equal for equal `compact` forms, rarely otherwise."""
    return crc32(compact(stems).encode("utf-8", "surrogatepass"))
