"""A question as grammars read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fathom.offline.hints import Hint
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.question_facts import QuestionReading


@dataclass(frozen=True)
class GrammarReading(QuestionReading[Proposal]):
    """A question, the `hints` that go with it, and the `likely` queries for it that learned sketches gave.

    `has_examples` says that there are solved questions, which show which columns people mean by rows.
    """

    hints: Sequence[Hint] = ()
    likely: Sequence[Proposal] = ()
    has_examples: bool = False

    @cached_property
    def is_told_how(self) -> bool:
        """True if evidence says how to calculate."""
        return any(h.formula for h in self.hints)

    @property
    def best_score(self) -> float:
        """The score of the likeliest of these queries."""
        return max((p.score for p in self.likely), default=0.0)
