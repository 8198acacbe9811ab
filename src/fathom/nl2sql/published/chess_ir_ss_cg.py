"""CHESS with selectors: narrow the schema in three stages, one careful query, one revision (specs 4.2)."""

from collections.abc import Iterator

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.conditions import conditions
from fathom.nl2sql.keywords import extract_keywords
from fathom.nl2sql.lookup import Values, ratio
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.published.chess import VALUES, narrow_schema, retrieve_by_keywords
from fathom.nl2sql.published.chess_selection import connected, filter_columns, select_columns, select_tables
from fathom.nl2sql.query_runs import execute, preview
from fathom.nl2sql.replies import sql_under
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.schema_text import render
from fathom.nl2sql.voting import clusters, same_set
from fathom.records import Draft, Schema

ROWS = 30
NEAR = 0.4
NOTED = "Literals of the query that may not be what the cells hold:"


@step("generation", calls="{samples}")
async def write_one_query(
    draft: Draft, context: Context, *, samples: int = 1, temperature: float = 0.0
) -> Draft:
    """Ask for the query with its reasoning on the selected schema.

    Of several samples the shortest of the largest group with the same first 30 rows stands.
    """
    schema = context.database.schema
    selection = connected(schema, draft.selection) if draft.selection else None
    words = prompt(
        "chess_write",
        schema=render(await narrow_schema(draft, context, selection), "commented"),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    sampling = Sampling(temperature=temperature)
    replies = await context.metered_model().samples(words, samples, sampling=sampling)
    settled = settle(draft, [sql_under(r.text, "sql", "SQL") for r in replies])
    queries = [c.sql for c in settled.candidates]
    if len(set(queries)) < 2 or settled.candidates == draft.candidates:
        return settled
    groups = clusters(await execute_all(context, queries, rows=ROWS), same_set)
    return revise(settled, min((queries[i] for i in groups[0]), key=len)) if groups else settled


@step("revision", calls="1")
async def revise_once(draft: Draft, context: Context) -> Draft:
    """Show the query with its first 30 rows or its error and ask for it anew, right or not."""
    if draft.sql is None:
        return draft
    outcome = await execute(context, draft.sql)
    notes = "\n".join(entity_notes(draft.sql, context.database.schema, draft.findings.get(VALUES) or {}))
    words = prompt(
        "chess_revise",
        schema=render(await narrow_schema(draft, context, None), "commented"),
        question=asked(draft.question),
        sql=draft.sql,
        result=preview(outcome, ROWS),
        notes=section(NOTED, "notes", notes),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words, sampling=Sampling(temperature=0.0))
    return revise(draft, sql_under(reply.text, "revised_sql", "revised_SQL", "sql", "SQL"))


def entity_notes(sql: str, schema: Schema, values: Values) -> Iterator[str]:
    """Give notes on the literals: the nearest found cell of the column, or the column that holds it."""
    for one in conditions(sql, schema):
        own = values.get(one.table, {}).get(one.column, [])
        if not one.is_text or one.literal in own:
            continue
        name = f"{one.table}.{one.column}"
        nearest = max(own, key=lambda v: ratio(v, one.literal), default=None)
        if nearest is not None and ratio(nearest, one.literal) > NEAR:
            yield f"{name} holds {nearest!r}; the query compares it with {one.literal!r}."
        for table, columns in values.items():
            for column, found in columns.items():
                if one.literal in found and (table, column) != (one.table, one.column):
                    yield f"{one.literal!r} is a value of {table}.{column}; the query looks in {name}."


CHESS_IR_SS_CG = Method(
    "chess-ir-ss-cg",
    (
        extract_keywords,
        retrieve_by_keywords,
        filter_columns,
        select_tables,
        select_columns,
        write_one_query,
        revise_once,
    ),
    summary="Judges every column, then tables and columns; one query on what is left, revised once.",
    provenance="Talaei et al. 2024, CHESS (IR, SS, CG)",
    departures=(
        "Cells are looked up column by column in the value index, where the original asks a MinHash index of "
        "character 3-grams; edit ratio and embeddings choose among them as published, and without embeddings "
        "a ratio of 0.7 stands in for their cosine of 0.6. The filter's ten demonstrations are shorter, and "
        "it is told to keep a column in real doubt. No model repairs broken JSON."
    ),
)
