"""E-SQL: a first query, the question enriched with what it found, a rewrite (Caferoğlu and Ulusoy 2024)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.anatomy import anatomy
from fathom.nl2sql.candidates import NO_SQL, revise, settle
from fathom.nl2sql.examples import example_store
from fathom.nl2sql.levels import LEVELS, level
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.query_runs import QueryRun, execute
from fathom.nl2sql.reasoned import reason_of
from fathom.nl2sql.replies import json_object, sql_under
from fathom.nl2sql.schema_text import Samples, ShownSchema, render
from fathom.nl2sql.sql_fixes import UNQUOTED, without_double_quotes
from fathom.nl2sql.value_probes import possible_conditions
from fathom.nl2sql.values import mentions
from fathom.records import Draft, Question, Refusal, SolvedExample
from fathom.text.words import words

STEADY = Sampling(temperature=0.0, top_p=1.0, max_tokens=4096, json_mode=True)
CONDITIONS, ENRICHED = "possible conditions", "enriched question"
_LONG = 600
DEMONSTRATED = "Solved questions, each enriched and with the query that answers it:"
ALLOWED = "Conditions that the cells of the database allow, found by looking for the literals of that query:"
FAILED = "Running it failed:"


STRICT = {"needs_json": "a reply that isn't JSON leaves the question without a query", **UNQUOTED}
KEYLESS = {"loses_keyless_tables": "tables without a primary key are shown without their columns"}


@step("generation", calls="1", quirks={**STRICT, **KEYLESS}, shots="each")
async def write_from_samples(
    draft: Draft,
    context: Context,
    *,
    each: int = 3,
    values: int = 10,
    needs_json: bool = False,
    drops_double_quotes: bool = False,
    loses_keyless_tables: bool = False,
) -> Draft:
    """Ask for a query on the whole schema with values like the question's words.

    Shows `each` solved examples of each of three levels, and up to `values` values a column.
    """
    words_asked = prompt(
        "e_sql_write",
        examples=_demonstrated(draft.question, context, each),
        schema=await _schema(draft.question, context, values, keyless=not loses_keyless_tables),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words_asked, sampling=STEADY)
    return settle(draft, [_read(reply.text, strictly=needs_json, unquoted=drops_double_quotes)])


@step("revision", calls="1", quirks=KEYLESS)
async def enrich_question(
    draft: Draft,
    context: Context,
    *,
    each: int = 3,
    values: int = 10,
    loses_keyless_tables: bool = False,
) -> Draft:
    """Look for the query's literals in all cells, and ask for the question with columns and conditions in it.

    Where the reply gives none, the question stays as it is.
    """
    found = await possible_conditions(context, draft.sql) if draft.sql else []
    words_asked = prompt(
        "e_sql_enrich",
        examples=_demonstrated(draft.question, context, each),
        schema=await _schema(draft.question, context, values, keyless=not loses_keyless_tables),
        question=asked(draft.question),
        conditions=section(ALLOWED, "conditions", "\n".join(found)),
        dialect=dialect_of(context),
    )
    said = json_object((await context.metered_model().ask(words_asked, sampling=STEADY)).text)
    parts = [p for key in ("reasoning", "enriched_question") if isinstance(p := said.get(key), str)]
    return draft.with_findings(**{CONDITIONS: found, ENRICHED: "\n".join(p.strip() for p in parts)})


@step("revision", calls="1", quirks={**STRICT, **KEYLESS})
async def rewrite_enriched(
    draft: Draft,
    context: Context,
    *,
    seconds: float = 30.0,
    needs_json: bool = False,
    drops_double_quotes: bool = False,
    loses_keyless_tables: bool = False,
) -> Draft:
    """Ask for the query anew from the enriched question, the first query, its error and conditions found."""
    outcome = await execute(context, draft.sql, seconds=seconds) if draft.sql else None
    enriched = f"{asked(draft.question)}\n{draft.findings.get(ENRICHED) or ''}".strip()
    words_asked = prompt(
        "e_sql_rewrite",
        schema=_rendered(context, {}, keyless=not loses_keyless_tables),
        question=enriched,
        query=section("A first query for it:", "query", draft.sql or ""),
        problem=section(FAILED, "error", _error(outcome)),
        conditions=section(ALLOWED, "conditions", "\n".join(draft.findings.get(CONDITIONS) or ())),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words_asked, sampling=STEADY)
    sql = _read(reply.text, strictly=needs_json, unquoted=drops_double_quotes)
    if sql is None and needs_json:
        return replace(draft, sql=None, refusal=Refusal(NO_SQL))
    return revise(draft, sql)


def _read(reply: str, *, strictly: bool, unquoted: bool) -> str | None:
    if strictly and not json_object(reply):
        return None
    sql = sql_under(reply, "sql", "SQL")
    return without_double_quotes(sql) if unquoted else sql


def demonstrations(
    question: Question, examples: Sequence[SolvedExample], dialect: str, each: int
) -> list[SolvedExample]:
    """`each` examples of each level, drawn by the question's words; never the question itself."""
    own, draw = words(question.text), Random(question.text)
    others = [e for e in examples if words(e.question) != own]
    levels = [[e for e in others if level(e.sql, dialect) == n] for n in LEVELS]
    return [e for held in levels for e in draw.sample(held, min(each, len(held)))]


def _demonstrated(question: Question, context: Context, each: int) -> str:
    store = example_store(context)
    everything = range(len(store.examples))
    pool = store.others(question.text, everything, len(everything), context.withheld)
    chosen = demonstrations(question, pool, context.database.dialect, each)
    shown = [_annotated(e, context.database.dialect) for e in chosen]
    return section(DEMONSTRATED, "examples", "\n\n".join(shown))


def _annotated(example: SolvedExample, dialect: str) -> str:
    """A solved question, the reason for its query, the question enriched by what that is made of, the query.

    The authors annotate theirs by hand; these are read from the query.
    """
    question = asked(Question(example.question, evidence=example.evidence))
    if (found := anatomy(example.sql, dialect)) is None:
        return f"{question}\n{example.sql.strip()}"
    parts = {"selecting": found.selected, "where": found.conditions, "joined by": found.joins}
    said = "; ".join(f"{about} {', '.join(listed)}" for about, listed in parts.items() if listed)
    reasoned = f"Reasoning: {reason_of(example.sql, dialect)}"
    return f"{question}\n{reasoned}\nEnriched: {example.question} ({said})\n{example.sql.strip()}"


async def _schema(question: Question, context: Context, most: int, *, keyless: bool) -> str:
    """All of the schema with what is known of it, and values of each column like the question's words."""
    samples: dict[tuple[str, str], list[object]] = {}
    for mention in await mentions(context, f"{question.text} {question.evidence}"):
        for match in mention.matches:
            values = samples.setdefault((match.table, match.column), [])
            if match.value not in values and len(values) < most:
                values.append(match.value)
    return _rendered(context, await _filled(context, samples, most), keyless=keyless)


def _rendered(context: Context, samples: Samples, *, keyless: bool) -> str:
    schema = context.database.schema
    if not keyless:
        bare = (t if t.primary_key else replace(t, columns=()) for t in schema.tables)
        schema = replace(schema, tables=tuple(bare), foreign_keys=())
    return render(ShownSchema(schema, None, samples, context.knowledge), "commented")


async def _filled(context: Context, samples: dict[tuple[str, str], list[object]], most: int) -> Samples:
    """With a column's common values after those found, NULL where it holds any; one alone of long texts."""
    for table in (await asyncio.to_thread(context.database.profile)).values():
        for p in table.columns.values():
            found = samples.get((p.table, p.column), [])
            listed = [*found, *(v for v, _ in p.common), *p.samples]
            kept = list(dict.fromkeys(v for v in listed if v is not None))[:most]
            lengths = [len(str(v)) for v in kept]
            if lengths and sum(lengths) / len(lengths) > _LONG:
                kept = kept[:1]
            samples[p.table, p.column] = [*kept, *([None] if p.null_share > 0 else [])]
    return samples


def _error(outcome: QueryRun | None) -> str:
    return outcome.error if outcome and not outcome.ran else ""


E_SQL = Method(
    "e-sql",
    (write_from_samples, enrich_question, rewrite_enriched),
    summary="The question is enriched with the cells and columns that a first query shows, and asked again.",
    provenance="Caferoğlu and Ulusoy 2024, E-SQL",
    departures=(
        "Demonstrations are annotated with what is read from their queries, reasons too; the original's are "
        "annotated by hand. Their level comes from joins and queries within, where the original takes BIRD's "
        "own label. What is known of a column is shown once, where the original shows it up "
        "to three times. Cells come from the value index, where the original ranks all by BM25."
    ),
)
