"""BI-Bench's baseline: a question and two beside it are answered in paragraphs and merged (specs, 5.8).

The paper leaves temperature, retries and prompts open: here it is 0, and a query that fails is mended once.
Of a schema longer than a model takes, each question sees the tables nearest to it, and the trace tells how
many; the paper leaves that open as well.
"""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section, together
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.refinement import ON_ERROR, RefineRules, refine
from fathom.nl2sql.replies import find_sql, json_list, texts
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.schema_parts import SchemaPart, schema_parts
from fathom.nl2sql.schema_text import ShownSchema
from fathom.nl2sql.wording import NOTHING_RUN
from fathom.records import Draft, Question

STEADY = Sampling(temperature=0.0)
ASIDE, QUERIES = "questions beside it", "queries of these"
ROWS = 100
LONGEST_SCHEMA = 240_000
"""Letters, some 60,000 tokens: half of what models of today take."""


@step("generation", calls="1")
async def ask_beside(draft: Draft, context: Context, *, questions: int = 2) -> Draft:
    """Ask for further questions whose answers would round off the answer to this one."""
    words = prompt(
        "bi_questions",
        schema=(near := _near(context, draft.question.text)).text,
        question=asked(draft.question),
        count=questions,
    )
    reply = await context.metered_model().ask(words, sampling=STEADY)
    others = [q for q in texts(json_list(reply.text)) if q != draft.question.text]
    noted = replace(draft, notes={**draft.notes, **_told(context, near)})
    return noted.with_findings(**{ASIDE: others[:questions]})


@step("generation", calls="1-3")
async def write_each(draft: Draft, context: Context) -> Draft:
    """Ask for a query for each of the questions; the asked one's stands."""
    model = context.metered_model()
    near = [_near(context, question) for question in _questions(draft)]
    replies = await together(
        model.ask(
            prompt("index_query", schema=part.text, question=question, dialect=dialect_of(context)),
            sampling=STEADY,
        )
        for question, part in zip(_questions(draft), near, strict=True)
    )
    own, *others = [find_sql(r.text) for r in replies]
    settled = settle(draft, [own])
    noted = replace(settled, notes={**settled.notes, **_told(context, *near)})
    return noted.with_findings(**{QUERIES: others})


@step("revision", calls="0-3")
async def mend_each(draft: Draft, context: Context) -> Draft:
    """Run each query and have it mended once where it fails."""

    async def mended(question: str, sql: str | None) -> str | None:
        if sql is None:
            return None

        def ask(outcome: QueryRun, turn: int) -> str:
            return prompt(
                "bmsql_mend",
                schema=_near(context, question).text,
                question=question,
                sql=outcome.sql,
                error=outcome.error,
                dialect=dialect_of(context),
            )

        return (await refine(context, sql, ask, RefineRules(turns=(STEADY,), triggers=ON_ERROR))).sql

    own, *others = await together(
        mended(question, sql) for question, sql in zip(_questions(draft), _queries(draft), strict=True)
    )
    return revise(draft, own).with_findings(**{QUERIES: others})


@step("answering", calls="1-3")
async def tell_each(draft: Draft, context: Context) -> Draft:
    """Ask for a paragraph from the rows of each query that runs; the paragraphs go to the findings."""
    pairs = [(q, sql) for q, sql in zip(_questions(draft), _queries(draft), strict=True) if sql]
    outcomes = await execute_all(context, [sql for _, sql in pairs], rows=ROWS)
    model = context.metered_model()
    replies = await together(
        model.ask(
            prompt(
                "answer_from_rows",
                question=question,
                sql=outcome.sql,
                rows=preview(outcome, ROWS),
                dialect=dialect_of(context),
            ),
            sampling=STEADY,
        )
        for (question, _), outcome in zip(pairs, outcomes, strict=True)
        if outcome.ran
    )
    return draft.with_findings(paragraphs=[r.text.strip() for r in replies if r.text.strip()])


@step("answering", calls="0-1")
async def merge_paragraphs(draft: Draft, context: Context) -> Draft:
    """Ask for one answer from all paragraphs; a fixed sentence where there is none.

    The words go to the draft's findings as `answer`.
    """
    paragraphs = draft.findings.get("paragraphs") or []
    if not paragraphs:
        return draft.with_findings(answer=NOTHING_RUN)
    words = prompt(
        "bi_merge",
        question=asked(draft.question),
        paragraphs="\n\n".join(section(f"{n}.", "paragraph", p) for n, p in enumerate(paragraphs, 1)),
    )
    reply = await context.metered_model().ask(words, sampling=STEADY)
    return draft.with_findings(answer=reply.text.strip() or paragraphs[0])


def _near(context: Context, question: str) -> SchemaPart:
    """The schema, or of a long one the part that is nearest to the question."""
    shown = ShownSchema(context.database.schema, knowledge=context.knowledge)
    return schema_parts(shown, question, letters=LONGEST_SCHEMA)[0]


def _told(context: Context, *parts: SchemaPart) -> dict[str, str]:
    """Describe in the trace a schema that wasn't shown whole."""
    tables = len(context.database.schema.tables)
    fewest = min(len(p.tables) for p in parts)
    cut = any(p.of > 1 for p in parts)
    return {"schema": f"{fewest} of {tables} tables, the nearest to the question"} if cut else {}


def _questions(draft: Draft) -> list[str]:
    """The asked question with its evidence, then those beside it."""
    return [asked(draft.question), *(asked(Question(q)) for q in draft.findings.get(ASIDE) or ())]


def _queries(draft: Draft) -> list[str | None]:
    """The query of each of the questions, None where there is none."""
    found = draft.findings.get(QUERIES) or [None] * (len(_questions(draft)) - 1)
    return [draft.sql, *found]


BI_BENCH = Method(
    "bi-bench",
    (
        ask_beside,
        write_each,
        mend_each,
        tell_each,
        merge_paragraphs,
    ),
    summary="The question and two beside it, each answered by a query and a paragraph; these are merged.",
    provenance="BI-Bench, baseline system",
)
