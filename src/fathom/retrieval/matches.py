"""Results of retrieval: values that a phrase refers to, tables and columns that a question needs."""

from dataclasses import dataclass
from typing import Literal

MatchKind = Literal[
    "exact",  # the same text
    "folded",  # differs in case, accents, spaces or punctuation
    "stem",  # differs in singular and plural
    "typo",  # the whole value, with letters wrong, missing, swapped or too many
    "partial",  # some words of the value, or the beginning of one
]


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A value that a phrase may refer to, and how it matched.

    `count` is the number of rows that hold the value. `score` is from 0 to 1 and orders the matches of a
    phrase. `coverage` is the share of the value that the phrase names, by letters; `similarity` is 1
    where every word is spelt alike.
    """

    table: str
    column: str
    value: str
    count: int
    kind: MatchKind
    score: float
    coverage: float = 1.0
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class ValueMention:
    """Words of a question that name values, best match first.

    `text` is characters `[start, end)` of the question and its words `[first, last)`, counted from 0.
    """

    text: str
    start: int
    end: int
    first: int
    last: int
    matches: tuple[ValueMatch, ...]


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    """The index's record of a column; `left_out` values were too long to be named in a question."""

    table: str
    column: str
    values: int
    left_out: int


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column that a question may need; the higher the score the likelier, 0 for a key that only joins."""

    column: str
    score: float


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A table that a question may need, with its relevant columns, best first.

    `joining` tables are there to join others: the question names little of theirs.
    """

    table: str
    score: float
    columns: tuple[ColumnMatch, ...]
    joining: bool = False
