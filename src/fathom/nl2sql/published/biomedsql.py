"""BiomedSQL's prompt variants: one prompt with house rules, then an answer (Koretsky et al. 2025)."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.conventions import (
    CONVENTIONS_SHOWN_AS,
    EVIDENCE_COLUMN,
    ROW_LIMIT,
    apostrophe_of,
    conventions,
    quote_of,
)
from fathom.nl2sql.examples import as_pairs, first_examples, ranked_examples
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import fenced_sql, find_sql
from fathom.nl2sql.samples import random_rows
from fathom.nl2sql.schema_text import Samples, ShownSchema, Style, render, sample_rows
from fathom.nl2sql.wording import answer_from_rows
from fathom.records import Draft, SolvedExample

NEAREST_SHOTS = 5
"""The paper doesn't say how many; these are the most of its fixed ones."""


@step(
    "generation",
    calls="1",
    quirks={"only_fenced": "SQL that stands outside of a fence isn't taken"},
    shots="shots",
)
async def write_by_house_rules(
    draft: Draft,
    context: Context,
    *,
    rows: int = 0,
    shots: int = 0,
    nearest: bool = False,
    thresholds: bool = False,
    only_fenced: bool = False,
    style: Style = "create",
    temperature: float | None = 0.0,
    max_tokens: int | None = 1024,
) -> Draft:
    """Ask for the query under house rules: of what is selected, else of all tables.

    `rows` shows so many sample rows of each table, `shots` the first solved questions, the same for every
    question, or those `nearest` to it once masked, `thresholds` the conventions of the knowledge pack.
    """
    samples: Samples = {}
    if rows:
        samples = await random_rows(context, draft.question.text, selection=draft.selection, rows=rows)
    shown = ShownSchema(context.database.schema, draft.selection, samples, context.knowledge)
    examples = (
        (await ranked_examples(context, draft.question, shots))[:shots]
        if nearest
        else first_examples(context, draft.question, shots)
    )
    reply = await context.metered_model().ask(
        prompt(
            "biomed_query",
            schema=render(shown, style),
            sections="\n\n".join(filter(None, _sections(context, shown, examples, thresholds))),
            question=asked(draft.question),
            dialect=dialect_of(context),
            quote=quote_of(context),
            apostrophe=apostrophe_of(context),
            limit=ROW_LIMIT,
            evidence_column=EVIDENCE_COLUMN,
        ),
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
    )
    read = fenced_sql if only_fenced else find_sql
    return settle(replace(draft, candidates=()), [read(reply.text)])


def _sections(
    context: Context, shown: ShownSchema, examples: Sequence[SolvedExample], thresholds: bool
) -> list[str]:
    known = conventions(context.knowledge) if thresholds else ""
    return [
        section("Some of their rows, chosen at random:", "rows", sample_rows(shown)),
        section(CONVENTIONS_SHOWN_AS, "conventions", known),
        section("Questions that were solved before:", "examples", as_pairs(examples)),
    ]


def _variant(name: str, summary: str, *, rows: int = 0, shots: int = 0, thresholds: bool = False) -> Method:
    write = write_by_house_rules.using(rows=rows, shots=shots, thresholds=thresholds)
    only_shots = shots > 0 and not rows
    published = "Koretsky et al. 2025, BiomedSQL"
    return Method(name, (write, answer_from_rows), summary, published, needs_examples=only_shots)


BASELINE = _variant(
    "baseline", "One prompt with the schema and BiomedSQL's house rules, then an answer in words."
)
THREE_ROWS = _variant("3-rows", "BiomedSQL's baseline with three sample rows of each table.", rows=3)
FIVE_ROWS = _variant("5-rows", "BiomedSQL's baseline with five sample rows of each table.", rows=5)
ONE_SHOT = _variant("1-shot", "BiomedSQL's baseline with one solved question.", shots=1)
THREE_SHOT = _variant("3-shot", "BiomedSQL's baseline with three solved questions.", shots=3)
FIVE_SHOT = _variant("5-shot", "BiomedSQL's baseline with five solved questions.", shots=5)
STAT_INSTRUCT = _variant(
    "stat-instruct",
    "BiomedSQL's baseline with the conventions of the knowledge pack, such as thresholds, spelt out.",
    thresholds=True,
)
COMBO = _variant(
    "combo",
    "Three rows, three solved questions and the conventions together.",
    rows=3,
    shots=3,
    thresholds=True,
)
BIOMED_DAIL = Method(
    "biomed-dail",
    (write_by_house_rules.using(shots=NEAREST_SHOTS, nearest=True), answer_from_rows),
    "BiomedSQL's baseline with the solved questions nearest to the asked one, as DAIL-SQL finds them.",
    "Koretsky et al. 2025, BiomedSQL",
)
