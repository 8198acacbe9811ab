"""How text becomes words: folding of case and accents, tokens with their places, singulars.

Values and questions go through the same three functions, so that what is one word in a value is one
word in a question.
"""

import re
import unicodedata
from dataclasses import dataclass

from fathom.text.inflection import singular

# A number keeps its decimals and thousands signs; anything else is a run of letters and digits.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
POINT = "\u00b7"
"""A decimal point that no tokenizer splits at."""
_APOSTROPHES = "'`\u2018\u2019\u02bc"
_ALONE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # scripts written without spaces


class _Folding(dict[int, str]):
    """Each character's folded form, worked out when first met; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _APOSTROPHES:
            folded = ""
        elif _ALONE.match(char):
            folded = f" {char} "
        else:
            plain = unicodedata.normalize("NFKD", char.casefold())
            folded = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
        self[code] = folded
        return folded


_FOLDING = _Folding()


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a question: as `folded`, its singular `stem`, and its characters `[start, end)`."""

    folded: str
    stem: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case, without accents or apostrophes, compatibility forms resolved."""
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    return text.translate(_FOLDING)


def words(text: str) -> list[str]:
    """The folded singular words of a text, in order."""
    found = _TOKEN.findall(fold(text))
    return [_word(t) for t in found]


def tokens(question: str) -> list[Token]:
    """The words of a question with the places in it that they come from."""
    folded: list[str] = []
    origin: list[int] = []
    for place, char in enumerate(question):
        for piece in fold(char):
            folded.append(piece)
            origin.append(place)
    return [
        Token(_number(m[0]), _word(m[0]), origin[m.start()], origin[m.end() - 1] + 1)
        for m in _TOKEN.finditer("".join(folded))
    ]


def _word(token: str) -> str:
    return singular(token) if token.isalpha() else _number(token)


def _number(token: str) -> str:
    if token.isalnum():
        return token
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    return token.replace(",", POINT).replace(".", POINT)
