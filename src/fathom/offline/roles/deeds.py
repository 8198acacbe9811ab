"""Keys called after what somebody does: `advisor_id` for "students that Ann Garcia advises"."""

from fathom.offline.linking import Linking
from fathom.offline.linking.text import SHORTEST_ALIKE, alike, name_stems
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.rows import RowNames
from fathom.offline.roles.cast import Cast, Casting, NamedRow
from fathom.offline.roles.keys import RolePair, deed_keys

_BEFORE = frozenset(("does", "did", "do", "that", "which", "whom"))


def cast_by_deeds(linking: Linking, planner: JoinPlanner, names: RowNames) -> tuple[Cast, ...]:
    """The rows that do what a key is called after, as the question says; at most one for each key."""
    found = []
    for pair in deed_keys(planner):
        deeds = [s for s in name_stems(pair.keys[0].column) if s in pair.deeds and len(s) >= SHORTEST_ALIKE]
        done = {
            i for i, t in enumerate(linking.tokens) if not t.stop and any(alike(t.stem, d) for d in deeds)
        }
        if done and not _has_own(linking, planner, pair):
            rows = Casting(linking, pair, names).rows()
            found += [c for r in rows if (c := _cast(linking, pair, r, done)) is not None][:1]
    return tuple(found)


def _has_own(linking: Linking, planner: JoinPlanner, pair: RolePair) -> bool:
    """True if the rows asked for have such a key themselves: "staff managed by Ann", who manages areas."""
    named = {m.table for m in linking.table_mentions}
    called = name_stems(pair.keys[0].column)
    keys = (k for k in planner.schema.foreign_keys if len(k.columns) == 1 and k.table in named)
    return pair.table not in named and any(name_stems(k.columns[0]) == called for k in keys)


def _cast(linking: Linking, pair: RolePair, named: NamedRow, done: set[int]) -> Cast | None:
    """The row in its role where the deed stands right behind its name, or before it with "by" or "is"."""
    words = [t.lower for t in linking.tokens]
    first, end = named.span
    did = first > 0 and words[first - 1] in _BEFORE
    if end in done and (did or words[end].endswith("s")):  # "Ann Garcia advises"
        first -= did
        return Cast(pair.keys[0], named, frozenset(range(first, end + 1)))
    if first > 1 and words[first - 1] in {"by", "is", "was"} and first - 2 in done:
        return Cast(pair.keys[0], named, frozenset(range(first - 2, end)))
    return None
