"""All rows of a table: "list all leases", "the messages", where nothing else is said."""

from collections.abc import Iterator

from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking
from fathom.offline.linking.wordlists import LISTING
from fathom.offline.proposals import Proposal
from fathom.offline.query import Query, Star, TableRef
from fathom.offline.rows import RowNames

_PASSED = LISTING | frozenset("which what all the every any are is there me us our".split())
_NAMED = 0.9


def all_rows(linking: Linking, planner: JoinPlanner, names: RowNames) -> Iterator[Proposal]:
    """The rows of the one table that a question names and nothing else: by names, else keys, else whole."""
    places = [i for i, t in enumerate(linking.tokens) if t.kind != "sign" and t.lower not in _PASSED]
    if not places or any(linking.tokens[i].evidence for i in places):
        return
    spans = [m for m in linking.table_mentions if {*range(*m.span)} == {*places} and m.score >= _NAMED]
    named = {m.table for m in spans}
    if len(named) == 1:
        table = TableRef(named.pop())
        shown = names.of_table(table) or names.key_of(table) or (Star(),)
        yield Proposal(Query(shown, tables=(table,)), 0.0, 0.0, 0.0, source="rows", settled=True)
