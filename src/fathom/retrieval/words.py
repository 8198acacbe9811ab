"""How text becomes words: folding of case and accents, tokens with their places, singulars.

Values and questions go through the same three functions, so that what is one word in a value is one
word in a question.
"""

import re
import unicodedata
from dataclasses import dataclass
from zlib import crc32

# A number keeps its decimals and thousands signs; anything else is a run of letters and digits.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DIGITS_MEET = re.compile(r"(?<=\d) (?=\d)")
_POINT = "\u00b7"  # a decimal point that no tokenizer splits at
_APOSTROPHES = "'`\u2018\u2019\u02bc"
_ALONE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # scripts written without spaces

_IRREGULAR = {
    "children": "child", "feet": "foot", "geese": "goose", "men": "man", "mice": "mouse",
    "people": "person", "teeth": "tooth", "women": "woman",
}  # fmt: skip

_FUNCTION_WORDS = """
a about above after all also am an and any are as at be been before being below between both but by
can  could did do does each either every find for from get give had has have having he her his how i
in into is  it its list many me more most much no nor not of off on only or other our out over per
please same she  should show since so some such tell than that the their them then there these they
this those through to  too under until up us was we were what when where whether which while who
whom whose why will with within  would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())  # words that carry a question rather than name a value


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


def singular(word: str) -> str:
    """The singular of an English word, by Harman's S-stemmer ("How effective is suffixing?", 1991) with
    the sibilants' plurals and a few irregular ones; other languages' words seldom change."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] != "s" or word.endswith(("us", "ss", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    return word[:-1]


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


def compact(stems: list[str]) -> str:
    """Words written together: "e-mail", "email" and "e mail" are one; digits of two words stay apart."""
    joined = "".join(stems)
    if len(stems) < 2 or joined.isalpha():
        return joined
    return _DIGITS_MEET.sub(_POINT, " ".join(stems)).replace(" ", "")


def key(stems: list[str]) -> int:
    """A 32-bit number for the words of a value: equal for equal `compact` forms, rarely otherwise."""
    return crc32(compact(stems).encode("utf-8", "surrogatepass"))


def _word(token: str) -> str:
    return singular(token) if token.isalpha() else _number(token)


def _number(token: str) -> str:
    if token.isalnum():
        return token
    if _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    return token.replace(",", _POINT).replace(".", _POINT)
