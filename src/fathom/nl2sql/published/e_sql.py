"""E-SQL: a first query, the question enriched with what it found, a rewrite (specs/methods.md, 3.6)."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.examples import example_store
from fathom.nl2sql.executing import Outcome, execute
from fathom.nl2sql.probing import possible_conditions
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import json_object, sql_under
from fathom.nl2sql.schema_text import Samples, Shown, render
from fathom.nl2sql.settling import revise, settle
from fathom.nl2sql.values import mentions
from fathom.records import Draft, Question, SolvedExample
from fathom.retrieval.words import words

STEADY = Sampling(temperature=0.0, top_p=1.0, max_tokens=4096)
CONDITIONS, ENRICHED = "possible conditions", "enriched question"
LEVELS = 3
_LONG = 600
DEMONSTRATED = "Solved questions, each with the query that answers it:"
ALLOWED = "Conditions that the cells of the database allow, found by looking for the literals of that query:"
FAILED = "Running it failed:"


@step("generation", calls="1")
async def write_from_samples(draft: Draft, context: Context, *, each: int = 3, values: int = 10) -> Draft:
    """Ask for a query on the whole schema with values like the question's words.

    Shows `each` solved examples of each of three levels, and up to `values` values a column.
    """
    words_asked = prompt(
        "e_sql_write",
        examples=_demonstrated(draft.question, context, each),
        schema=await _schema(draft.question, context, values),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words_asked, sampling=STEADY)
    return settle(draft, [sql_under(reply.text, "sql", "SQL")])


@step("revision", calls="1")
async def enrich_question(draft: Draft, context: Context, *, each: int = 3, values: int = 10) -> Draft:
    """Look for the query's literals in all cells, and ask for the question with columns and conditions in it.

    Where the reply gives none, the question stays as it is.
    """
    found = await possible_conditions(context, draft.sql) if draft.sql else []
    words_asked = prompt(
        "e_sql_enrich",
        examples=_demonstrated(draft.question, context, each),
        schema=await _schema(draft.question, context, values),
        question=asked(draft.question),
        conditions=section(ALLOWED, "conditions", "\n".join(found)),
        dialect=dialect_of(context),
    )
    said = json_object((await context.metered_model().ask(words_asked, sampling=STEADY)).text)
    parts = [p for key in ("reasoning", "enriched_question") if isinstance(p := said.get(key), str)]
    return draft.with_findings(**{CONDITIONS: found, ENRICHED: "\n".join(p.strip() for p in parts)})


@step("revision", calls="1")
async def rewrite_enriched(draft: Draft, context: Context) -> Draft:
    """Ask for the query anew from the enriched question, the first query, its error and conditions found."""
    outcome = await execute(context, draft.sql) if draft.sql else None
    enriched = f"{asked(draft.question)}\n{draft.findings.get(ENRICHED) or ''}".strip()
    words_asked = prompt(
        "e_sql_rewrite",
        schema=render(Shown(context.database.schema, knowledge=context.knowledge), "commented"),
        question=enriched,
        query=section("A first query for it:", "query", draft.sql or ""),
        problem=section(FAILED, "error", _error(outcome)),
        conditions=section(ALLOWED, "conditions", "\n".join(draft.findings.get(CONDITIONS) or ())),
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words_asked, sampling=STEADY)
    return revise(draft, sql_under(reply.text, "sql", "SQL"))


@lru_cache(maxsize=65_536)
def level(sql: str, dialect: str) -> int:
    """How hard a query is, 0 to 2: by its joins, subqueries and set operations."""
    try:
        tree = parse_one(sql, dialect=dialect or None)
    except (SqlglotError, RecursionError):
        return 0
    return min(LEVELS - 1, len(list(tree.find_all(exp.Join, exp.Subquery, exp.SetOperation))))


def demonstrations(
    question: Question, examples: Sequence[SolvedExample], dialect: str, each: int
) -> list[SolvedExample]:
    """`each` examples of each level, drawn by the question's words; never the question itself."""
    own, draw = words(question.text), Random(question.text)
    others = [e for e in examples if words(e.question) != own]
    levels = [[e for e in others if level(e.sql, dialect) == n] for n in range(LEVELS)]
    return [e for held in levels for e in draw.sample(held, min(each, len(held)))]


def _demonstrated(question: Question, context: Context, each: int) -> str:
    pool = example_store(context).examples
    chosen = demonstrations(question, pool, context.database.dialect, each)
    shown = [f"{asked(Question(e.question, evidence=e.evidence))}\n{e.sql.strip()}" for e in chosen]
    return section(DEMONSTRATED, "examples", "\n\n".join(shown))


async def _schema(question: Question, context: Context, most: int) -> str:
    """All of the schema with what is known of it, and values of each column like the question's words."""
    samples: dict[tuple[str, str], list[object]] = {}
    for mention in await mentions(context, f"{question.text} {question.evidence}"):
        for match in mention.matches:
            values = samples.setdefault((match.table, match.column), [])
            if match.value not in values and len(values) < most:
                values.append(match.value)
    shown = Shown(context.database.schema, None, await _filled(context, samples, most), context.knowledge)
    return render(shown, "commented")


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


def _error(outcome: Outcome | None) -> str:
    return outcome.error if outcome and not outcome.ran else ""


E_SQL = Method(
    "e-sql",
    (write_from_samples, enrich_question, rewrite_enriched),
    summary="The question is enriched with the cells and columns that a first query shows, and asked again.",
    provenance="Caferoğlu and Ulusoy 2024, E-SQL",
)
