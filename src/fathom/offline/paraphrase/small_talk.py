"""Takes off a question what is said around it: "Hi, could you please tell me how many ..., thanks"."""

import re
from collections.abc import Iterable

from fathom.offline.linking.wordlists import (
    AFTERWORDS,
    COURTESIES,
    OPENINGS,
    REQUESTS,
    UNITS,
    WITHIN_REQUESTS,
)
from fathom.offline.paraphrase.expressions import plainly
from fathom.text.patterns import Pattern


def _any_of(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first; capitals only where a sentence begins with them.

    "Show Me ..." and "Hey Jude" are titles.
    """
    longest_first = sorted(phrases, key=len, reverse=True)
    return "|".join(f"[{p[0].upper()}{p[0]}]{_spelled(p[1:])}" for p in longest_first)


def _spelled(text: str) -> str:
    words = ("[iI]" if w == "i" else re.escape(w).replace("'", "['\u2019]") for w in text.split(" "))
    return r"\s+".join(words)


_END = r"(?![\w'\u2019-])[\s,:]*"
_AHEAD = _any_of((*COURTESIES, *REQUESTS, *OPENINGS))
_COURTESY = Pattern(rf"(?:{_any_of(COURTESIES)})(?:\s*[,.!:]+\s*|\s+(?=(?:{_AHEAD})\b))")
_REQUEST = Pattern(
    rf"(?:{_any_of(r for r in REQUESTS if ' ' in r)}){_END}"
    rf"|(?:{_any_of(r for r in REQUESTS if ' ' not in r)})\s+(?=[a-z\d])"
)
_WITHIN = Pattern(rf"(?:{_any_of((*WITHIN_REQUESTS, *COURTESIES))}){_END}")
_AFTER = Pattern(rf"(?:[\s,.!?]+(?:please|pls)|[,.!?]\s*(?:{_any_of(AFTERWORDS)}))[\s.!?]*$")
_CONDITION = Pattern(r"(?:if|whether)\b")
_CONTRACTION = Pattern(r"(what|who|how|where|when)['\u2019]?(s|re)\b", re.IGNORECASE)
_NOT = Pattern(
    r"\b(do|does|did|have|has|had|is|are|was|were|ca|wo|could|would|should)n['\u2019]t\b", re.IGNORECASE
)
_COUNT = rf"\d+|{'|'.join(UNITS)}"
_EITHER = Pattern(
    rf"(?<!than )\b({_COUNT})\s+or\s+({_COUNT})\s+(?!(?:more|less|fewer|of|to)\b)([a-z]+)\b", re.IGNORECASE
)
_NUMBER_OF = Pattern(r"(?:\bno\.|\bnr\.|#)\s+of\b", re.IGNORECASE)
_SELLING = Pattern(r"\b(best|top|worst)-?selling\b", re.IGNORECASE)
_THE_WORD = Pattern(
    r"\b(contain(?:s|ing|ed)?|includ(?:es?|ing|ed))\s+(?:the\s+)*(?:word|substring|string)\s+([\w-]+)",
    re.IGNORECASE,
)
_STEMS = {"ca": "can", "wo": "will"}
_THERE = Pattern(
    r"(?:what|which)\s+(?!is\b|are\b)(.+s)\s+(?:are\s+there|do\s+(?:we|you)\s+have|exist)[\s?.!]*$",
    re.IGNORECASE,
)
_THERE_IN = Pattern(
    r"(?:what|which)\s+(?!is\b|are\b)([\w\s-]+?s)\s+(?:are\s+there|do\s+(?:we|you)\s+have)\s+"
    r"(?=(?:in|at|on|from|of|for|with)\b)",
    re.IGNORECASE,
)
_HAVE_NO = Pattern(r"\s(?:has|have|do|does)\s+not\s+(?:have|got|had)\s+(?:a\s+single|any)\s", re.IGNORECASE)
_INDIRECT = Pattern(r"(what|who|where|when)\s+(?=(?:the|an?|our|my)\b)", re.IGNORECASE)
_BE = Pattern(r"\s+(is|are|was|were)\b(\W*$)?")


_QUOTED = Pattern(r"\"[^\"]+\"|\u201c[^\u201c\u201d]+\u201d")
_HELD = range(0xE000, 0xF900)
"""Characters without a meaning, one of which stands for each quoted text meanwhile."""
_STANDS_IN = Pattern(f'"([{chr(_HELD[0])}-{chr(_HELD[-1])}])"')


def to_the_point(text: str) -> str:
    """The question without what is said around it, and plainly; what it quotes stays as it is."""
    quoted = _QUOTED.findall(text)
    if _STANDS_IN.search(text) or len(quoted) > len(_HELD):
        return plainly(without_courtesies(text))
    left = iter(_HELD)
    plain = plainly(without_courtesies(_QUOTED.sub(lambda _: f'"{chr(next(left))}"', text)))
    return _STANDS_IN.sub(lambda m: quoted[ord(m[1]) - _HELD[0]], plain)


def without_courtesies(text: str) -> str:
    """The question without greetings, thanks and requests, with "what's" and "don't" written out.

    What is asked within a request is asked directly: "tell me who the manager is" becomes "who is the
    manager". "What genres are there" asks for the different ones, "haven't got any" is "have no", and
    "best-selling" is two words, and "contain the word you" quotes "you", and "no. of" is written
    out. Unchanged where nothing would be left, or only whether something is so.
    """
    text = _NOT.sub(lambda m: f"{_STEMS.get(m[1].lower(), m[1])} not", text)
    text = _NUMBER_OF.sub("number of", text)
    text = _EITHER.sub(r"\1 \3 or \2 \3", text)
    text = _THE_WORD.sub(r'\1 "\2"', _SELLING.sub(r"\1 selling", text))
    said = _without(_COURTESY, text.strip())
    requested = _REQUEST.match(said)
    if requested:
        said = _without(_WITHIN, said[requested.end() :])
    said = _AFTER.sub("", said)
    if not said or _CONDITION.match(said):
        return text
    if contracted := _CONTRACTION.match(said):
        be = "is" if contracted[2].lower() == "s" else "are"
        said = f"{contracted[1]} {be}{said[contracted.end() :]}"
    if there := _THERE.match(said):
        return f"What are the different {there[1]}?"
    said = _THERE_IN.sub(r"List the \1 ", said, count=1)
    said = _HAVE_NO.sub(" have no ", said)
    return _direct(said) if requested else said


def _without(pattern: Pattern, text: str) -> str:
    while match := pattern.match(text):
        text = text[match.end() :]
    return text


def _direct(text: str) -> str:
    """An indirect question as a direct one, its verb behind the question word, where it is clear which."""
    indirect = _INDIRECT.match(text)
    verbs = list(_BE.finditer(text))
    if indirect is None or not verbs or (len(verbs) > 1 and verbs[-1][2] is None):
        return text
    verb = verbs[-1]
    return f"{indirect[1]} {verb[1]} {text[indirect.end() : verb.start()]}{text[verb.end(1) :]}"
