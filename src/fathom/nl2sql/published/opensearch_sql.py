"""OpenSearch-SQL: extract, generate in a fixed form, align, correct, vote (Xie et al. 2025)."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.anatomy import anatomy
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.examples import ranked_examples
from fathom.nl2sql.lookup import Values
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section, together
from fathom.nl2sql.published.opensearch_alignment import (
    FAULTS,
    faults,
    join_choices,
    mended,
    misplaced,
    near_cells,
)
from fathom.nl2sql.published.opensearch_extraction import (
    HITS,
    ORDER,
    about,
    extract_and_look_up,
    sentences,
)
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.reasoned import reason_of
from fathom.nl2sql.refinement import ON_EMPTY, RefineRules, refine
from fathom.nl2sql.replies import find_sql, sql_after
from fathom.nl2sql.result_vote import execute_all, vote_by_result
from fathom.nl2sql.schema_text import ShownSchema, foreign_keys
from fathom.records import Candidate, Draft, Question, SolvedExample

FIXES = tuple(Sampling(temperature=t, top_p=0.3, max_tokens=800) for t in (0.4, 0.6, 0.8))
STEADY = Sampling(temperature=0.0, max_tokens=800)
FASTEST = {"fastest_wins": "of equally supported results that of the fastest query is kept"}
MARK, UNREADABLE = "#SQL:", "replies without a query"
SOLVED = "Solved questions, each in a comment, with the sections that lead to its query:"
CELLS = "Cells that hold values of the question:"
ASKED_FOR = "What is to be selected, in this order:"
HELD = "The cells say:"


@step("generation", calls="{samples}", shots="examples")
async def write_progressively(
    draft: Draft, context: Context, *, samples: int = 21, temperature: float = 0.7, examples: int = 5
) -> Draft:
    """Ask for candidates that name reason, columns, values, SELECT and a sketch before the query."""
    words = await _progressive(draft, context, examples)
    sampling = Sampling(temperature=temperature, max_tokens=800)
    replies = await context.metered_model().samples(words, samples, sampling=sampling)
    queries = [sql_after(r.text, MARK) for r in replies]
    return settle(draft, queries).with_findings(**{UNREADABLE: queries.count(None)})


@step(
    "revision",
    calls="0-5 for each different candidate",
    quirks={"mends_the_first": "of several places with a fault that a rule mends the first alone is seen"},
)
async def align_candidates(draft: Draft, context: Context, *, mends_the_first: bool = False) -> Draft:
    """Mend known faults of each different candidate: some by rule, the others by a call each."""
    fresh = list(dict.fromkeys(c.sql for c in draft.candidates))
    most = 1 if mends_the_first else None
    aligned = await together(_aligned(draft, context, sql, most) for sql in fresh)
    return _replaced(draft, dict(zip(fresh, aligned, strict=True)))


@step("revision", calls="0-4 for each different candidate")
async def correct_candidates(draft: Draft, context: Context, *, examples: int = 5) -> Draft:
    """Correct each different candidate that fails or gives nothing, at most thrice; then write it anew.

    Replies that held no query at all are drawn once more.
    """
    fresh = list(dict.fromkeys(c.sql for c in draft.candidates))
    corrected = await together(_corrected(draft, context, sql, n, examples) for n, sql in enumerate(fresh))
    after = _replaced(draft, dict(zip(fresh, corrected, strict=True)))
    if not (missing := int(draft.findings.get(UNREADABLE) or 0)):
        return after
    words = await _progressive(draft, context, examples)
    sampling = Sampling(temperature=0.3, max_tokens=800)
    replies = await context.metered_model().samples(words, missing, sampling=sampling)
    drawn = tuple(Candidate(sql) for r in replies if (sql := sql_after(r.text, MARK)))
    return replace(after, candidates=(*after.candidates, *drawn))


async def _aligned(draft: Draft, context: Context, sql: str, most: int | None) -> str:
    schema, hits = context.database.schema, _hits(draft)
    sql = mended(sql, schema, await near_cells(context, sql, hits), most=most)
    for outcome in await execute_all(context, join_choices(sql, schema)):
        if outcome.result and outcome.result.rows:
            sql = outcome.sql
            break
    for advice in FAULTS:
        if advice not in faults(sql, schema, hits):
            continue
        words = prompt(
            "opensearch_align",
            schema=await _schema(draft, context),
            question=asked(draft.question),
            sql=sql,
            advice=advice,
            cells=section(HELD, "cells", "\n".join(misplaced(sql, schema, hits))),
            dialect=dialect_of(context),
        )
        sql = find_sql((await context.metered_model().ask(words, sampling=STEADY)).text) or sql
    return sql


async def _corrected(draft: Draft, context: Context, sql: str, number: int, examples: int) -> str:
    shown = await _schema(draft, context)

    def ask(outcome: QueryRun, turn: int) -> str:
        return prompt(
            "opensearch_correct",
            schema=shown,
            question=asked(draft.question),
            sql=outcome.sql,
            result=preview(outcome),
            dialect=dialect_of(context),
        )

    done = await refine(context, sql, ask, RefineRules(turns=FIXES, triggers=ON_EMPTY))
    if done.outcome.status not in ON_EMPTY:
        return done.sql
    words = await _progressive(draft, context, examples)
    sampling = Sampling(temperature=0.2, max_tokens=800)
    reply = await context.metered_model().ask(words, sampling=sampling, sample=number)
    return sql_after(reply.text, MARK) or done.sql


def _replaced(draft: Draft, by: Mapping[str, str]) -> Draft:
    candidates = tuple(c if by[c.sql] == c.sql else Candidate(by[c.sql]) for c in draft.candidates)
    return revise(replace(draft, candidates=candidates), by.get(draft.sql or "", draft.sql))


async def _progressive(draft: Draft, context: Context, examples: int) -> str:
    near = (await ranked_examples(context, draft.question, examples))[:examples]
    dialect = context.database.dialect
    cells = [
        f"{t}.{c}: {v!r}" for t, columns in _hits(draft).items() for c, vs in columns.items() for v in vs
    ]
    return prompt(
        "opensearch_write",
        examples=section(SOLVED, "examples", "\n\n".join(in_sections(e, dialect) for e in near)),
        about=about(context),
        cells=section(CELLS, "cells", "\n".join(cells)),
        schema=await _schema(draft, context),
        question=asked(draft.question),
        order=section(ASKED_FOR, "order", "\n".join(draft.findings.get(ORDER) or ())),
        dialect=dialect_of(context),
    )


def in_sections(example: SolvedExample, dialect: str) -> str:
    """A solved question with its query led up to by the sections that a reply has.

    The reason is put together from the query: the authors' own have a model write it beforehand.
    """
    found = anatomy(example.sql, dialect)
    question = asked(Question(example.question, evidence=example.evidence))
    sections = (
        {"columns": found.columns, "values": found.conditions, "SELECT": found.selected} if found else {}
    )
    lines = [f"#reason: {reason}"] if (reason := reason_of(example.sql, dialect)) else []
    lines += [f"#{name}: {', '.join(listed)}" for name, listed in sections.items()]
    sketched = [f"#sketch: {found.sketch}"] if found else []
    return "\n".join([f"/* {question} */", *lines, *sketched, f"{MARK} {example.sql.strip()}"])


async def _schema(draft: Draft, context: Context) -> str:
    keys = foreign_keys(ShownSchema(context.database.schema, draft.selection))
    return f"{await sentences(context, draft.selection)}\n{keys}".strip()


def _hits(draft: Draft) -> Values:
    return draft.findings.get(HITS) or {}


OPENSEARCH_SQL = Method(
    "opensearch-sql",
    (
        extract_and_look_up,
        write_progressively,
        align_candidates,
        correct_candidates,
        replace(vote_by_result.using(seconds=180.0, as_sets=True, empty_votes=False), quirks=FASTEST),
    ),
    summary="Columns and cells are looked up; 21 candidates in one form are aligned, corrected, voted on.",
    provenance="Xie et al. 2025, OpenSearch-SQL",
    departures=(
        "Demonstrations are annotated with what is read from their queries, reasons too, which say the "
        "steps of the query and not why the question means them; the original has a model write both "
        "beforehand, and a summary of the database, which is the pack's here. Faults are found in the "
        "syntax tree, where the original has patterns of text. Cells to compare are looked up column by "
        "column in the value index. A tie goes to the first, not to the fastest."
    ),
)
