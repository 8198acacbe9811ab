"""The first steps of both CHESS methods: the nearest things to the keywords (Talaei et al. 2024)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from fathom.methods import Context, step
from fathom.nl2sql.keywords import keywords_of
from fathom.nl2sql.lookup import (
    as_selection,
    described_columns,
    one_column_each,
    only_about,
    similar_columns,
    similar_values,
)
from fathom.nl2sql.schema_text import Samples, ShownSchema
from fathom.records import Draft, Schema, Selection

VALUES, ALIKE, DESCRIBED = "similar values", "similar columns", "described columns"
LAST_TEMPERATURE = {
    "keeps_last_temperature": "a temperature of 0 isn't taken up: the one used before it stays in force"
}
AFTER_KEYWORDS, AFTER_CANDIDATES = 0.2, 0.5
"""The temperatures that are then in force."""
_SHORT = 50
_MANY_ROWS = 100_000


@step("selection")
async def retrieve_by_keywords(
    draft: Draft,
    context: Context,
    *,
    near: float = 1.0,
    one_column: bool = True,
    descriptions: int = 5,
    few: int = 0,
) -> Draft:
    """Look up cells, column names and descriptions near to the keywords.

    A column keeps the cells within `near` of its best ratio; each keyword finds `descriptions` descriptions
    and all columns named like it, of which `one_column` keeps the nearest to the question. Columns with fewer
    than `few` different cells are searched even if these are long.
    """
    keywords, question = keywords_of(draft), draft.question
    named = similar_columns(context.database.schema, keywords)
    alike = (
        await one_column_each(context, question, named)
        if one_column
        else as_selection(place for places in named.values() for place in places)
    )
    described = await described_columns(context, question, keywords, most=descriptions)
    return draft.with_findings(
        **{
            VALUES: await similar_values(context, keywords, near=near, few=few),
            ALIKE: {t: list(c) for t, c in alike.tables.items()},
            DESCRIBED: {t: list(c) for t, c in described.tables.items()},
        }
    )


def found_selection(draft: Draft, name: str) -> Selection:
    """The columns that a look-up found, or none."""
    found: Mapping[str, Sequence[str]] = draft.findings.get(name) or {}
    return Selection({t: tuple(c) for t, c in found.items()})


def found_values(draft: Draft) -> Samples:
    """The cells that the look-up found, by column."""
    found: Mapping[str, Mapping[str, Sequence[str]]] = draft.findings.get(VALUES) or {}
    return {(t, c): list(values) for t, columns in found.items() for c, values in columns.items()}


async def narrow_schema(draft: Draft, context: Context, selection: Selection | None) -> ShownSchema:
    """The selected schema as CHESS v1 shows it: found cells or one short value, found descriptions only."""
    profiles = await asyncio.to_thread(context.database.profile)
    samples, draw = dict(found_values(draft)), Random(draft.question.text)
    for table in profiles.values():
        for profile in table.columns.values():
            short = [v for v in profile.samples if v is not None and len(str(v)) < _SHORT]
            if short and (profile.table, profile.column) not in samples:
                samples[profile.table, profile.column] = [draw.choice(short)]
    known = only_about(context.knowledge, found_selection(draft, DESCRIBED).tables)
    return ShownSchema(context.database.schema, selection, samples, known)


async def whole_schema(draft: Draft, context: Context, *, few: int = 20) -> ShownSchema:
    """All of the schema as CHESS v2 shows it: every description, and found cells or common values.

    Five values of a column with fewer than `few` distinct ones, else three. Of tables up to 100,000 rows it
    is told how many values a column has, how many different ones and how many are missing.
    """
    profiles = await asyncio.to_thread(context.database.profile)
    samples, counts = dict(found_values(draft)), dict[tuple[str, str], str]()
    for table in profiles.values():
        for p in table.columns.values():
            if p.exact and p.distinct is not None and p.rows_seen <= _MANY_ROWS:
                missing = round(p.null_share * p.rows_seen)
                counts[p.table, p.column] = (
                    f"{p.rows_seen - missing} values, {p.distinct} different, {missing} missing"
                )
            values = [v for v, _ in p.common] or list(p.samples)
            short = [v for v in values if v is not None and len(str(v)) < _SHORT]
            most = 5 if p.distinct is not None and p.distinct < few else 3
            samples.setdefault((p.table, p.column), short[:most])
    return ShownSchema(context.database.schema, None, samples, context.knowledge, counts)


def shuffled(schema: Schema, seed: str) -> Schema:
    """The same schema with its tables and their columns in another order, the same one for the same seed."""
    draw = Random(seed)
    tables = tuple(
        replace(table, columns=tuple(draw.sample(table.columns, len(table.columns))))
        for table in draw.sample(schema.tables, len(schema.tables))
    )
    return replace(schema, tables=tables)
