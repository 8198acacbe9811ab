"""The engines of databases: made at the first question, and kept with the database."""

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.records import SolvedExample

_lock = Lock()


def engine_for(
    database: Database,
    knowledge: KnowledgePack,
    examples: Sequence[SolvedExample] = (),
    cache: Path | None = None,
    *,
    without_rules: frozenset[str] = frozenset(),
) -> OfflineEngine:
    """The engine of a database with this knowledge, made at the first question and kept with the database.

    `without_rules` are the names of rules that are switched off.
    """
    key = ("offline engine", id(knowledge), id(examples), cache, without_rules)
    whole = engine_for(database, knowledge, examples, cache) if without_rules else None
    with _lock:
        kept = database.kept  # another one once the database is read anew
        if key not in kept:
            started = time.monotonic()
            engine = (
                whole.without_rules(without_rules)
                if whole
                else OfflineEngine(database, knowledge, examples, cache=cache)
            )
            # Held as well, so that no later object can be taken for them by its id.
            kept[key] = (engine, knowledge, examples)
            database.took_to_read(time.monotonic() - started)
        found: OfflineEngine = kept[key][0]
        return found


def forget(database: Database, knowledge: KnowledgePack) -> None:
    """Let go of what was made of a database with this knowledge, which was only tried."""
    with _lock:
        ours = ("offline engine", id(knowledge))
        for key in [k for k in database.kept if isinstance(k, tuple) and k[:2] == ours]:
            engine = database.kept.pop(key)[0]
            for learned in ("offline rehearsal", "offline bearing"):
                database.kept.pop((learned, id(engine)), None)
