"""Which values of the database a text names, found in the value index."""

import asyncio
from threading import Lock

from fathom.methods import Context
from fathom.retrieval import ValueIndex, ValueMention

_lock = Lock()
_KEPT = "value index"


async def value_index(context: Context) -> ValueIndex:
    """The value index of the context's database, opened or built at the first question and kept with it."""
    return await asyncio.to_thread(_open, context)


def _open(context: Context) -> ValueIndex:
    with _lock:
        kept = context.database.kept
        if (_KEPT, context.cache) not in kept:
            kept[_KEPT, context.cache] = ValueIndex.open_or_build(context.database, context.cache)
        found: ValueIndex = kept[_KEPT, context.cache]
        return found


async def mentions(context: Context, text: str, *, least: float = 0.0) -> list[ValueMention]:
    """The values that a text names, longest mention first; those whose best match scores `least` or more."""
    index = await value_index(context)
    found = await asyncio.to_thread(index.mentions, text)
    return [m for m in found if m.matches[0].score >= least]
