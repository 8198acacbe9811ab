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


async def matched_values(
    context: Context, text: str, each: int = 2, *, least: float = 0.85
) -> dict[tuple[str, str], list[object]]:
    """The values that a text names as a whole, at most `each` of one column, to show after their columns.

    `least` is how alike a value and the words must be spelt, from 0 to 1.
    """
    found: dict[tuple[str, str], list[object]] = {}
    for mention in await mentions(context, text):
        for match in mention.matches:
            values = found.setdefault((match.table, match.column), [])
            if match.kind != "partial" and match.similarity >= least and len(values) < each:
                values.extend([match.value] if match.value not in values else [])
    return {place: values for place, values in found.items() if values}
