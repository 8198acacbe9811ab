"""Evidence given with a question, taken apart: which phrase of the question refers to what.

Evidence is text of people: "publishers refers to publisher_name; "Iran" is the country_name; percentage =
Divide(Count(x), Count(y)) * 100". What can't be read so stays words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.text.patterns import Pattern

_MEANS = Pattern(
    r"\s+(?:refers?(?:s|red|ring)?\s+to|refer|stands?\s+for|means?|corresponds?\s+to|denotes?|indicates?"
    r"|implies|represents?|is\s+defined\s+as|is\s+calculated\s+as|can\s+be\s+represented\s+as|->|=>)\s+",
    re.IGNORECASE,
)
_IS = Pattern(r"\s+(?:is|are)\s+(?:the\s+|a\s+|an\s+)?", re.IGNORECASE)
_EQUALS = Pattern(r"(?<![!<>=])\s*(?:=|:)\s*(?![=>])")
_TAIL = Pattern(r"\s+(?:of|in|for|from)\s+.*\Z|[:,]\s.*\Z", re.IGNORECASE | re.DOTALL)
_QUOTED = Pattern(r"[\"“”]([^\"“”]+)[\"“”]|(?<!\w)['‘]([^'’]+(?:['’]\w[^'’]*)*)['’](?!\w)")
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """`phrase` refers to `meaning`, both as written, in the statement `text`.

    `named` marks "X is the Y", where X may be a value of Y; `equation` "X = Y", where X may be a column.
    """

    phrase: str
    meaning: str
    text: str
    named: bool = False
    equation: bool = False


def pieces(evidence: str) -> tuple[Piece, ...]:
    """The statements of an evidence, in order."""
    return tuple(p for part in _statements(evidence[:_LONGEST]) for p in _piece(part))


def quoted(phrase: str) -> tuple[str, ...]:
    """The texts in quotation marks within a phrase."""
    return tuple(a or b for a, b in _QUOTED.findall(phrase))


def unquoted(phrase: str) -> str:
    """A phrase without quotation marks around it."""
    return phrase.strip().strip("\"'`“”‘’").strip()


def head(meaning: str) -> str:
    """The beginning of "title of the book: ...", which names what is meant."""
    return unquoted(_TAIL.sub("", meaning.strip()))


def _statements(text: str) -> Iterator[str]:
    """The parts between semicolons and lines, split again where one holds several statements."""
    for part in _split(text, ";\n"):
        starts = [m for m in _MEANS.finditer(part) if not _inside(part, m.start())]
        begin = 0
        for later in starts[1:]:
            cut = max(part.rfind(s, begin, later.start()) for s in (", ", ". ", " and ", ": "))
            if cut > begin and cut > starts[0].end() and not _inside(part, cut):
                yield part[begin:cut]
                begin = cut + (5 if part[cut : cut + 5] == " and " else 2)
        yield part[begin:]


def _piece(text: str) -> Iterator[Piece]:
    text = text.strip().strip(",.").strip()
    if not text:
        return
    found = next((m for m in _MEANS.finditer(text) if not _inside(text, m.start())), None)
    if found is not None:
        yield Piece(text[: found.start()].strip(), text[found.end() :].strip(), text)
        return
    named = next((m for m in _IS.finditer(text) if not _inside(text, m.start())), None)
    if named is not None and named.start():
        yield Piece(text[: named.start()].strip(), text[named.end() :].strip(), text, named=True)
        return
    equals = next((m for m in _EQUALS.finditer(text) if not _inside(text, m.start())), None)
    if equals is not None and equals.start():
        yield Piece(text[: equals.start()].strip(), text[equals.end() :].strip(), text, equation=True)
        return
    yield Piece("", text, text)


def _split(text: str, signs: str) -> Iterator[str]:
    begin = 0
    for place, sign in enumerate(text):
        if sign in signs and not _inside(text, place, brackets=False):
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


def _inside(text: str, place: int, *, brackets: bool = True) -> bool:
    """True if a place of the text is inside quotation marks, or inside brackets."""
    if any(m.start() < place < m.end() for m in _QUOTED.finditer(text)):
        return True
    before = text[:place]
    return brackets and before.count("(") > before.count(")")
