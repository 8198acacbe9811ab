"""How hard a question is likely to be, from its words and the size of the schema, at no cost."""

import re
from enum import StrEnum
from functools import lru_cache

from fathom.records import Question, Schema
from fathom.text.identifiers import identifier_words
from fathom.text.stems import stem_of
from fathom.text.words import words

_CUES = frozenset(
    "average mean total sum most least highest lowest largest smallest oldest youngest each every per more "
    "less than both either neither except without not never ratio percentage percent rate difference between "
    "among top group rank compare respectively only all".split()
)
_WIDE, _VERY_WIDE = 60, 250
"""Columns of a schema; beyond them it makes a question harder by itself."""
_WORDS_A_POINT = 12
_VALUE = re.compile(r"'[^']+'|\"[^\"]+\"|(?<=[a-z,] )[A-Z][\w&-]+(?: [A-Z][\w&-]+)*|(?<!\w)\d[\d.,/-]*")
"""The patterns of values in a question: quoted text, a name in capitals that doesn't open it, a number."""
_EASY_VALUES, _EASY_TABLES = 1, 1
"""Values and tables that even a simple question names."""


class Difficulty(StrEnum):
    """How much a question deserves to be spent on."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    CHALLENGING = "challenging"


def difficulty(question: Question, schema: Schema) -> Difficulty:
    """The difficulty of a question, by its length, its cues of aggregation, how many values and tables it
    names, and the schema's width."""
    said = words(question.text)
    points = len(said) // _WORDS_A_POINT + sum(w in _CUES for w in said) + bool(question.evidence)
    points += max(0, len(_VALUE.findall(question.text)) - _EASY_VALUES)
    points += max(0, tables_named(said, schema) - _EASY_TABLES)
    columns = sum(len(t.columns) for t in schema.tables)
    points += (columns > _WIDE) + (columns > _VERY_WIDE)
    if points <= 1:
        return Difficulty.SIMPLE
    return Difficulty.MODERATE if points <= 4 else Difficulty.CHALLENGING


def tables_named(said: list[str], schema: Schema) -> int:
    """How many tables the words name, each by all the words of its name: so many are likely to be joined."""
    stems = {stem_of(w) for w in said}
    named = [parts for t in schema.tables if (parts := _stems(t.name)) and parts <= stems]
    # "order" is no table of its own where "order details" is named as well.
    return sum(not any(parts < other for other in named) for parts in named)


@lru_cache(maxsize=4096)
def _stems(name: str) -> frozenset[str]:
    return frozenset(stem_of(w) for w in identifier_words(name))
