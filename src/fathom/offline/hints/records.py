"""Hints from outside knowledge about one question: frozen values that linking and generation use."""

from dataclasses import dataclass

from fathom.offline.linking import Span
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    Condition,
    Expression,
    FunctionCall,
    comparisons,
    walk,
)


@dataclass(frozen=True, slots=True)
class Hint:
    """A phrase of the question, at `spans` of its tokens, and what it refers to in the database.

    `conditions` hold together for the rows meant; `expressions` are what is shown, counted or ordered by.
    `text` says it as the source had it; `source` is "evidence" or names the pack's term.
    """

    phrase: str
    spans: tuple[Span, ...]
    conditions: tuple[Condition, ...] = ()
    expressions: tuple[Expression, ...] = ()
    text: str = ""
    source: str = "evidence"

    @property
    def columns(self) -> tuple[ColumnRef, ...]:
        """The columns that the phrase names, where it names nothing but columns."""
        found = tuple(e for e in self.expressions if isinstance(e, ColumnRef))
        return found if len(found) == len(self.expressions) else ()

    @property
    def every_column(self) -> tuple[ColumnRef, ...]:
        """The columns that the hint names, wherever."""
        sides = (s for c in self.conditions for k in comparisons(c) for s in (k.left, k.right))
        return tuple(
            e for part in (*self.expressions, *sides) for e in walk(part) if isinstance(e, ColumnRef)
        )

    @property
    def formula(self) -> bool:
        """True if the phrase asks for a calculation."""
        return any(isinstance(e, Arithmetic | FunctionCall) for e in self.expressions)

    @property
    def extreme(self) -> tuple[Expression, bool] | None:
        """The argument of MAX or MIN, and True for MAX; None where the phrase asks for no extreme."""
        match self.expressions:
            case (Aggregate(function=("max" | "min") as function, argument=argument),):
                return argument, function == "max"
        return None


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints for one question."""

    hints: tuple[Hint, ...] = ()
