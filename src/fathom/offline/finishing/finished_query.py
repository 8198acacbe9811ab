"""A query that is completed, and the question by which that goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fathom.offline.grammars.units import Measures
from fathom.offline.hints import Hint
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption, TableProfile


@dataclass(frozen=True, slots=True)
class FinishedQuery:
    """A query as its question has it, and what to tell of that.

    `says_roles` is false where the question's words don't say by which of two keys to join. `rules` are the
    names of those that changed the query.
    """

    query: Query
    told: tuple[Assumption, ...] = ()
    says_roles: bool = True
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FinishReading:
    """The question whose query is completed: as it is `asked`, and as it was `meant` for the weights.

    `is_solved` says that the query is that of a solved question, which says itself what is given once.
    """

    asked: Linking
    meant: Linking
    hints: Sequence[Hint]
    measures: Measures
    names: RowNames
    planner: JoinPlanner
    profiles: Mapping[str, TableProfile]
    is_solved: bool = False
