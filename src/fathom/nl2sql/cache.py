"""Things that are worked out once from a database and its knowledge, and kept with the database."""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TypeVar

from fathom.methods import Context
from fathom.retrieval import SchemaIndex

T = TypeVar("T")
_lock = RLock()


def keep(context: Context, what: str, sources: Sequence[object], make: Callable[[], T]) -> T:
    """Give the result of `make`, made at the first call for the context's database and these very sources."""
    key = (what, *map(id, sources))
    kept = context.database.kept
    with _lock:
        if key not in kept:
            # The sources are held as well, so that no later object can be taken for them by its id.
            kept[key] = (make(), sources)
        found: T = kept[key][0]
        return found


def schema_index(context: Context) -> SchemaIndex:
    """The index over the schema and its knowledge pack. It is shared: don't close it."""
    schema, knowledge = context.database.schema, context.knowledge
    return keep(context, "schema index", (schema, knowledge), lambda: SchemaIndex.build(schema, knowledge))
