"""How far each token of a question mentions each name of a schema."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.offline.linking.records import Floats, Token
from fathom.offline.linking.schema_words import Names, SchemaWords
from fathom.offline.linking.similarity import likeness
from fathom.offline.linking.translation import Translation

_LIKE = 0.5  # likeness of letters under this is chance


@dataclass(frozen=True)
class WordMatches:
    """Tokens x schema words: `letters` by spelling, `meaning` by learned translation."""

    letters: Floats
    meaning: Floats


@dataclass(frozen=True)
class NameMatches:
    """Names x tokens, three ways, and how far each name as a whole is covered by the question (names).

    `letters` and `meaning` as in `WordMatches`; `notes` counts words of descriptions.
    """

    letters: Floats
    meaning: Floats
    notes: Floats
    covered: Floats
    exact: Floats
    meant: Floats
    head: Floats

    @property
    def alignment(self) -> Floats:
        """How far each token mentions each name, from 0 to 1, by the best of the ways."""
        best = np.maximum(np.maximum(self.letters, 0.9 * self.meaning), 0.5 * self.notes)
        return np.asarray(np.clip(best, 0, 1), np.float32)


def match_words(tokens: Sequence[Token], words: SchemaWords, translation: Translation) -> WordMatches:
    """Compare every token with every word of the schema."""
    letters = np.zeros((len(tokens), len(words.vocabulary)), np.float32)
    for row, token in enumerate(tokens):
        if token.kind == "sign":
            continue
        if token.stop:
            letters[row] = [token.lower == s for s in words.surface]
            continue
        letters[row] = [
            likeness(token.lower, token.stem, surface, stem)
            for surface, stem in zip(words.surface, words.vocabulary, strict=True)
        ]
    letters[letters < _LIKE] = 0
    meaning = translation.matrix([t.stem for t in tokens], words.vocabulary)
    meaning[[t.kind == "sign" for t in tokens]] = 0
    return WordMatches(letters, meaning)


def match_names(matches: WordMatches, names: Names, tokens: Sequence[Token]) -> NameMatches:
    """Bring word matches together by name."""
    content = np.array([0.3 if t.stop else 1.0 for t in tokens], np.float32)
    letters = names.incidence @ (matches.letters * content[:, None]).T
    meaning = names.incidence @ (matches.meaning * content[:, None]).T
    notes = names.described @ (matches.letters * (content[:, None] == 1)).T
    best = matches.letters.max(axis=0, initial=0)
    meant = np.maximum(matches.letters, matches.meaning).max(axis=0, initial=0)
    return NameMatches(
        letters=letters,
        meaning=meaning,
        notes=np.asarray(notes, np.float32),
        covered=names.incidence @ best,
        exact=names.incidence @ np.asarray(best >= 1, np.float32),
        meant=names.incidence @ meant,
        head=best[list(names.last)] if len(best) else np.zeros(len(names.last), np.float32),
    )
