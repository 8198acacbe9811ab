"""Asking the model: the schema first, then values, then the question, under the schema's grammar."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from fathom.errors import BudgetExceeded
from fathom.llm import Reply, Sampling
from fathom.llm.local import NAME as LOCAL
from fathom.llm.local import find_local
from fathom.llm.prompts import fence
from fathom.methods import Context, step
from fathom.nl2sql.adaptive.spent_budget import within
from fathom.nl2sql.local.grammar import grammar_of
from fathom.nl2sql.local.offline_first import offline_reading
from fathom.nl2sql.local.schema_prompt import CHARACTERS_A_TOKEN, shown_schema
from fathom.nl2sql.prompt_cells import prompt_literal
from fathom.nl2sql.replies import find_sql
from fathom.records import Draft
from fathom.watch import is_watched, tell

FINDING = "written"
REPLY_TOKENS = 220
HEAT = 0.6
"""The temperature of the replies after the first, which is the likeliest one."""


@dataclass(frozen=True, slots=True)
class Written:
    """A query of the model's; the mean logarithm of how likely its tokens were, where that is told."""

    sql: str
    likelihood: float | None = None


@step("generation", calls="{samples}")
async def write_queries(draft: Draft, context: Context, *, samples: int = 1, grammar: bool = True) -> Draft:
    """Have the model write `samples` queries over the tables shown, the first as it thinks likeliest.

    With `grammar` a model that can be held to one names nothing else.
    """
    system, selection = await shown_schema(draft, context)
    words = _question(draft)
    how = Sampling(
        temperature=0.0,
        max_tokens=REPLY_TOKENS,
        seed=1,
        logprobs=True,
        grammar=grammar_of(context.database.schema, selection) if grammar else None,
    )
    model = context.metered_model()
    _tell_of_reading(model.name, system)
    try:
        replies = [await model.ask(words, system=system, sampling=how)]
        if samples > 1:
            varied = replace(how, temperature=HEAT)
            replies += await model.samples(words, samples - 1, system=system, sampling=varied, first=1)
    except BudgetExceeded as error:
        return replace(draft, selection=selection, notes={"stopped": within(error)})
    written = [Written(sql, _likelihood(r)) for r in replies if (sql := find_sql(r.text))]
    return replace(draft, selection=selection).with_findings(**{FINDING: [asdict(w) for w in written]})


def _tell_of_reading(model: str, system: str) -> None:
    """Tell whoever watches how long it takes where a model of this machine first reads the schema."""
    provider, _, name = model.partition(":")
    if provider != LOCAL or not is_watched():
        return
    from fathom.llm.local.connection import is_read  # noqa: PLC0415, an extra
    from fathom.llm.local.speed import known_speed  # noqa: PLC0415, likewise

    if not is_read(name, system):
        speed = known_speed(find_local(name))
        seconds = f": about {len(system) / CHARACTERS_A_TOKEN / speed.prompt:.0f} seconds" if speed else ""
        tell(f"the model reads the tables, once{seconds}")


def written_queries(draft: Draft) -> tuple[Written, ...]:
    """Read the finding of `write_queries`."""
    found = draft.findings.get(FINDING, ())
    return tuple(Written(**one) for one in found) if isinstance(found, Sequence) else ()


def _question(draft: Draft) -> str:
    """The question with its evidence, and values of the database that it spells otherwise."""
    question = draft.question
    said = question.text.casefold()
    values = [(c, v) for c, v in offline_reading(draft).values if str(v).casefold() not in said]
    told = [f"{column} holds {prompt_literal(value)}." for column, value in values]
    # The system part tells that what stands in such marks is data.
    return fence("question", "\n".join(filter(None, (question.evidence, *told, question.text))))


def _likelihood(reply: Reply) -> float | None:
    return sum(reply.logprobs) / len(reply.logprobs) if reply.logprobs else None
