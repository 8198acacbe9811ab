"""An answer's sentences."""

import re

_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_HEADING = re.compile(r"^\s*#{1,6}\s")
_END = re.compile(r"(?<=[.!?])\s+(?=[\"“‘(]?[A-Z\d$€£])")
# An abbreviation or an initial before the stop ends no sentence.
_NO_END = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|vs|Nr|No|ca|e\.g|i\.e|etc|approx)\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text; items of a list are sentences of their own, and headings are none."""
    found: list[str] = []
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        pieces = _END.split(_LIST_ITEM.sub("", line).strip())
        held = ""
        for piece in pieces:
            held = f"{held} {piece}".strip()
            if held and not _NO_END.search(held):
                found.append(held)
                held = ""
        if held:
            found.append(held)
    return [s for s in found if any(c.isalnum() for c in s)]
