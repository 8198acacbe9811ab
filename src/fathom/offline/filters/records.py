"""Filters as they are read, and a question without them."""

from dataclasses import dataclass
from typing import Protocol

from fathom.offline.checks.faults import contradicts_itself
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Expression,
    Literal,
    Query,
    conjuncts,
    mentioned_tables,
)
from fathom.records import Assumption, Question


class Restriction(Protocol):
    """A part of a question that restricts the rest."""

    @property
    def places(self) -> frozenset[int]:
        """The tokens of the question that say it."""
        ...

    @property
    def needed(self) -> bool:
        """True if no other reading of these words is known."""
        ...

    @property
    def learned(self) -> bool:
        """True if training data hold many such, so that the learned choice goes first where it is sure."""
        ...

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query so restricted, and what to tell of it; None where it isn't clear what is restricted."""
        ...


@dataclass(frozen=True, slots=True)
class Aside:
    """A question without its restrictions, and these; not `clear` where more than they may restrict it.

    `rules` are the names of those that read the restrictions.
    """

    question: Question
    restrictions: tuple[Restriction, ...]
    clear: bool = True
    rules: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        """True if a query that doesn't hold the restrictions can't be right."""
        return any(r.needed for r in self.restrictions)

    @property
    def learned(self) -> bool:
        """True if the learned choice for the whole question goes first where it is sure."""
        return all(r.learned for r in self.restrictions)

    def put_back(self, query: Query) -> tuple[Query, tuple[Assumption, ...]] | None:
        """The query of the question under all restrictions; None where one has no place in it."""
        told = []
        if not self.clear or _chooses_and_tells(query):
            return None
        for restriction in self.restrictions:
            found = restriction.applied(query)
            if found is None:
                return None
            query = found[0]
            told.append(found[1])
        joined = {c.table for j in query.joins for c in (j.left, j.right)}
        if len({*told}) < len(told) or (joined and not joined.issuperset(mentioned_tables(query))):
            return None  # a date is in one time alone, and joins that are chosen lead nowhere else
        if _is_empty(query) or contradicts_itself(query):
            return None  # each of two things may be said of another row
        return query, tuple(told)


def _is_empty(query: Query) -> bool:
    """True if a column would have to be above one number and below a lower one."""
    bounds: dict[tuple[Expression, str], list[float]] = {}
    for c in conjuncts(query.where):
        if (
            isinstance(c, ComparisonPredicate)
            and isinstance(c.right, Literal)
            and isinstance(c.right.value, int | float)
        ):
            bounds.setdefault((c.left, c.operator[:1]), []).append(float(c.right.value))
    return any(
        min(bounds.get((column, "<"), [lower[0]])) < max(lower)
        for (column, sign), lower in bounds.items()
        if sign == ">"
    )


def _chooses_and_tells(query: Query) -> bool:
    """True if groups are chosen by a number and one is shown: what is said apart may be of either."""
    return query.having is not None and any(isinstance(e, Aggregate) for e in query.select)
