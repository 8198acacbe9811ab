"""Which of a column's values a prompt shows: the samplers of the methods."""

import asyncio
from collections.abc import Iterable, Sequence
from random import Random

from fathom.errors import QueryError
from fathom.methods import Context
from fathom.nl2sql.schema_text import Samples
from fathom.nl2sql.selections import or_everything
from fathom.records import Limits, Selection
from fathom.records.schema import DATED, NUMERIC

_QUICK = Limits(seconds=2.0, rows=50, bytes=1_000_000)


async def first_rows(context: Context, selection: Selection | None = None, *, rows: int = 3) -> Samples:
    """The values of each table's first rows; a table that can't be read in two seconds shows none.

    They are kept with the database, where its state tells when they may have changed.
    """
    found: dict[tuple[str, str], list[object]] = {}
    state = context.database.state()
    for table, columns in or_everything(context.database.schema, selection).tables.items():
        read = await _first_rows(context, table, columns, rows, state)
        for position, column in enumerate(columns if read is not None else ()):
            found[table, column] = [row[position] for row in read or ()]
    return found


async def _first_rows(
    context: Context, table: str, columns: tuple[str, ...], rows: int, state: str
) -> Sequence[Sequence[object]] | None:
    """The first rows of some columns of a table, None where they can't be read in time."""
    kept, key = context.database.kept, ("first rows", table, columns, rows)
    known: tuple[str, Sequence[Sequence[object]]] | None = kept.get(key)
    if state and known is not None and known[0] == state:
        return known[1]
    names = ", ".join(context.database.identifier(table, c) for c in columns)
    sql = f"SELECT {names} FROM {context.database.identifier(table)} LIMIT {rows}"
    try:
        read = (await context.run(sql, _QUICK)).rows
    except QueryError:
        return None
    kept[key] = (state, read)
    return read


async def random_rows(
    context: Context, seed: str, *, selection: Selection | None = None, rows: int = 3
) -> Samples:
    """The values of rows drawn from the first 50 of each table: the same ones for the same seed."""
    found = await first_rows(context, selection, rows=_QUICK.rows or rows)
    chosen: dict[str, list[int]] = {}
    for (table, _), values in found.items():
        if table not in chosen:
            places = range(len(values))
            chosen[table] = sorted(Random(f"{seed}\n{table}").sample(places, min(rows, len(places))))
    return {name: [values[i] for i in chosen[name[0]]] for name, values in found.items()}


async def common_values(context: Context, *, most: int = 6) -> Samples:
    """The most frequent values of each column as profiled, first values where they don't repeat.

    Keys are left out, and columns named like ids, addresses and links, numbers with more than ten distinct
    values, texts with links or of over 50 letters; of dates one is enough (MAC-SQL).
    """
    schema = context.database.schema
    profiles = await asyncio.to_thread(context.database.profile)
    joined = {(k.table, c) for k in schema.foreign_keys for c in k.columns}
    joined |= {(k.target_table, c) for k in schema.foreign_keys for c in k.target_columns}
    found: dict[tuple[str, str], list[object]] = {}
    for table in schema.tables:
        profiled = profiles.get(table.name)
        for column in table.columns if profiled else ():
            name = (table.name, column.name)
            profile = profiled.columns.get(column.name) if profiled else None
            if profile is None or name in joined or column.name in table.primary_key:
                continue
            if column.name.casefold().endswith(("id", "email", "url")):
                continue
            if column.kind in NUMERIC and (profile.distinct is None or profile.distinct > 10):
                continue
            values = _showable([v for v, _ in profile.common] or profile.samples)
            shown = values[: 1 if column.kind in DATED or profile.format == "date" else most]
            found[name] = [*([None] if profile.null_share > 0 and shown else []), *shown]
    return found


def _showable(values: Iterable[object]) -> list[object]:
    """Values without blanks; none at all where one is a link, an address or long."""
    kept = [v for v in values if v is not None and str(v).strip()]
    spoilt = any(len(str(v)) > 50 or "://" in str(v) or "@" in str(v) for v in kept)
    return [] if spoilt else kept


async def few_or_some(
    context: Context, selection: Selection | None, random: Random, *, few: int = 10, some: int = 3
) -> Samples:
    """Of texts and dates all values where there are few, else some drawn by `random` (TA-SQL).

    Columns whose first known value has 50 letters or more show none.
    """
    profiles = await asyncio.to_thread(context.database.profile)
    found: dict[tuple[str, str], list[object]] = {}
    for table, columns in or_everything(context.database.schema, selection).tables.items():
        described = context.database.schema.table(table)
        for column in columns:
            profile = profiles[table].columns.get(column) if table in profiles else None
            if profile is None or described.column(column).kind not in {"text", *DATED}:
                continue
            values = list(dict.fromkeys([*(v for v, _ in profile.common), *profile.samples]))
            values = [v for v in values if v is not None]
            if not values or len(str(values[0])) >= 50:
                continue
            all_known = profile.distinct is not None and profile.distinct <= few
            found[table, column] = (
                values[:few] if all_known else random.sample(values, min(some, len(values)))
            )
    return found
