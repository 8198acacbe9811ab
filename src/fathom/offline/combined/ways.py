"""Finds the ways in which a question is put together from plain ones."""

from collections.abc import Iterator
from itertools import chain

from fathom.offline.combined.changes import changes
from fathom.offline.combined.first_to_last import spans
from fathom.offline.combined.medians import medians
from fathom.offline.combined.numbers_of_groups import counted
from fathom.offline.combined.records import Composition
from fathom.offline.combined.shares import parts_beside, shares
from fathom.offline.combined.top_of_each import leaders, nth
from fathom.offline.combined.two_columns import gaps
from fathom.offline.combined.two_numbers import contrasts
from fathom.offline.combined.two_statements import both, counts
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.rows import RowNames


def compositions(text: str, linking: Linking, planner: JoinPlanner, names: RowNames) -> Iterator[Composition]:
    """The ways to ask a question in parts, likeliest first."""
    yield from chain(
        changes(text),
        spans(text),
        medians(text, linking),
        gaps(text, linking, names),
        contrasts(text, linking),
        parts_beside(text, planner),
        shares(text, planner),
        both(text, names),
        leaders(text, linking),
        nth(text),
        counted(text),
        counts(text),
    )
