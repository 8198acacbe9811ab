"""Undeclared joins and profiles of a database's columns: found once, kept on disk."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from fathom.databases import cache
from fathom.databases.engine import Engine, Read
from fathom.databases.joins import infer_joins
from fathom.databases.profiling import Start, profile_tables
from fathom.records import ForeignKey, Schema, TableProfile


def inferred_keys(
    declared: Schema, names: Mapping[str, str], engine: Engine, read: Read, *, at_once: int, file: Path | None
) -> tuple[ForeignKey, ...]:
    """The joins that the data show beside declared keys, from `file` where it has them.

    `names` are the tables' names as SQL writes them, and `at_once` queries run side by side.
    """
    if file and (kept := cache.joins_from_json(cache.load(file))) is not None:
        return kept
    seconds, each = engine.probing_seconds
    found = infer_joins(declared, read, names, engine.quote, seconds=seconds, each=each, at_once=at_once)
    if file:
        cache.store(file, [asdict(k) for k in found])
    return found


def profiles(schema: Schema, sample: Start, seconds: float, file: Path | None) -> Mapping[str, TableProfile]:
    """A profile of each table's columns, made within about `seconds`, from `file` where it has them."""
    if file and (kept := cache.profiles_from_json(cache.load(file))) is not None:
        return kept
    found = profile_tables(schema, sample, seconds)
    if file:
        cache.store(file, cache.profiles_to_json(found))
    return found
