"""The refine loop: run a query, tell what came of it, take the correction."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.llm import Message, Sampling
from fathom.methods import Context
from fathom.nl2sql.query_runs import QueryRun, Status, execute
from fathom.nl2sql.replies import find_sql

ON_ERROR = frozenset({Status.ERROR, Status.TIMED_OUT})
ON_EMPTY = ON_ERROR | {Status.EMPTY}
ON_NULL = ON_EMPTY | {Status.HAS_NULL}
ALWAYS = frozenset(Status)

Accept = Literal["last", "best"]
"""Which query stands at the end: the last one written, or the first one with the best status."""
_BEST_FIRST = (Status.OK, Status.HAS_NULL, Status.EMPTY, Status.TIMED_OUT, Status.ERROR)


@dataclass(frozen=True, slots=True)
class Refinement:
    """How a loop ended: the query that stands, every query that was run, and what was said in turns."""

    outcome: QueryRun
    outcomes: tuple[QueryRun, ...]
    messages: tuple[Message, ...] = ()

    @property
    def sql(self) -> str:
        """The query that stands."""
        return self.outcome.sql

    def as_json(self) -> list[dict[str, str]]:
        """The queries that were run and their results, for the trace."""
        return [{"sql": o.sql, "status": o.status, "error": o.error} for o in self.outcomes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineRules:
    """When a query is corrected, how often, and how a reply is read.

    A query whose status is one of `triggers` is corrected, at most once for each of `turns`. With
    `conversation` each turn goes on from `history` and the turns before it, else each is asked by itself. A
    reply that `read` finds no SQL in is drawn anew, up to `tries` in all. `seconds` and `rows` bound the
    queries, where they are to be bounded otherwise than others.
    """

    turns: Sequence[Sampling]
    triggers: Collection[Status] = ON_ERROR
    accept: Accept = "last"
    conversation: bool = False
    history: Sequence[Message] = ()
    read: Callable[[str], str | None] = find_sql
    tries: int = 1
    seconds: float | None = None
    rows: int | None = None


async def refine(
    context: Context, sql: str, ask: Callable[[QueryRun, int], str], rules: RefineRules
) -> Refinement:
    """Run a query and have it corrected as the rules say.

    `ask` writes what a turn says of an outcome; turns count from 0. Where every try brings a reply without
    SQL, the loop ends, and the query before it stands. Raises what `Model.ask` raises; a query that fails is
    an outcome.
    """
    model = context.metered_model()
    messages = tuple(rules.history)
    outcomes = [await execute(context, sql, seconds=rules.seconds, rows=rules.rows)]
    for turn, sampling in enumerate(rules.turns):
        if outcomes[-1].status not in rules.triggers:
            break
        said = Message("user", ask(outcomes[-1], turn))
        # By itself a turn may repeat an earlier one's words; its number draws another reply to them.
        first = 0 if rules.conversation else turn * rules.tries
        for sample in range(first, first + rules.tries):
            reply = await model.ask((*messages, said), sampling=sampling, sample=sample)
            if (corrected := rules.read(reply.text)) is not None:
                break
        if rules.conversation:
            messages = (*messages, said, Message("assistant", reply.text))
        if corrected is None:
            break
        outcomes.append(await execute(context, corrected, seconds=rules.seconds, rows=rules.rows))
    return Refinement(_standing(outcomes, rules.accept), tuple(outcomes), messages)


def _standing(outcomes: Sequence[QueryRun], accept: Accept) -> QueryRun:
    if accept == "last":
        return outcomes[-1]
    return min(outcomes, key=lambda o: _BEST_FIRST.index(o.status))
