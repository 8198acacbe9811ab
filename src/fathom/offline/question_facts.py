"""A question tied to its database, as rules read it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic

from fathom.offline.checks.account import Accounts
from fathom.offline.grammars.amounts import Amounts
from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.sold import trade_verbs
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.rows import RowNames
from fathom.offline.rule import Found, OfflineRule, RuleSwitches, distinct
from fathom.records import TableProfile


@dataclass(frozen=True)
class QuestionReading(Generic[Found]):
    """All that the rules of one room are asked about: a question's text, its words tied to the database, and
    what is known of that.

    `rules` are those of the room; `switches` say which of them are off.
    """

    text: str
    linking: Linking
    planner: JoinPlanner
    names: RowNames
    profiles: Mapping[str, TableProfile]
    amounts: Amounts
    rules: "tuple[OfflineRule[Callable[[Any], Iterable[Found]]], ...]"
    switches: RuleSwitches
    _known: dict[str, tuple[Found, ...]] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        distinct(self.rules)

    def found(self, name: str) -> tuple[Found, ...]:
        """Everything that the rule of this name finds, asked once."""
        if name not in self._known:
            rule = next(r for r in self.rules if r.name == name)
            self._known[name] = self.switches.found(rule, self)
        return self._known[name]

    @cached_property
    def dates(self) -> Dates:
        """The columns of dates, and which the question is about."""
        return Dates(self.linking, self.planner, self.profiles)

    @cached_property
    def accounts(self) -> Accounts:
        """Tells which of the question's words a query leaves over."""
        return Accounts(self.linking)

    @cached_property
    def trade_verbs(self) -> Collection[int]:
        """The places of verbs of selling and buying."""
        return trade_verbs(self.linking, self.amounts.lines, self.names)
