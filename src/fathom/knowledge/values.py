"""Find the meanings of codes in the text people write about a column.

Such text comes in many hands: `"A" stands for ...`, `F: female`, `0 = no; 1 = yes`, `+: positive`, one on a
line or many. What can't be read with certainty is left alone; the text itself stays in the note.
"""

import re
from collections.abc import Iterator

from fathom.knowledge.parts import ValueMeaning
from fathom.text.patterns import Pattern

_QUOTE = "\"'`\u201c\u201d\u2018\u2019"
_VERBS = r"\bstands?\s+for\b|\bmeans?\b|\brefers?\s+to\b|\brepresents?\b|\bis\s+for\b"
_LINK = rf"\s*(?::\s*stands?\s+for|[:\uff1a=]|{_VERBS})\s*"
_QUOTED = rf"(?P<q>[{_QUOTE}])(?P<quoted>[^{_QUOTE}\n]{{1,40}})[{_QUOTE}]"
# Unquoted codes are short and without spaces, or words like "PREVOD Z UCTU"; longer prose is no code.
_BARE = (
    r"(?P<bare>[+-]?\d{1,4}|[+-]|[A-Z][A-Z0-9_+/-]{0,11}|[a-z]{1,2}|(?:yes|no|true|false|Yes|No|True|False))"
)
# After a bullet a code may be words: nobody starts a point of prose with a word and a colon.
_BULLET = r"[\u2022\u00b7\x95]\s*(?P<bullet>[\w /+-]{1,40}?)\s*(?::|\s[-\u2013]\s)\s*"
_CODE = Pattern(rf"{_BULLET}|(?:^|(?<=[\s,;)({{]))(?:-\s+)?(?:{_QUOTED}|{_BARE})(?!:\d\d){_LINK}")
_HEADINGS = Pattern(r"(?i)\b(?:common\s*sense evidence|note|normal range|range|unit|example|e\.g)\b")
_NOT_CODES = frozenset({"N", "NB", "OK", "PS", "IF", "ID", "URL"})


def value_meanings(text: str) -> dict[str, ValueMeaning]:
    """The codes of a text with their meanings, in its order; empty unless at least two stand side by side."""
    found = dict(_pairs(text))
    return {c: ValueMeaning(meaning=m) for c, m in found.items()} if len(found) >= 2 else {}


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in _HEADINGS.split(text):
        codes = [m for m in _CODE.finditer(part) if _code(m) not in _NOT_CODES]
        for i, code in enumerate(codes):
            end = codes[i + 1].start() if i + 1 < len(codes) else len(part)
            meaning = part[code.end() : end].strip().split("\n", 1)[0].strip(" \t\r;,.{}|" + _QUOTE)
            if meaning and len(meaning) <= 120:
                yield _code(code), meaning


def _code(found: re.Match[str]) -> str:
    return (found["quoted"] or found["bare"] or found["bullet"]).strip()
