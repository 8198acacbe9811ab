"""Finds the ways in which a question is put together from plain ones."""

from collections.abc import Iterator
from itertools import chain

from fathom.offline.composing.both import both, counts
from fathom.offline.composing.changes import changes
from fathom.offline.composing.contrasts import contrasts
from fathom.offline.composing.counted import counted
from fathom.offline.composing.gaps import gaps
from fathom.offline.composing.leading import leaders, nth
from fathom.offline.composing.medians import medians
from fathom.offline.composing.records import Composition
from fathom.offline.composing.shares import parts_beside, shares
from fathom.offline.composing.spans import spans
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
