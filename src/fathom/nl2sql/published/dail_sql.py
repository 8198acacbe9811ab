"""DAIL-SQL: examples chosen by masked question and by skeleton, shown as pairs (Gao et al. 2023)."""

from collections.abc import Iterable
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import settle
from fathom.nl2sql.examples import AS_PAIRS, as_pairs, built_alike_first, ranked_examples
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.replies import continued
from fathom.nl2sql.result_vote import vote_by_result
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.records import Draft, SolvedExample

CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS = 200


VOTES_ANYWAY = 5


@step(
    "generation",
    calls="1 + {samples}",
    quirks={
        "votes_anyway": "five queries are drawn, also at temperature 0, and the commonest result is kept",
        "bare_select": "a prompt that is too long without any example isn't sent: the query is SELECT",
    },
    shots="k",
)
async def continue_after_pairs(
    draft: Draft,
    context: Context,
    *,
    k: int = 9,
    samples: int = 1,
    temperature: float = 0.0,
    prompt_tokens: int = 4096,
    values: bool = True,
    votes_anyway: bool = False,
    bare_select: bool = False,
) -> Draft:
    """Ask for the query after the k nearest solved questions, then again after those with SQL like the first.

    Questions are compared once names and, with `values`, cell values are masked; SQL by its skeleton.
    Examples that would make the prompt longer than `prompt_tokens` (at four letters a token) are passed over.
    """
    model = context.metered_model()
    room = (prompt_tokens - ANSWER_TOKENS) * CHARACTERS_A_TOKEN - len(_prompt(draft, context, []))
    if room < 0 and bare_select:
        return settle(draft, ["SELECT"])
    ranked = await ranked_examples(context, draft.question, k, values=values)
    first = _prompt(draft, context, _fitting(ranked, k, room))
    reply = await model.ask(first, sampling=Sampling(temperature=0.0, max_tokens=ANSWER_TOKENS))
    preliminary = continued(reply.text)
    again = _prompt(draft, context, _fitting(built_alike_first(ranked, preliminary), k, room))
    sampling = Sampling(temperature=temperature, max_tokens=ANSWER_TOKENS)
    # The first reply is sample 0: to the same words at the same temperature, another one is drawn.
    drawn = max(samples, VOTES_ANYWAY) if votes_anyway else samples
    replies = await model.samples(again, drawn, sampling=sampling, first=1)
    found = [sql for r in replies if (sql := continued(r.text))]
    written = settle(draft, found or [preliminary])
    if votes_anyway and samples == 1:
        written = await vote_by_result.function(written, context, without_distinct=True)
    return replace(written, notes={**written.notes, "preliminary": preliminary})


def _prompt(draft: Draft, context: Context, examples: list[SolvedExample]) -> str:
    return prompt(
        "dail_pairs",
        examples=section(AS_PAIRS, "examples", as_pairs(examples)),
        schema=render(ShownSchema(context.database.schema)),
        question=asked(draft.question),
        dialect=dialect_of(context),
    )


def _fitting(ranked: Iterable[SolvedExample], k: int, room: int) -> list[SolvedExample]:
    """The first k examples that fit into so many characters together; longer ones are passed over."""
    chosen: list[SolvedExample] = []
    for example in ranked:
        if len(chosen) == k:
            break
        if len(section(AS_PAIRS, "examples", as_pairs([*chosen, example]))) <= room:
            chosen.append(example)
    return chosen


DAIL_SQL = Method(
    "dail-sql",
    (continue_after_pairs,),
    summary="Solved questions alike in masked words and in the shape of their SQL, shown as bare pairs.",
    provenance="Gao et al. 2023, DAIL-SQL",
)
DAIL_SQL_SC = Method(
    "dail-sql-sc",
    (
        continue_after_pairs.using(samples=5, temperature=1.0),
        vote_by_result.using(without_distinct=True),
    ),
    summary="DAIL-SQL with self-consistency: five queries, of which the commonest result is kept.",
    provenance="Gao et al. 2023, DAIL-SQL",
)
