"""Words that are spelt nearly alike, found in an index of what is left of each word without a letter.

Two words one edit apart (a letter wrong, missing, too many, or two swapped) share such a remainder
(the deletion neighbourhood of Mor and Fraenkel, "A hash code method for detecting and correcting spelling
errors", 1982). Long words are kept by their beginning and their end only, which also finds most words
two edits apart.
"""

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from fathom.text.dictionary import SHORTEST

_LONG = 8
_HEAD = 6
_TAIL = 5


def correctable(word: str) -> bool:
    """True if a misspelling of the word is looked for: a wrong digit is another code, never a typo."""
    return len(word) >= SHORTEST and word.isalpha()


def remainders(word: str) -> Iterator[str]:
    """Give the keys under which a word is indexed."""
    yield from _of_head(word) if len(word) >= _LONG else _of_whole(word)


def wanted(word: str) -> list[str]:
    """Give the keys of words that may have been misspelt as this one."""
    found: list[str] = []
    if len(word) <= _LONG:
        found.extend(_of_whole(word))
    if len(word) >= _LONG - 2:
        found.extend(_of_head(word))
    return found


def similarity(word: str, other: str) -> float:
    """1 for equal words, 0 for words too far apart: more than one edit, or two from eight letters on."""
    allowed = 2 if len(word) >= _LONG else 1
    distance = OSA.distance(word, other, score_cutoff=allowed)
    return 0.0 if distance > allowed else 1 - distance / max(len(word), len(other))


def _of_whole(word: str) -> Iterator[str]:
    yield word
    yield from {word[:i] + word[i + 1 :] for i in range(len(word))}


def _of_head(word: str) -> Iterator[str]:
    head = word[:_HEAD]
    yield "1" + head
    yield from {"1" + head[:i] + head[i + 1 :] for i in range(len(head))}
    yield "2" + word[-_TAIL:]
