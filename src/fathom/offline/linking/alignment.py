"""How far each token of a question mentions each name of a schema."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fathom.offline.linking.records import Floats, QuestionToken
from fathom.offline.linking.schema_words import NameMatrix, Phrases, SchemaWords
from fathom.offline.linking.similarity import likeness
from fathom.offline.linking.translation import Translation

_LIKE = 0.5  # likeness of letters under this is chance


@dataclass(frozen=True)
class WordMatches:
    """Tokens x schema words: by spelling, by learned translation (`meaning`), by English (`related`)."""

    letters: Floats
    meaning: Floats
    related: Floats

    @property
    def known(self) -> Floats:
        """How well each token matches any of the words."""
        best = np.maximum(self.letters, np.maximum(np.minimum(2 * self.meaning, 1), 0.8 * self.related))
        return np.asarray(best.max(axis=1, initial=0), np.float32)


@dataclass(frozen=True)
class NameMatches:
    """Names x tokens, four ways, and how far each name as a whole is covered by the question (names).

    `letters`, `meaning` and `related` as in `WordMatches`; `notes` counts words of descriptions.
    """

    letters: Floats
    meaning: Floats
    related: Floats
    notes: Floats
    covered: Floats
    exact: Floats
    meant: Floats
    kin: Floats
    head: Floats

    @property
    def alignment(self) -> Floats:
        """How far each token mentions each name, from 0 to 1, by the best of the ways."""
        best = np.maximum(np.maximum(self.letters, 0.9 * self.meaning), 0.5 * self.notes)
        return np.asarray(np.clip(np.maximum(best, 0.4 * self.related), 0, 1), np.float32)


def match_words(
    tokens: Sequence[QuestionToken], words: SchemaWords, translation: Translation, related: Translation
) -> WordMatches:
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
    stems = ["" if t.stop or t.kind == "sign" else t.stem for t in tokens]
    return WordMatches(letters, meaning, related.matrix(stems, words.vocabulary))


def match_names(matches: WordMatches, names: NameMatrix, tokens: Sequence[QuestionToken]) -> NameMatches:
    """Bring word matches together by name."""
    content = np.array([0.3 if t.stop else 1.0 for t in tokens], np.float32)
    letters = names.incidence @ (matches.letters * content[:, None]).T
    meaning = names.incidence @ (matches.meaning * content[:, None]).T
    related = names.incidence @ matches.related.T
    notes = names.described @ (matches.letters * (content[:, None] == 1)).T
    best = matches.letters.max(axis=0, initial=0)
    meant = np.maximum(matches.letters, matches.meaning).max(axis=0, initial=0)
    return NameMatches(
        letters=letters,
        meaning=meaning,
        related=related,
        notes=np.asarray(notes, np.float32),
        covered=names.incidence @ best,
        exact=names.incidence @ np.asarray(best >= 1, np.float32),
        meant=names.incidence @ meant,
        kin=names.incidence @ np.maximum(matches.letters, matches.related).max(axis=0, initial=0),
        head=best[list(names.last)] if len(best) else np.zeros(len(names.last), np.float32),
    )


def match_phrases(matches: NameMatches, phrases: Phrases, tokens: Sequence[QuestionToken]) -> NameMatches:
    """The matches with names found under other words: a synonym in full counts like the name itself."""
    letters = matches.letters.copy()
    whole = {n: getattr(matches, n).copy() for n in ("covered", "exact", "meant", "kin", "head")}
    words = [(i, t) for i, t in enumerate(tokens) if t.kind != "sign"]
    for place, (_, token) in enumerate(words):
        for stems, row in phrases.get(token.stem, ()):
            here = words[place : place + len(stems)]
            if tuple(t.stem for _, t in here) == stems:
                span = [i for i, _ in here]
                letters[row, span] = np.maximum(letters[row, span], 1 / len(span))
                for values in whole.values():
                    values[row] = 1
    return replace(matches, letters=letters, **whole)
