"""A question as plain ones, and how their queries make the one that answers it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fathom.offline.grammars.ratios import quotient
from fathom.offline.queries.query import Aggregate, Arithmetic, Expression, Query, walk
from fathom.records import Assumption, Result

Combined = tuple[Query, Assumption]
Form = Callable[[Expression, Expression], Expression]
"""A formula: it makes one number from two."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Plain questions, and what makes a query of theirs: None where they don't fit together.

    `needed` says that a query which is not so made can't be right; `whole`, of shares, what all rows come to;
    `learned` that such questions are learned as well, so that what is unsure in part says no more. `rule` is
    the name of the rule that found it.
    """

    questions: tuple[str, ...]
    combine: Callable[[Sequence[Query]], Combined | None]
    needed: bool = True
    whole: int = 0
    learned: bool = False
    rule: str = ""

    def is_sensible(self, result: Result) -> bool:
        """True if there is a number, and shares are neither 0 nor all: either tells of a part misread."""
        last = [r[-1] for r in result.rows if r[-1] is not None]
        return any(0 < float(n) < self.whole for n in last) if self.whole else bool(last)


def is_one_number(query: Query) -> bool:
    """True if a query gives one row with one number that it calculates."""
    return (
        len(query.select) == 1
        and not query.group
        and not query.order
        and query.limit is None
        and query.compound is None
        and any(isinstance(e, Aggregate) for e in walk(query.select[0]))
    )


def difference(one: Expression, other: Expression) -> Expression:
    """One number less another."""
    return Arithmetic("-", one, other)


def change(now: Expression, before: Expression) -> Expression:
    """By how many per cent a number is higher than another."""
    return quotient(difference(now, before), before, 100)
