"""C3-SQL: recall by vote, two hints said beforehand, many queries, one vote (Dong et al. 2023)."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace

from fathom.llm import Message, Reply, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import execute
from fathom.nl2sql.replies import continued, json_list, json_object, texts
from fathom.nl2sql.result_vote import vote_by_result
from fathom.nl2sql.schema_text import ShownSchema, foreign_keys, render
from fathom.nl2sql.selections import select
from fathom.nl2sql.sql_fixes import closed_up, qualified
from fathom.nl2sql.values import matched_values
from fathom.records import Draft, Schema, Selection

MOST_TABLES = 4
MOST_COLUMNS = 4
"""Of one table, in one reply."""
LEAST_MATCH = 0.85
VALUES_EACH = 2
Named = Mapping[str, Sequence[str]]


WHOLE_BATCH = {"redraws_whole_batch": "one reply that can't be read has its whole batch drawn anew"}
"""The original does so without end; here `batches` bounds it."""


@step(
    "selection",
    calls="{samples}",
    quirks={
        "longer_lists_weigh_more": "a reply votes once for each name it lists up to its fourth table",
        **WHOLE_BATCH,
    },
)
async def recall_tables(
    draft: Draft,
    context: Context,
    *,
    samples: int = 10,
    temperature: float = 0.7,
    batches: int = 2,
    longer_lists_weigh_more: bool = False,
    redraws_whole_batch: bool = False,
) -> Draft:
    """Have the tables ranked several times and keep the set of up to four that comes out most often.

    They stand in the order of the first reply that has them. Replies that can't be read have no vote;
    `batches` bounds how often a batch without any vote is drawn anew.
    """
    schema = context.database.schema
    matched = await matched_values(context, draft.question.text, VALUES_EACH, least=LEAST_MATCH)
    asking = prompt(
        "c3_tables",
        schema=render(ShownSchema(schema, samples=matched), "lines"),
        question=asked(draft.question),
    )
    votes: Counter[tuple[str, ...]] = Counter()
    orders: dict[tuple[str, ...], Sequence[str]] = {}
    async for replies in _batches(context, asking, samples, temperature, batches):
        lists = [texts(json_list(reply.text)) for reply in replies]
        if redraws_whole_batch and not all(lists):
            continue
        for listed in lists:
            if kept := _known_tables(schema, listed):
                found = tuple(sorted(kept))
                votes[found] += _examined(schema, listed) if longer_lists_weigh_more else 1
                orders.setdefault(found, kept)
        if votes:
            break
    if not votes:
        return draft
    return replace(draft, selection=Selection(dict.fromkeys(orders[votes.most_common(1)[0][0]], ())))


@step("selection", calls="{samples}", quirks=WHOLE_BATCH)
async def recall_columns(
    draft: Draft,
    context: Context,
    *,
    samples: int = 10,
    temperature: float = 0.7,
    batches: int = 2,
    keep: int = 5,
    redraws_whole_batch: bool = False,
) -> Draft:
    """Have the columns of each table ranked several times; keep those named most often and the keys."""
    schema = context.database.schema
    matched = await matched_values(context, draft.question.text, VALUES_EACH, least=LEAST_MATCH)
    shown = ShownSchema(schema, draft.selection, matched)
    asking = prompt(
        "c3_columns",
        schema=render(shown, "lines"),
        keys=foreign_keys(shown) or "none",
        question=asked(draft.question),
    )
    tables = [t.name for t, _ in shown.tables()]
    votes: dict[str, Counter[str]] = {t: Counter() for t in tables}
    async for replies in _batches(context, asking, samples, temperature, batches):
        rankings = [json_object(reply.text) for reply in replies]
        if redraws_whole_batch and not all(rankings):
            continue
        for said in rankings:
            for table, columns in _known_columns(schema, tables, said).items():
                votes[table].update(columns)
        if any(votes.values()):
            break
    if not any(votes.values()):
        return draft
    voted = {t: [c for c, _ in votes[t].most_common(keep)] for t in tables}
    return replace(draft, selection=_with_joins(schema, voted))


@step("generation", calls="{samples}")
async def sample_with_hints(
    draft: Draft,
    context: Context,
    *,
    samples: int = 20,
    temperature: float | None = None,
    batches: int = 5,
) -> Draft:
    """Draw queries after two hints against habits of models; draw anew while the first of a batch fails."""
    matched = await matched_values(context, draft.question.text, VALUES_EACH, least=LEAST_MATCH)
    shown = ShownSchema(context.database.schema, draft.selection, matched)
    asking = prompt(
        "c3_sql",
        schema=render(shown, "lines"),
        keys=foreign_keys(shown) or "none",
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    turns = [
        Message("system", prompt("c3_system", dialect=dialect_of(context))),
        Message("user", prompt("c3_hint_select")),
        Message("assistant", prompt("c3_understood")),
        Message("user", prompt("c3_hint_operators")),
        Message("assistant", prompt("c3_understood")),
        Message("user", asking),
    ]
    first: list[str] = []
    async for replies in _batches(context, turns, samples, temperature, batches):
        mended = {text: _mended(text, context.database.schema) for text in {r.text for r in replies}}
        read = [mended[r.text] for r in replies]
        queries = [sql for sql in read if sql]
        if read[0] and (await execute(context, read[0])).ran:
            return settle(draft, queries)
        first = first or queries
    return settle(draft, first)


def _mended(reply: str, schema: Schema) -> str | None:
    sql = continued(reply)
    return qualified(closed_up(sql, schema.dialect), schema) if sql else None


async def _batches(
    context: Context, asking: str | list[Message], samples: int, temperature: float | None, most: int
) -> AsyncIterator[tuple[Reply, ...]]:
    """Replies to the same words, batch after batch, each drawn anew when it is wanted."""
    model, sampling = context.metered_model(), Sampling(temperature=temperature)
    for batch in range(most):
        yield await model.samples(asking, samples, sampling=sampling, first=batch * samples)


def _examined(schema: Schema, listed: Sequence[str]) -> int:
    """How many of the listed names are looked at until the fourth table that exists."""
    return next(
        (n for n in range(1, len(listed) + 1) if len(_known_tables(schema, listed[:n])) == MOST_TABLES),
        len(listed),
    )


def _known_tables(schema: Schema, listed: Iterable[str]) -> list[str]:
    """The first four of the listed tables that exist, each once."""
    return list(dict.fromkeys(t for name in listed for t in select(schema, {name: ()}).tables))[:MOST_TABLES]


def _known_columns(schema: Schema, tables: Sequence[str], said: Mapping[str, object]) -> dict[str, list[str]]:
    """Per selected table the first four of the named columns that exist."""
    found: dict[str, list[str]] = {}
    for name, columns in said.items():
        for table in select(schema, {name: ()}).tables:
            known = [c for n in texts(columns) for c in select(schema, {table: [n]}).tables[table]]
            if table in tables:
                found[table] = list(dict.fromkeys(known))[:MOST_COLUMNS]
    return found


def _with_joins(schema: Schema, voted: Named) -> Selection:
    """The voted columns with those that join the tables; a table without any votes keeps all of its own."""
    joined = {t: list(columns) for t, columns in voted.items()}
    for key in schema.foreign_keys:
        if key.table in joined and key.target_table in joined:
            joined[key.table] += key.columns if voted[key.table] else ()
            joined[key.target_table] += key.target_columns if voted[key.target_table] else ()
    return Selection({t: tuple(dict.fromkeys(columns)) for t, columns in joined.items()})


C3 = Method(
    "c3",
    (recall_tables, recall_columns, sample_with_hints, vote_by_result.using(without_distinct=True)),
    summary="No example: tables and columns recalled by vote, hints against bias, the commonest result.",
    provenance="Dong et al. 2023, C3-SQL",
    departures=(
        "Matched cells come from the value index, which looks for the words of the question, rather than "
        "from comparing all of its n-grams with all cells."
    ),
)
