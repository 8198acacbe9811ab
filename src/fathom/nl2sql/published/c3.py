"""C3-SQL: recall by vote, two hints said beforehand, many queries, one vote (specs/methods.md, 3.1)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fathom.llm import Message, Model, Reply, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.electing import vote_by_result
from fathom.nl2sql.executing import execute
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import continued, json_list, json_object, texts
from fathom.nl2sql.schema_text import Shown, foreign_keys, render
from fathom.nl2sql.selecting import select
from fathom.nl2sql.settling import settle
from fathom.nl2sql.values import matched_values
from fathom.records import Draft, Schema, Selection

MOST_TABLES = 4
MOST_COLUMNS = 4
"""Of one table, in one reply."""
LEAST_MATCH = 0.85
VALUES_EACH = 2
Named = Mapping[str, Sequence[str]]


@step("selection", calls="{samples}")
async def recall_tables(
    draft: Draft,
    context: Context,
    *,
    samples: int = 10,
    temperature: float = 0.7,
    batches: int = 2,
    longer_lists_weigh_more: bool = False,
) -> Draft:
    """Have the tables ranked several times and keep the set of up to four that comes out most often.

    Replies that can't be read have no vote; `batches` bounds how often a batch without any vote is drawn
    anew. The original counts a reply once for each name it lists up to its fourth table:
    `longer_lists_weigh_more`.
    """
    schema = context.database.schema
    matched = await matched_values(context, draft.question.text, VALUES_EACH, least=LEAST_MATCH)
    asking = prompt(
        "c3_tables", schema=render(Shown(schema, samples=matched), "lines"), question=asked(draft.question)
    )
    votes: Counter[tuple[str, ...]] = Counter()
    for batch in range(batches):
        for reply in await _batch(context.metered_model(), asking, samples, temperature, batch):
            listed = texts(json_list(reply.text))
            if kept := _known_tables(schema, listed):
                weight = len(listed[: listed.index(kept[-1]) + 1]) if kept[-1] in listed else len(kept)
                votes[tuple(sorted(kept))] += weight if longer_lists_weigh_more else 1
        if votes:
            break
    if not votes:
        return draft
    return replace(draft, selection=select(schema, dict.fromkeys(votes.most_common(1)[0][0], ())))


@step("selection", calls="{samples}")
async def recall_columns(
    draft: Draft,
    context: Context,
    *,
    samples: int = 10,
    temperature: float = 0.7,
    batches: int = 2,
    keep: int = 5,
) -> Draft:
    """Have the columns of each table ranked several times; keep those named most often and the keys."""
    schema = context.database.schema
    matched = await matched_values(context, draft.question.text, VALUES_EACH, least=LEAST_MATCH)
    shown = Shown(schema, draft.selection, matched)
    asking = prompt(
        "c3_columns",
        schema=render(shown, "lines"),
        keys=foreign_keys(shown) or "none",
        question=asked(draft.question),
    )
    tables = [t.name for t, _ in shown.tables()]
    votes: dict[str, Counter[str]] = {t: Counter() for t in tables}
    for batch in range(batches):
        for reply in await _batch(context.metered_model(), asking, samples, temperature, batch):
            for table, columns in _known_columns(schema, tables, json_object(reply.text)).items():
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
    shown = Shown(context.database.schema, draft.selection, matched)
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
    for batch in range(batches):
        replies = await _batch(context.metered_model(), turns, samples, temperature, batch)
        queries = [sql for r in replies if (sql := continued(r.text))]
        if queries and (await execute(context, queries[0])).ran:
            return settle(draft, queries)
        first = first or queries
    return settle(draft, first)


async def _batch(
    model: Model, asking: str | list[Message], samples: int, temperature: float | None, batch: int
) -> tuple[Reply, ...]:
    """Replies to the same words; each further batch is drawn anew."""
    sampling = Sampling(temperature=temperature)
    return await model.samples(asking, samples, sampling=sampling, first=batch * samples)


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
    joined = {t: set(columns) for t, columns in voted.items()}
    for key in schema.foreign_keys:
        if key.table in joined and key.target_table in joined:
            joined[key.table].update(key.columns if voted[key.table] else ())
            joined[key.target_table].update(key.target_columns if voted[key.target_table] else ())
    return select(schema, joined)


C3 = Method(
    "c3",
    (recall_tables, recall_columns, sample_with_hints, vote_by_result.using(without_distinct=True)),
    summary="No example: tables and columns recalled by vote, hints against bias, the commonest result.",
    provenance="Dong et al. 2023, C3-SQL",
)
