"""Candidates of the adaptive method: one at a time, each run at once, no more than it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fathom.errors import BudgetExceeded
from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.adaptive import remembered
from fathom.nl2sql.adaptive.difficulty import Difficulty, difficulty
from fathom.nl2sql.adaptive.evidence import Evidence, gather
from fathom.nl2sql.adaptive.first_try import first_try, settled
from fathom.nl2sql.adaptive.narrowing import widened
from fathom.nl2sql.adaptive.plausible import complaints, fits
from fathom.nl2sql.adaptive.spent_budget import within
from fathom.nl2sql.candidates import NO_SQL, revise
from fathom.nl2sql.examples import as_pairs, ranked_examples
from fathom.nl2sql.prompting import asked, dialect_of, prompt, section
from fathom.nl2sql.query_runs import QueryRun, preview
from fathom.nl2sql.replies import find_sql
from fathom.nl2sql.result_vote import execute_all
from fathom.nl2sql.schema_text import Samples, ShownSchema, Style, render
from fathom.nl2sql.values import matched_values
from fathom.records import Draft, Refusal, Selection

GENERATORS: Mapping[Difficulty, tuple[tuple[str, Style], ...]] = {
    Difficulty.SIMPLE: (("adaptive_write", "commented"),),
    Difficulty.MODERATE: (("adaptive_write", "commented"),),
    Difficulty.CHALLENGING: (("adaptive_reason", "commented"), ("adaptive_plan", "list")),
}
"""The prompts that write candidates, by turns, each with the form in which it shows the schema. Where two
that go about it in different ways agree, that says more than one prompt's agreeing with itself."""
MOST = {Difficulty.SIMPLE: 3, Difficulty.MODERATE: 3, Difficulty.CHALLENGING: 5}
"""Samples at the most: three tell a majority, beyond five more of them pay little."""
HOPELESS = 2
"""Samples none of which fits, after which mending is tried rather than one more."""


@step("generation", calls="0-5")
async def write_until_sure(
    draft: Draft, context: Context, *, temperature: float = 0.7, shots: int = 3
) -> Draft:
    """Write one candidate, run it at once, and write more only until a fitting result is found twice over.

    Each generator's first is drawn at temperature 0; one that the offline method thought of too needs no
    second. Where a candidate doesn't fit, the next is written on a wider selection. How many there may be,
    and by which generators, depends on the question's difficulty. Without any, the offline method's query
    stands, refused where that method does.
    """
    if settled(draft):
        return draft
    tried = first_try(draft)
    hard = difficulty(draft.question, context.database.schema)
    thought_of = await execute_all(context, tried.queries)
    outcomes: list[QueryRun] = []
    selection, stopped = draft.selection, ""
    told = await _told(draft, context, shots)
    generators = GENERATORS[hard]
    for number in range(MOST[hard]):
        turn, place = divmod(number, len(generators))
        sampling = Sampling(temperature=temperature if turn else 0.0)
        words = _words(replace(draft, selection=selection), context, told, generators[place])
        try:
            reply = await context.metered_model().ask(words, sampling=sampling, sample=number)
        except BudgetExceeded as error:
            stopped = within(error)
            break
        if sql := find_sql(reply.text):
            outcomes += await execute_all(context, [sql])
        if gather(draft.question.text, outcomes, thought_of).enough:
            break
        if not outcomes or fits(draft.question.text, outcomes[-1]):
            continue
        if number + 1 >= HOPELESS and not any(fits(draft.question.text, o) for o in outcomes):
            break
        selection = await widened(selection, context, outcomes)
        await remembered.keep(draft.question, selection, context)
    kept = replace(
        draft,
        selection=selection,
        candidates=tuple(o.as_candidate() for o in outcomes),
        notes={"difficulty": hard, "stopped": stopped},
    )
    if outcomes:
        return replace(kept, sql=outcomes[0].sql)
    refusal = Refusal(stopped or NO_SQL) if tried.refused or not tried.sql else None
    return replace(kept, sql=tried.sql, confidence=tried.confidence, refusal=refusal)


@dataclass(frozen=True, slots=True)
class _Beside:
    """The parts of every prompt for a question beside its schema, looked up once."""

    values: Samples
    examples: str
    conventions: str


async def _told(draft: Draft, context: Context, shots: int) -> _Beside:
    examples = await ranked_examples(context, draft.question, shots)
    rules = "\n".join(
        c.rule for c in context.knowledge.conventions if c.applies(draft.question.text, c.when.tables)
    )
    return _Beside(
        await matched_values(context, asked(draft.question)),
        section("Questions solved before:", "examples", as_pairs(examples[:shots])),
        section("What experts of this database hold to:", "conventions", rules),
    )


def _words(draft: Draft, context: Context, told: _Beside, generator: tuple[str, Style]) -> str:
    """Write a generator's prompt for the draft's selection."""
    name, style = generator
    shown = ShownSchema(context.database.schema, draft.selection, told.values, context.knowledge)
    return prompt(
        name,
        schema=render(shown, style),
        question=asked(draft.question),
        dialect=dialect_of(context),
        examples=told.examples,
        conventions=told.conventions,
    )


@step("revision", calls="0-2")
async def mend_failed(draft: Draft, context: Context, *, turns: int = 2) -> Draft:
    """Where no candidate fits, have the first one mended on a wider selection; what comes is a candidate too.

    It takes the first one's place where that didn't run; how else they compare is for the next step.
    """
    if settled(draft) or not draft.candidates:
        return draft
    question = draft.question.text
    outcomes, found = await weighed(draft, context)
    if any(b.samples and (b.fits or b.agreed) for b in found.results):
        return draft
    first, notes = outcomes[0], []
    mended = [first]
    selection = draft.selection
    for turn in range(turns):
        selection = await widened(selection, context, [*outcomes, *mended])
        try:
            reply = await context.metered_model().ask(
                _mending(draft, context, mended[-1], selection),
                sampling=Sampling(temperature=0.0),
                sample=turn,
            )
        except BudgetExceeded as error:
            notes.append(within(error))
            break
        if (sql := find_sql(reply.text)) is None or sql == mended[-1].sql:
            break
        mended += await execute_all(context, [sql])
        notes.append(mended[-1].status)
        if fits(question, mended[-1]):
            break
    ran = [o for o in mended[1:] if o.ran]
    candidates = (*draft.candidates, *(o.as_candidate() for o in ran))
    kept = replace(draft, selection=selection, candidates=candidates, notes={"turns": notes})
    return revise(kept, ran[-1].sql) if ran and not first.ran else kept


def _mending(draft: Draft, context: Context, tried: QueryRun, selection: Selection | None) -> str:
    shown = ShownSchema(context.database.schema, selection, knowledge=context.knowledge)
    return prompt(
        "adaptive_mend",
        schema=render(shown, "commented"),
        question=asked(draft.question),
        dialect=dialect_of(context),
        sql=tried.sql,
        result=preview(tried),
        problem="\n".join(complaints(draft.question.text, tried)),
    )


async def weighed(draft: Draft, context: Context) -> tuple[list[QueryRun], Evidence]:
    """Run the draft's candidates, and gather the evidence for each result."""
    tried = first_try(draft)
    outcomes = await execute_all(context, [c.sql for c in draft.candidates])
    thought_of = await execute_all(context, tried.queries)
    return outcomes, gather(draft.question.text, outcomes, thought_of, tried.confidence)
