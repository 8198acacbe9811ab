"""Made-up names, titles and codes of realistic shape, from a seed: words drawn by Zipf's law."""

import random
from collections.abc import Iterator
from itertools import accumulate

_ONSETS = "b br c ch cl d dr f fl g gr h j k kl l m n p pr qu r s sh st t th tr v w y z".split()
_VOWELS = "a a e e i i o o u ai ea ee ia io oa ou".split()
_CODAS = ["", "", "", "l", "m", "n", "n", "r", "r", "s", "t", "ck", "ld", "nd", "ng", "rt", "st", "th"]
_LINKS = ["of", "the", "in", "and", "a", "for", "to", "from"]
_FORMS = ["Inc.", "Ltd", "GmbH", "& Sons", "Holdings", "Group", "Corp.", "Partners"]


class Words:
    """A vocabulary whose words come up by Zipf's law."""

    def __init__(self, rng: random.Random, size: int, syllables: tuple[int, int]) -> None:
        found: dict[str, None] = {}
        while len(found) < size:
            parts = range(rng.randint(*syllables))
            word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in parts)
            found[word] = None
        self._words = list(found)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(size)))
        self._rng = rng

    def draw(self, count: int = 1) -> list[str]:
        return self._rng.choices(self._words, cum_weights=self._weights, k=count)


def people(rng: random.Random) -> Iterator[str]:
    first, last = Words(rng, 6_000, (2, 3)), Words(rng, 150_000, (2, 4))
    while True:
        middle = f" {rng.choice('ABCDEFGHJKLMPRSTW')}." if rng.random() < 0.3 else ""
        yield f"{first.draw()[0].title()}{middle} {last.draw()[0].title()}"


def titles(rng: random.Random) -> Iterator[str]:
    words = Words(rng, 60_000, (1, 4))
    while True:
        drawn = words.draw(rng.randint(2, 5))
        if len(drawn) > 2:
            drawn.insert(rng.randint(1, len(drawn) - 1), rng.choice(_LINKS))
        yield ("The " if rng.random() < 0.2 else "") + " ".join(
            w if w in _LINKS else w.title() for w in drawn
        )


def companies(rng: random.Random) -> Iterator[str]:
    words = Words(rng, 80_000, (2, 3))
    while True:
        yield f"{' '.join(w.title() for w in words.draw(rng.randint(1, 2)))} {rng.choice(_FORMS)}"


def codes(rng: random.Random) -> Iterator[str]:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    while True:
        yield f"{''.join(rng.choices(letters, k=3))}-{rng.randrange(100_000):05d}/{rng.choice(letters)}"


KINDS = {"person": people, "work": titles, "company": companies, "part": codes}
SHARES = {"person": 0.4, "work": 0.3, "company": 0.16, "part": 0.14}


def typo(rng: random.Random, text: str) -> str:
    """One letter of the longest word wrong, missing, doubled or swapped with the next."""
    word = max(text.split(), key=len)
    at = rng.randrange(1, len(word) - 1)
    changed = rng.choice(
        [
            word[:at] + rng.choice("aeiorstln") + word[at + 1 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )
    return text.replace(word, changed, 1)


def partial(rng: random.Random, text: str) -> str:
    """All but one word at an end."""
    parts = text.split()
    return " ".join(parts[1:] if rng.random() < 0.5 else parts[:-1])
