"""A question that is put in other words, and what it becomes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.sales_tables import OrderLines
from fathom.offline.linking import Linking
from fathom.offline.paraphrase.misspellings import KnownWords
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption, Question, TableProfile


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A question in other words, and what to tell of that."""

    question: Question
    told: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class ParaphraseReading:
    """A question, its words tied to the database, and what is known of that.

    `lines` are the tables of what was sold, `known_words` gives those that aren't misspelt.
    """

    question: Question
    linking: Linking
    planner: JoinPlanner
    names: RowNames
    profiles: Mapping[str, TableProfile]
    lines: Sequence[OrderLines]
    known_words: Callable[[], KnownWords]

    @property
    def dates(self) -> Dates:
        """The columns of dates, and which the question is about."""
        return Dates(self.linking, self.planner, self.profiles)
