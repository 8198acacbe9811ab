"""How hard a question is likely to be, from its words and the size of the schema, at no cost."""

from enum import StrEnum

from fathom.records import Question, Schema
from fathom.text.words import words

_CUES = frozenset(
    "average mean total sum most least highest lowest largest smallest oldest youngest each every per more "
    "less than both either neither except without not never ratio percentage percent rate difference between "
    "among top group rank compare respectively only all".split()
)
_WIDE = 60  # columns; beyond it the schema itself makes a question harder


class Difficulty(StrEnum):
    """How much a question deserves to be spent on."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    CHALLENGING = "challenging"


def difficulty(question: Question, schema: Schema) -> Difficulty:
    """The difficulty of a question, by its length, its cues of aggregation, and the schema's width."""
    said = words(question.text)
    points = len(said) // 12 + sum(w in _CUES for w in said) + bool(question.evidence)
    points += sum(len(t.columns) for t in schema.tables) > _WIDE
    if points <= 1:
        return Difficulty.SIMPLE
    return Difficulty.MODERATE if points <= 4 else Difficulty.CHALLENGING
