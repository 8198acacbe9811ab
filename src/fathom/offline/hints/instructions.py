"""Tells what an evidence says of the question from what it says of how to write any query.

"Always filter names with LIKE", "match strings exactly": values are looked up as they are stored anyway, so
that a question with such instructions alone is one without evidence.
"""

import re
from dataclasses import replace

from fathom.records import Question
from fathom.text.patterns import Pattern

_SENTENCE = Pattern(r"[^.;\n]+(?:\.(?=\S)[^.;\n]+)*[.;\n]*")
_MATCHING = Pattern(
    r"\s*(?:please\s+|always\s+|when\s+\w+ing,?\s+|you\s+(?:should|must)\s+)*"
    r"(?:(?:filter|match|compare|search|look\s+up|treat)\b(?=.*\b(?:strings?|texts?|names?|values?|like|exact\w*|case)\b)"
    r"|use\s+(?:i?like\b|(?:exact|case|wildcards?|partial)\b)(?=.*\b(?:match|filter|compar|search|string|name|value|text)))",
    re.IGNORECASE,
)
_ONCE = Pattern(
    r"\s*(?:when\b.*,\s*)?(?:do\s+not|don't|never|avoid)\s+return(?:ing)?\s+duplicates?\b", re.IGNORECASE
)


_TELLS_HOW = Pattern(
    r"\b(?:must|should|assume|compute|calculate|ignore|exclude|leave\s+out|do\s+not|don't|never)\b",
    re.IGNORECASE,
)


def tells_how(words: str) -> bool:
    """True if what is left of an evidence as mere words tells how the question is to be answered."""
    return bool(_TELLS_HOW.search(words))


def without_instructions(question: Question) -> Question:
    """The question with its evidence less what that says of how text is to be compared."""
    if not question.evidence:
        return question
    sentences = _SENTENCE.findall(question.evidence)
    kept = [s for s in sentences if not (_MATCHING.match(s) or _ONCE.match(s))]
    if len(kept) == len(sentences):
        return question
    return replace(question, evidence="".join(kept).strip())
