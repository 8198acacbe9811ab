"""Extremes among known values alone: "the cheapest product" isn't one whose price nobody knows."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Query,
    comparisons,
    conjunction,
    rebuilt,
)
from fathom.records import Assumption, TableProfile


def with_known_extremes(
    query: Query, profiles: Mapping[str, TableProfile]
) -> tuple[Query, tuple[Assumption, ...]]:
    """The query whose lowest rows are only those that hold what they are ranked by, and what to tell of it.

    Engines that sort nulls first would give these; in the other direction they come last everywhere. Where a
    column was only sampled, it may hold some.
    """
    told: dict[Assumption, None] = {}

    def known(node: object) -> object:
        match node:
            case Query(order=(first, *_), limit=int()) if not first.descending:
                key = first.key
                said = (c.left for c in comparisons(node.where))
                if isinstance(key, ColumnRef) and may_be_missing(key, profiles) and key not in said:
                    told[Assumption("default", f"Rows without {key.table.name}.{key.name} are left out.")] = (
                        None
                    )
                    return replace(
                        node, where=conjunction(node.where, ComparisonPredicate(key, "is not null"))
                    )
        return node

    return rebuilt(query, known), tuple(told)


def may_be_missing(column: ColumnRef, profiles: Mapping[str, TableProfile]) -> bool:
    """True if some rows may hold no value of a column, as far as profiles say."""
    profile = profiles.get(column.table.name)
    seen = profile.columns.get(column.name) if profile is not None else None
    return seen is not None and seen.may_be_missing
