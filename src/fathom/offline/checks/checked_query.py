"""A query and the question that it is checked against."""

from collections.abc import Collection, Container
from dataclasses import dataclass
from functools import cached_property

from fathom.offline.grammars.amounts import Amounts, adds_money, asked_money, said_of_money
from fathom.offline.grammars.sold import holds_lines, trade_verbs
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.offline.queries.rows import RowNames


@dataclass(frozen=True)
class CheckedQuery:
    """A query, the question's words tied to the database, and what is known of that.

    `uniform` are columns of one value in all rows; `has_examples` says that there are solved questions.
    `missing` are the words that nothing accounts for, and `told` the places of those whose meaning evidence
    or a pack tells; `settled` says of what a grammar made that it accounts for the words of the question.
    """

    query: Query
    linking: Linking
    names: RowNames
    planner: JoinPlanner
    amounts: Amounts
    uniform: Container[ColumnKey] = ()
    has_examples: bool = False
    missing: Collection[str] = ()
    told: Collection[int] = ()
    settled: bool = False

    @cached_property
    def said_by_form(self) -> frozenset[int]:
        """The places of words for money and for what was sold, where the query adds that up, and of values
        that all rows have.
        """
        linking, lines = self.linking, self.amounts.lines
        money = asked_money(linking) is not None and adds_money(self.query, self.amounts)
        traded = trade_verbs(linking, lines, self.names)
        sold = frozenset(traded if holds_lines(self.query, self.planner, lines) else ())
        uniform = (v.span for v in linking.values if v.column in self.uniform)
        everywhere = frozenset(i for span in uniform for i in range(*span))
        return sold | everywhere | (said_of_money(linking) if money else frozenset())
