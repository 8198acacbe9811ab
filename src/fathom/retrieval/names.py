"""The words inside the names of tables and columns, and the words that people use for them."""

from collections.abc import Collection, Iterable
from itertools import pairwise

from fathom.text.english import SHORT_WORDS, STOP_WORDS
from fathom.text.identifiers import identifier_parts, long_form
from fathom.text.inflection import singular
from fathom.text.words import fold

_SHORTEST_PART = 3


def parts(name: str) -> list[str]:
    """The folded singular words of an identifier, split at case, digits and punctuation."""
    found = (fold(part) for part in identifier_parts(name))
    return [singular(part) for part in found if part]


def spelt_out(words: Iterable[str], known: Collection[str] = ()) -> list[str]:
    """The words a name may be asked for by: its own, abbreviations in full, compounds apart and together.

    A word like "birthdate" comes apart where both halves are among the known words.
    """
    own = list(words)
    found = dict.fromkeys(own)
    for at, word in enumerate(own):
        full = [w for w in long_form(own, at) or SHORT_WORDS.get(word, ()) if w not in STOP_WORDS]
        found.update(dict.fromkeys((*full, *(a + b for a, b in pairwise(full)))))
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if word[:cut] in known and word[cut:] in known:
                found[word[:cut]] = found[word[cut:]] = None
    found.update(dict.fromkeys(a + b for a, b in pairwise(own)))
    return list(found)
