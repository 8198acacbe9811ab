"""Why a sentence isn't judged: the word that nothing accounts for, and the lesson that would help."""

from collections.abc import Sequence

from fathom.analysis import CheckedClaim, Statement, Vocabulary
from fathom.analysis.patterns import known_words
from fathom.analysis.vocabulary import stems_of
from fathom.text.words import tokens


def why_open(statement: Statement, claims: Sequence[CheckedClaim], vocabulary: Vocabulary) -> str:
    """The reason in a sentence or two: what can't be checked, else the words that nothing accounts for."""
    open_ = next((c for c in claims if c.verdict == "can't be checked" or c.premises), None)
    if open_ and not statement.unread:
        return open_.reason
    text = statement.unread[0] if statement.unread else statement.text
    unknown = _unknown(text, vocabulary)
    if not unknown:
        return f"No rule reads “{text}”, though each word is known. Say one fact a sentence."
    return (
        f"“{unknown[0]}” names nothing here. If a column is meant, teach it: "
        f"fathom teach DATABASE --word {unknown[0]} --means TABLE.COLUMN"
    )


def _unknown(text: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a text that no table, column, value or rule has, in their order."""
    named = {w for _, way in vocabulary.tables for w in way}
    named |= {
        w
        for f in (*vocabulary.numbers, *vocabulary.groups)
        for way in vocabulary.column_words(f)
        for w in way
    }
    named |= {w for way in vocabulary.learned for w in way}
    named |= {w for value in vocabulary.values if value in text for w in stems_of(value)}
    return [
        text[t.start : t.end]
        for t in tokens(text)
        if not {t.stem, t.folded} & (named | known_words()) and not any(c.isdigit() for c in t.folded)
    ]
