"""A question's own words for what it asks for: the subject of the sentence that answers it."""

import re

from fathom.text.patterns import Pattern

LONGEST_ASKED = 80
_OPENING = Pattern(
    r"(?:please )?(?:(?:what|how much) (?:is|was|are|were)|what['’]?s|(?:show|give|tell)(?: me)?|find"
    r"|get|calculate|compute)\s+(?:(?:the|our)\s+)?",
    re.IGNORECASE,
)
_COUNTING = Pattern(
    r"(?:(?:please|hi,?|hello,?) )*how many (?P<thing>.+)"
    r"|(?:(?:the|total) )*(?:number|count) of (?P<things>.+)",
    re.IGNORECASE,
)
_PLEASE = Pattern(r",? (?:please|thanks|thank you)$", re.IGNORECASE)
_SENTENCE = Pattern(
    r"(?i)\b(?:is|are|was|were|be|do|does|did|has|have|had|can|which|who|whose|that|there|i|we|you|they|how|what|why"
    r"|when|where)\b"
)
"""Words of whole sentences: what a noun phrase has none of."""
_SEVERAL = Pattern(r"[?!]|\.\s+[A-Z]")
"""Marks between sentences."""
_INVERTED = Pattern(
    r"(?i)\b(?:do|does|did|can|could|will|would|i|we|you|me|my|us|our|your|here|how|what|why|when|which|who)\b"
)
"""Words after which a question's order isn't that of a statement, or which speak of those who talk."""
_THERE = Pattern(r"(?i)^(?P<thing>.+?) (?P<verb>are|were) there\b(?P<rest>.*)$")


def asked_for(question: str) -> str:
    """Take the subject of a question, in its own words: “Total revenue in 2023” of “What was the total
    revenue in 2023?”. Empty where the question is more than a thing and its circumstances."""
    text = _plain(question)
    thing = text[opening.end() :] if (opening := _OPENING.match(text)) else text
    whole = not (_SENTENCE.search(thing) or _SEVERAL.search(thing))
    plain = thing and len(thing) <= LONGEST_ASKED and whole and thing[0].isalnum()
    return f"{thing[:1].upper()}{thing[1:]}" if plain else ""


def counted_as_asked(question: str) -> str:
    """Take what a question counts, as the rest of a sentence after the figure.

    “drugs have been withdrawn” of “How many drugs have been withdrawn?”, “airports in Germany” of “How many
    airports are there in Germany?”. Empty where the question doesn't count, or turns its words round.
    """
    found = _COUNTING.fullmatch(_plain(question))
    if found is None:
        return ""
    thing = found["thing"] or found["things"]
    if there := _THERE.match(thing):
        thing = f"{there['thing']}{there['rest']}"
    fits = len(thing) <= LONGEST_ASKED and thing[0].isalpha() and not _INVERTED.search(thing)
    return thing if fits and (found["thing"] or not _SENTENCE.search(thing)) else ""


def _plain(question: str) -> str:
    return _PLEASE.sub("", " ".join(question.split()).rstrip("?.! "))
