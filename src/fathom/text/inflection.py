"""The singular, plural and article of English nouns, by rules and irregular ones, and lists of words."""

import re
from collections.abc import Sequence

from fathom.text.english import PLURALS, SAME_IN_PLURAL
from fathom.text.patterns import Pattern

_SINGULARS = {many: one for one, many in PLURALS.items()}
_HISSING = ("s", "x", "z", "ch", "sh")
_WITH_ES = ("ches", "shes", "sses", "xes", "tzes", "zzes", "roes", "toes", "uses")
_WITH_S = ("ouses", "auses", "throes")
"""Plurals of houses and causes, which end as those of campus do."""
_NO_PLURAL = ("us", "ss", "is")
"""How words in the singular end that have an s: campus, address, analysis."""
_VOWEL = Pattern(r"[aeiou]|x-|8|1[18](?!\d)|h(?:eir|onest|onou?r|our)", re.IGNORECASE)
"""How words begin that sound like a vowel: order, x-ray, 8, honour, hour."""
_CONSONANT = Pattern(
    r"eu|ewe|once|one(?![a-z])|u[bfgk][aeiour]|uni(?![dmn])|unanim|u[rt][aeiou]|us[aeiu]", re.IGNORECASE
)
"""How words with a vowel begin that sound like a consonant: euro, one, union, user, utility."""
_SPELT = Pattern(r"m?[AEIO]|m?[FHLMNRSX](?![AEIOUa-z])")
"""How capitals begin that sound like a vowel, as a word or by their letters: ID, MRI, mRNA; not NASA, URL."""


def singular(words: str) -> str:
    """Words with the last one in the singular: order details -> order detail.

    By the endings of Harman's S-stemmer ("How effective is suffixing?", 1991) with the plurals of sibilants;
    words of other languages seldom change.
    """
    ahead, blank, last = words.rpartition(" ")
    return f"{ahead}{blank}{_singular(last)}"


def plural(words: str) -> str:
    """Words with the last one in the plural, where it isn't already: order detail -> order details."""
    ahead, blank, last = words.rpartition(" ")
    return f"{ahead}{blank}{_plural(last)}"


def with_article(words: str) -> str:
    """Words for one thing with "a" or "an" ahead, as they sound: an order, a user, an MRI scan."""
    in_capitals = words[1:2].isupper()
    vowel = _SPELT.match(words) if in_capitals else _VOWEL.match(words) and not _CONSONANT.match(words)
    return f"{'an' if vowel else 'a'} {words}"


def in_number(words: Sequence[str], *, many: bool) -> str:
    """Words for a thing as one text, in the plural or the singular."""
    one = singular(" ".join(words))
    return plural(one) if many else one


def quoted_list(words: Sequence[str], last: str = "") -> str:
    """Words in quotation marks with commas between, or another word ahead of the last: “a”, “b” or “c”."""
    *ahead, end = [f"“{word}”" for word in words] or [""]
    return f"{', '.join(ahead)}{f' {last} ' if last else ', '}{end}" if ahead else end


def _singular(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if len(word) < 4 or word in SAME_IN_PLURAL or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(_WITH_ES) and not word.endswith(_WITH_S) else word[:-1]


def _plural(word: str) -> str:
    if word in _SINGULARS or word in SAME_IN_PLURAL or not word.isalpha():
        return word
    if word in PLURALS:
        return PLURALS[word]
    if word.endswith("s") and not word.endswith(_NO_PLURAL):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_HISSING) else f"{word}s"
