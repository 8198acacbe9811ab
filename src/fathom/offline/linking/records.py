"""Mentions that linking finds in a question: frozen values that the rest of the offline method builds on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fathom.offline.linking.levels import CLEARLY_NAMED, WHOLLY_NAMED
from fathom.offline.queries.query import ColumnRef, TableRef

Floats = npt.NDArray[np.float32]

Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "between", "like"]
Direction = Literal["asc", "desc"]
Aggregate = Literal["count", "sum", "avg", "min", "max"]
ValueMatch = Literal[
    "exact", "folded", "stem", "typo", "partial", "quoted", "boolean", "code", "number", "date"
]
Role = Literal["select", "aggregate", "where", "group", "order"]
ROLES: tuple[Role, ...] = ("select", "aggregate", "where", "group", "order")


class ColumnKey(NamedTuple):
    """A column by the names the schema spells."""

    table: str
    column: str

    @classmethod
    def of(cls, column: ColumnRef) -> Self:
        """The column of the schema that a query's column is."""
        return cls(column.table.name, column.name)

    def in_query(self, instance: int = 0) -> ColumnRef:
        """The column as a query names it, in that use of its table."""
        return ColumnRef(TableRef(self.table, instance), self.column)


class Span(NamedTuple):
    """Tokens `first` up to but not including `end`."""

    first: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """True if the two share a token."""
        return self.first < other.end and other.first < self.end

    def within(self, other: "Span") -> bool:
        """True if the other has all tokens of this one."""
        return other.first <= self.first and self.end <= other.end


@dataclass(frozen=True, slots=True)
class QuestionToken:
    """One word, number or sign of the text; `start` and `end` are character offsets.

    `lower` is folded in case, `stem` the English stem of the lemma. `stop` says that the word carries
    grammar rather than content; `quoted` that it stands in quotation marks; `evidence` that it comes from
    the evidence, not the question (offsets then count from the evidence's start).
    """

    text: str
    lower: str
    stem: str
    start: int
    end: int
    kind: Literal["word", "number", "sign"] = "word"
    stop: bool = False
    quoted: bool = False
    evidence: bool = False


class Mention:
    """Words that name something; `score` from 0.5 to 1 says how well they match its name."""

    __slots__ = ()
    score: float

    @property
    def named(self) -> bool:
        """True if the words are more than half of the name."""
        return self.score >= CLEARLY_NAMED

    @property
    def whole(self) -> bool:
        """True if the words are the whole name: nothing else around them need tell what is meant."""
        return self.score >= WHOLLY_NAMED


@dataclass(frozen=True, slots=True)
class TableMention(Mention):
    """Words that name a table."""

    table: str
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class ColumnMention(Mention):
    """Words that name a column, by its name, description or a synonym."""

    column: ColumnKey
    span: Span
    score: float
    source: Literal["name", "description", "synonym"] = "name"


@dataclass(frozen=True, slots=True)
class LinkedValue:
    """Words that name a value a column holds. `value` is as stored, `text` as the question has it.

    `comparison` is what the words around it ask for; "like" where only a part of the stored text is
    named, and then `value` is that part. `probability` is learned: that the query compares this column
    with this value. A number matched with a column it may be compared with has match "number", and the
    other end of a range in `upper`; a "date" is in ISO form; "quoted" text is in no cell but may be looked
    for in a text column. `rows` is how many hold the value, `coverage` the share of it that the words name.
    """

    column: ColumnKey
    value: str | int | float
    text: str
    span: Span
    score: float
    match: ValueMatch
    comparison: Comparison = "="
    upper: int | float | None = None
    rows: int = 0
    coverage: float = 1.0
    probability: float = 0.0


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number, in digits or words. `ordinal` marks "third"; `percent` "20 %"; `year` a likely year.

    `comparison` and `limit` (probability that it counts rows, as in "top 3") come from words around it.
    `upper` is set on the first of the two numbers of a range.
    """

    value: int | float
    span: Span
    comparison: Comparison = "="
    upper: int | float | None = None
    ordinal: bool = False
    percent: bool = False
    year: bool = False
    limit: float = 0.0


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date or span of time in words, as its first and last day in ISO form.

    `relative` holds "last month" and the like as (amount, unit) back from today, when it isn't absolute.
    """

    first: str | None
    last: str | None
    span: Span
    comparison: Comparison = "="
    precision: Literal["year", "month", "day", "time"] = "day"
    relative: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class QuantityMention:
    """Words that ask for an aggregate: "how many", "average", "total"."""

    aggregate: Aggregate
    span: Span


@dataclass(frozen=True, slots=True)
class SuperlativeMention:
    """Words that order rows: "oldest", "the most", "top 3", "alphabetical", with the columns they imply.

    `columns` are (column, direction, score), best first; empty where only the direction is known.
    """

    span: Span
    direction: Direction
    count: int = 1
    columns: tuple[tuple[ColumnKey, Direction, float], ...] = ()


@dataclass(frozen=True)
class Linking:
    """A question's words tied to one database.

    `columns` lists every column in schema order; `alignment` (columns x tokens) says how far each token
    mentions each column, from 0 to 1, `table_alignment` (tables x tokens) each table; `column_scores`
    holds by role the learned probabilities, in the same order, that the query uses the column;
    `table_scores` those of tables, in schema order. `explained` (tokens) is how far the linking accounts
    for each content word, 1 for function words. `called` are the columns that name the rows which the
    question asks for, where it asks for rows of one table; `sought` those that hold the number or
    place for which its "how" or "where" asks; `wordy` those of text without figures. `told` says that
    evidence given with the question told what some of its words mean.
    """

    tokens: tuple[QuestionToken, ...]
    tables: tuple[str, ...]
    columns: tuple[ColumnKey, ...]
    alignment: Floats
    table_alignment: Floats
    table_scores: Floats
    column_scores: Mapping[Role, Floats]
    explained: Floats
    table_mentions: tuple[TableMention, ...] = ()
    column_mentions: tuple[ColumnMention, ...] = ()
    values: tuple[LinkedValue, ...] = ()
    numbers: tuple[NumberMention, ...] = ()
    dates: tuple[DateMention, ...] = ()
    quantities: tuple[QuantityMention, ...] = ()
    superlatives: tuple[SuperlativeMention, ...] = ()
    negations: tuple[Span, ...] = ()
    quotes: tuple[Span, ...] = ()
    index: Mapping[ColumnKey, int] = field(default_factory=dict)
    called: tuple[ColumnKey, ...] = ()
    sought: tuple[ColumnKey, ...] = ()
    wordy: frozenset[ColumnKey] = frozenset()
    told: bool = False

    def text(self, span: Span) -> str:
        """The words of a span."""
        return " ".join(t.text for t in self.tokens[span.first : span.end])

    def places(self, start: int, end: int) -> frozenset[int]:
        """The tokens of the question between two of its characters."""
        inside = (i for i, t in enumerate(self.tokens) if t.start < end and t.end > start and not t.evidence)
        return frozenset(inside)

    def place_at(self, start: int) -> int | None:
        """The token of the question that begins with a character; None where none does."""
        return next((i for i, t in enumerate(self.tokens) if t.start == start and not t.evidence), None)

    def table_fit(self, table: str, place: int) -> float:
        """How far a token mentions a table, from 0 to 1."""
        return float(self.table_alignment[self.tables.index(table), place])

    def names_wholly(self, table: str, place: int) -> bool:
        """True if a token names a table by itself."""
        return self.table_fit(table, place) >= WHOLLY_NAMED

    def score(self, column: ColumnKey, role: Role) -> float:
        """The probability that the query uses the column in this role."""
        return float(self.column_scores[role][self.index[column]])

    def table_score(self, table: str) -> float:
        """The probability that the query uses the table."""
        return float(self.table_scores[self.tables.index(table)])

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The content words of the question that nothing in the database accounts for, in order."""
        return tuple(
            t.text
            for t, share in zip(self.tokens, self.explained, strict=True)
            if share < 0.5 and not t.evidence
        )


def log_odds(probability: float) -> float:
    """The logarithm of the odds, kept within reason."""
    p = min(max(probability, 0.002), 0.995)
    return math.log(p / (1 - p))
