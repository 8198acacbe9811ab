"""Makes the table of related English words from WordNet's database files (Debian package `wordnet-base`).

`python -m training.related_words /usr/share/wordnet` writes the table of the package.
WordNet 3.0, copyright 2006 by Princeton University; its licence permits this use (see `weights/NOTICE`).
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fathom.offline.linking.text import is_stop, stem
from fathom.offline.linking.translation import Translation

_SENSES = {"n": 3, "v": 2, "a": 2}
_FILES = {"n": "noun", "v": "verb", "a": "adj"}
# How close words are whose senses are so related: derived form, attribute, antonym, similar, kind of.
_POINTERS = {"+": 0.9, "=": 0.8, "!": 0.4, "&": 0.4, "@": 0.5, "~": 0.3, "\\": 0.7}
_SYNONYM = 1.0
_LEAST = 0.15
_COMMON = 2


@dataclass(frozen=True)
class _Sense:
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str], ...]


def _senses(folder: Path) -> dict[tuple[str, str], _Sense]:
    """By part of speech and offset, each set of synonyms with its pointers (sign, part of speech, offset)."""
    found = {}
    for part, name in _FILES.items():
        for line in (folder / f"data.{name}").read_text("ascii").splitlines():
            if line.startswith("  "):
                continue
            fields = line.partition(" | ")[0].split()
            count = int(fields[3], 16)
            words = tuple(w.partition("(")[0].lower() for w in fields[4 : 4 + 2 * count : 2])
            rest = fields[5 + 2 * count :]
            pointers = tuple(
                (rest[i], rest[i + 2].replace("s", "a"), rest[i + 1])
                for i in range(0, 4 * _count(fields, count), 4)
            )
            found[part, fields[0]] = _Sense(words, pointers)
    return found


def _count(fields: list[str], words: int) -> int:
    return int(fields[4 + 2 * words])


def _first_senses(folder: Path) -> Iterator[tuple[str, str, str, int]]:
    """Each plain word with the offsets of its most frequent senses: (word, part of speech, offset, rank)."""
    for part, name in _FILES.items():
        for line in (folder / f"index.{name}").read_text("ascii").splitlines():
            fields = line.split()
            if line.startswith("  ") or not fields[0].isalpha() or len(fields[0]) < 3:
                continue
            for rank, offset in enumerate(fields[-int(fields[2]) :][: _SENSES[part]]):
                yield fields[0], part, offset, rank


def _frequencies(folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in (folder / "cntlist.rev").read_text("ascii").splitlines():
        key, _, count = line.split()
        counts[key.partition("%")[0]] += int(count)
    return counts


def related_words(folder: Path) -> Translation:
    """How related words are, from 0 to 1, by their stems."""
    senses = _senses(folder)
    uses = _frequencies(folder)
    close: dict[tuple[str, str], float] = defaultdict(float)

    def relate(word: str, others: tuple[str, ...], weight: float) -> None:
        for other in others:
            a, b = stem(word), stem(other)
            if a != b and other.isalpha() and not is_stop(other) and min(uses[other], uses[word]) >= _COMMON:
                for pair in ((a, b), (b, a)):
                    close[pair] = max(close[pair], weight)

    for word, part, offset, rank in _first_senses(folder):
        if uses[word] < _COMMON or is_stop(word):
            continue
        sense, discount = senses[part, offset], 0.7**rank
        relate(word, sense.words, _SYNONYM * discount)
        for sign, kind, target in sense.pointers:
            if (weight := _POINTERS.get(sign, 0.0)) and (kind, target) in senses:
                near = senses[kind, target]
                relate(word, near.words, weight * discount)
                if sign in {"&", "!"}:  # "heavy" is like "weighty", whose attribute is "weight"
                    for onward, of, where in near.pointers:
                        if onward in {"=", "+"} and (of, where) in senses:
                            relate(word, senses[of, where].words, 0.6 * discount)
    kept = sorted((p for p, w in close.items() if w >= _LEAST))
    sources = {w: i for i, w in enumerate(sorted({a for a, _ in kept}))}
    pairs = np.array([(sources[a], sources[b]) for a, b in kept if b in sources], np.int32)
    weights = np.array([close[a, b] for a, b in kept if b in sources], np.float32)
    names = tuple(sources)
    return Translation(names, names, pairs, weights, np.zeros(len(names), np.float32))


if __name__ == "__main__":
    table = related_words(Path(sys.argv[1]))
    target = Path(__file__).parents[1] / "src" / "fathom" / "offline" / "weights" / "related_words.npz"
    np.savez_compressed(target, **table.arrays("related"))  # type: ignore[arg-type]
