"""Measures over many rows, and the words that ask for them."""

from dataclasses import dataclass
from typing import Literal as Choice

from fathom.offline.grammars.groups import BY
from fathom.offline.linking import Linking, QuantityMention, Span
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.query import Expression, TableRef

Function = Choice["count", "sum", "avg", "min", "max", "spread"]
PASSED = frozenset("the a an our of all their its in for such different distinct unique".split())


@dataclass(frozen=True, slots=True)
class MeasureSource:
    """The argument of a measure: the rows of a table (`*`), or an expression over these rows.

    `fit` is how well the question's words name it; `total` says that an amount is kept as a total. It isn't
    told of each of what lies beyond the tables `apart`.
    """

    argument: Expression
    table: TableRef
    fit: float
    total: bool = True
    apart: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MeasureWords:
    """A function of any of its sources, and the words that ask for it; of money or what was sold if so.

    Without sources it is one that another measure has: "with their counts". "spread" is the highest less the
    lowest; `most` says that the words order by it as well ("the most orders"). `also` are places of words
    elsewhere that ask for it too: "how many pages they have on average".
    """

    function: Function
    sources: tuple[MeasureSource, ...]
    span: Span
    money: bool = False
    most: Choice["", "asc", "desc"] = ""
    also: frozenset[int] = frozenset()
    sold: bool = False


def asked_quantities(linking: Linking) -> tuple[QuantityMention, ...]:
    """The words that ask for an aggregate: not those that compare, "at least", nor those in a name."""
    held = long_names(linking)
    ends = {q.span.end for q in linking.quantities}
    return tuple(
        q
        for q in linking.quantities
        if not compares(linking, q.span.first)
        and not any(h.first < q.span.first < h.end for h in held)
        and not (q.span.first in ends and any(h.first == q.span.first for h in held))
    )


def long_names(linking: Linking) -> list[Span]:
    """The runs of several words that name a column as it is called: "dock count", "first name"."""
    return [
        m.span
        for m in linking.column_mentions
        if m.span.end - m.span.first > 1
        and {t.stem for t in linking.tokens[m.span.first : m.span.end]} <= set(name_stems(m.column.column))
    ]


def compares(linking: Linking, place: int) -> bool:
    """True if a word is the end of "at least" or "at most"."""
    return place > 0 and linking.tokens[place - 1].lower == "at"


def comes_after_by(linking: Linking, place: int) -> bool:
    """True if what begins at a place is said after "by", articles aside."""
    while place and linking.tokens[place - 1].lower in PASSED:
        place -= 1
    return place > 0 and linking.tokens[place - 1].lower in BY
