"""Unit tests: candidates with different results are told apart by tests that a model writes, then judges.

(Talaei et al. 2024)
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.candidates import revise
from fathom.nl2sql.prompting import asked, dialect_of, prompt, together
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.replies import in_tag, json_list, texts
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.nl2sql.selections import united, used_by
from fathom.nl2sql.voting import clusters, same_text
from fathom.records import Draft

LAST_TEST = "Of all candidates, only the one that answers the question best passes this test."
_VERDICT = re.compile(r"(\d+)\W*(passed|failed|pass|fail)\b", re.IGNORECASE)
_ROWS = 20
Groups = list[list[int]]


@step(
    "revision",
    calls="0 or up to 2 + {tests}",
    quirks={
        "keeps_last_temperature": "a temperature of 0 isn't taken up: the one used before it stays in force",
        "voided_by_one_failure": "one verdict that can't be read voids all: the first candidate is kept",
    },
)
async def choose_by_unit_tests(
    draft: Draft,
    context: Context,
    *,
    tests: int = 20,
    temperature: float = 0.8,
    seconds: float = 60.0,
    keeps_last_temperature: bool = False,
    voided_by_one_failure: bool = False,
) -> Draft:
    """Ask for tests that tell candidates with different results apart, and keep the one that passes most.

    Ties go to the larger group of equal results, then to the first. Nothing is asked where all results agree.
    """
    queries = [c.sql for c in draft.candidates]
    if len(queries) < 2:
        return draft
    outcomes = await execute_all(context, queries, seconds=seconds)
    groups = clusters(outcomes, same_text)
    if len(groups) < 2:
        return revise(draft, queries[groups[0][0]] if groups else draft.sql)
    written = await _written(draft, context, outcomes, groups=groups, most=tests, temperature=temperature)
    judging = Sampling(temperature=temperature if keeps_last_temperature else 0.0)
    read = await _verdicts(draft, context, outcomes, [*written, LAST_TEST], judging)
    verdicts = [v for v in read if v is not None]
    if voided_by_one_failure and len(verdicts) < len(read):
        return revise(draft, queries[0])
    scores = [sum(v[i] for v in verdicts) for i in range(len(queries))]
    candidates = tuple(
        replace(c, score=float(scores[i]), error=outcomes[i].error or None)
        for i, c in enumerate(draft.candidates)
    )
    noted = replace(draft, candidates=candidates, notes={"tests": written, "judged": len(verdicts)})
    return revise(noted, queries[best(scores, groups)])


def best(scores: Sequence[int], groups: Groups) -> int:
    """The place of the highest score: among equals the first in the largest group, else the first."""
    tied = [i for i, score in enumerate(scores) if score == max(scores)]
    return next((i for i in sorted(groups[0]) if i in tied), tied[0])


def verdicts_in(reply: str, count: int) -> list[int] | None:
    """1 for each candidate that a reply passes, 0 for others; None where it judges none of them."""
    said = in_tag(reply, "answer") or reply
    found = {int(n) - 1: v.casefold().startswith("pass") for n, v in _VERDICT.findall(said)}
    return [int(found.get(i, False)) for i in range(count)] if set(found) & set(range(count)) else None


async def _written(
    draft: Draft,
    context: Context,
    outcomes: Sequence[QueryRun],
    *,
    groups: Groups,
    most: int,
    temperature: float,
) -> list[str]:
    schema = context.database.schema
    used = united(schema, *(used_by(schema, o.sql) for o in outcomes))
    blocks = []
    for number, members in enumerate(groups, 1):
        listed = "\n".join(dict.fromkeys(outcomes[i].sql for i in members))
        blocks.append(f"Group {number}:\n{listed}\nResult:\n{preview(outcomes[members[0]], _ROWS)}")
    words = prompt(
        "unit_tests_write",
        schema=render(ShownSchema(schema, used, knowledge=context.knowledge), "commented"),
        question=asked(draft.question),
        groups="\n\n".join(blocks),
        most=most,
        dialect=dialect_of(context),
    )
    reply = await context.metered_model().ask(words, sampling=Sampling(temperature=temperature))
    return texts(json_list(in_tag(reply.text, "answer") or reply.text))[:most]


async def _verdicts(
    draft: Draft, context: Context, outcomes: Sequence[QueryRun], tests: Sequence[str], sampling: Sampling
) -> list[list[int] | None]:
    """Have each test judge each candidate; None for a verdict that can't be read."""
    shown = "\n\n".join(
        f"Candidate {i}:\n{o.sql}\nResult:\n{preview(o, _ROWS)}" for i, o in enumerate(outcomes, 1)
    )
    model = context.metered_model()
    replies = await together(
        model.ask(
            prompt(
                "unit_tests_judge",
                question=asked(draft.question),
                candidates=shown,
                test=test,
                dialect=dialect_of(context),
            ),
            sampling=sampling,
        )
        for test in tests
    )
    return [verdicts_in(r.text, len(outcomes)) for r in replies]
