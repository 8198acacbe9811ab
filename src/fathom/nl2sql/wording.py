"""An answer in words from a model that is shown the query and its rows."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import execute, preview
from fathom.records import Draft

NOTHING_RUN = "No query gave a result, so there is no answer."


@step("answering", calls="1")
async def answer_from_rows(
    draft: Draft,
    context: Context,
    *,
    rows: int = 100,
    only_results: bool = False,
    temperature: float | None = 0.0,
    max_tokens: int = 1024,
) -> Draft:
    """Run the query and ask for an answer in words from its first rows; an error is told in their place.

    With `only_results` a query that fails is answered with a fixed sentence, and nothing is asked. The words
    go to the draft's findings as `answer`.
    """
    if draft.sql is None:
        return draft.with_findings(answer=NOTHING_RUN)
    outcome = await execute(context, draft.sql)
    if only_results and not outcome.ran:
        return draft.with_findings(answer=NOTHING_RUN)
    reply = await context.metered_model().ask(
        prompt(
            "answer_from_rows",
            question=asked(draft.question),
            sql=draft.sql,
            rows=preview(outcome, rows),
            dialect=dialect_of(context),
        ),
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
    )
    return replace(draft, result=outcome.result).with_findings(answer=reply.text.strip())
