"""BIRD's in-context baselines: one prompt, no demonstration (Li et al. 2023)."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import continued
from fathom.nl2sql.schema_text import ShownSchema, Style, render
from fathom.records import Draft

STOPS = ("--", "\n\n", ";", "#")


@step(
    "generation",
    calls="1-2",
    quirks={"prints_none": "a question without evidence is given the evidence None"},
)
async def continue_select(
    draft: Draft,
    context: Context,
    *,
    style: Style = "create",
    reasoning: bool = False,
    temperature: float = 0.0,
    max_tokens: int = 256,
    prints_none: bool = False,
) -> Draft:
    """Ask for the query as the continuation of SELECT after the schema, the evidence and the question.

    `reasoning` shows one worked example with its steps first, and lets the model reason before it answers.
    A model that talks before it writes is asked again, without the ends that cut its reply before any SQL.
    """
    question = draft.question
    if prints_none and not question.evidence:
        question = replace(question, evidence="None")
    name = "bird_reasoning" if reasoning else "bird_direct"
    words = prompt(
        name,
        schema=render(ShownSchema(context.database.schema), style),
        question=asked(question),
        dialect=dialect_of(context),
    )
    sampling = Sampling(temperature=temperature, max_tokens=max_tokens, stop=() if reasoning else STOPS)
    reply = await context.metered_model().ask(words, sampling=sampling)
    sql = continued(reply.text)
    if sql is None and sampling.stop and reply.text.strip():
        reply = await context.metered_model().ask(words, sampling=replace(sampling, stop=()))
        sql = continued(reply.text)
    return settle(replace(draft, candidates=()), [sql])


ZERO_SHOT = Method(
    "zero-shot",
    (continue_select,),
    summary="One prompt with the CREATE statements and the evidence; the model continues SELECT.",
    provenance="Li et al. 2023, BIRD",
)
ZERO_SHOT_COT = Method(
    "zero-shot-cot",
    (continue_select.using(reasoning=True, max_tokens=512),),
    summary="The same after one worked example, with room to think step by step.",
    provenance="Li et al. 2023, BIRD",
)
