"""MAC-SQL: a selector, a decomposer and a refiner that sees results (Wang et al. 2023)."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import QueryRun, Status, preview
from fathom.nl2sql.refinement import ON_ERROR, ON_NULL, RefineRules, refine
from fathom.nl2sql.replies import find_sql, json_object, texts
from fathom.nl2sql.samples import common_values
from fathom.nl2sql.schema_text import ShownSchema, foreign_keys, render
from fathom.nl2sql.selections import select
from fathom.records import Draft, Refusal, Schema, Selection, Table

KEPT_COLUMNS = 6
LARGE_TABLE = 6
"""Columns that tables have on average before anything is discarded."""
LARGE_SCHEMA = 30
"""Columns in all before anything is discarded."""
SAMPLING = Sampling(temperature=0.1)
_ADVICE = {
    Status.EMPTY: "The query gives no rows: no data meets all of its conditions.",
    Status.HAS_NULL: "Cells of the result are NULL: add a condition IS NOT NULL where they aren't meant.",
    Status.TIMED_OUT: "The query took too long and was stopped.",
    Status.ERROR: "The database refused the query.",
}


@step("selection", calls="0-1")
async def discard_columns(draft: Draft, context: Context) -> Draft:
    """Have the irrelevant tables and columns of a large schema discarded; a small one stays whole.

    Recall comes first: discarded tables keep six columns, tables not spoken of all, others their keys too.
    """
    schema = context.database.schema
    total = sum(len(t.columns) for t in schema.tables)
    if total // max(1, len(schema.tables)) <= LARGE_TABLE and total <= LARGE_SCHEMA:
        return draft
    reply = await context.metered_model().ask(
        prompt("mac_select", question=asked(draft.question), **await _schema(draft, context)),
        sampling=SAMPLING,
    )
    said = json_object(reply.text)
    return replace(draft, selection=_kept(schema, said)) if said else draft


@step("generation", calls="1")
async def decompose(draft: Draft, context: Context) -> Draft:
    """Have the question split into smaller ones, each with its query; the last query answers it."""
    reply = await context.metered_model().ask(
        prompt(
            "mac_decompose",
            question=asked(draft.question),
            dialect=dialect_of(context),
            **await _schema(draft, context),
        ),
        sampling=SAMPLING,
    )
    return settle(draft, [find_sql(reply.text)])


@step(
    "revision",
    calls="0-{rounds}",
    quirks={
        "trusts_error_word": "a query that holds the word error is taken unchecked",
        "loses_timeouts": "a query that takes too long loses the question",
    },
)
async def refine_by_execution(
    draft: Draft,
    context: Context,
    *,
    rounds: int = 3,
    only_errors: bool = False,
    seconds: float = 120.0,
    trusts_error_word: bool = False,
    loses_timeouts: bool = False,
) -> Draft:
    """Run the query and have it mended while it fails, gives no rows, or gives NULL.

    `only_errors` leaves empty results and NULL alone, as for Spider. A query that times out has failed.
    """
    if draft.sql is None or (trusts_error_word and "error" in draft.sql.casefold()):
        return draft
    shown = await _schema(draft, context)

    def ask(outcome: QueryRun, turn: int) -> str:
        return prompt(
            "mac_refine",
            question=asked(draft.question),
            sql=outcome.sql,
            found=preview(outcome),
            problem=_ADVICE[outcome.status],
            dialect=dialect_of(context),
            **shown,
        )

    ended = await refine(
        context,
        draft.sql,
        ask,
        RefineRules(
            turns=[SAMPLING] * rounds,
            triggers=(ON_ERROR if only_errors else ON_NULL)
            - ({Status.TIMED_OUT} if loses_timeouts else set()),
            seconds=seconds,
        ),
    )
    if loses_timeouts and ended.outcome.status is Status.TIMED_OUT:
        return replace(draft, sql=None, refusal=Refusal(_ADVICE[Status.TIMED_OUT]))
    return revise(replace(draft, notes={"runs": ended.as_json()}), ended.sql)


async def _schema(draft: Draft, context: Context) -> dict[str, str]:
    shown = ShownSchema(context.database.schema, draft.selection, await common_values(context))
    return {"schema": render(shown, "tuples"), "keys": foreign_keys(shown) or "none"}


def _kept(schema: Schema, said: Mapping[str, object]) -> Selection:
    spoken = {t: what for name, what in said.items() for t in select(schema, {name: ()}).tables}
    return Selection({t.name: _columns(schema, t, spoken.get(t.name, "keep_all")) for t in schema.tables})


def _columns(schema: Schema, table: Table, said: object) -> tuple[str, ...]:
    """Choose the columns of a table: all, the first six, or the named ones with keys, made up to six."""
    every = tuple(c.name for c in table.columns)
    if said == "drop_all":
        return every[:KEPT_COLUMNS]
    if not isinstance(said, list):
        return every
    named = {c for n in texts(said) for c in select(schema, {table.name: [n]}).tables[table.name]}
    named.update(table.primary_key)
    for key in schema.foreign_keys:
        named.update(key.columns if key.table == table.name else ())
        named.update(key.target_columns if key.target_table == table.name else ())
    spare = [c for c in every if c not in named][: max(0, KEPT_COLUMNS - len(named))]
    return tuple(c for c in every if c in named or c in spare)


MAC_SQL = Method(
    "mac-sql",
    (discard_columns, decompose, refine_by_execution),
    summary="Large schemas pruned, the question split into smaller ones, the query mended by what it gives.",
    provenance="Wang et al. 2023, MAC-SQL",
)
