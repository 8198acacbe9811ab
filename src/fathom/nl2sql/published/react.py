"""ReAct as in BiomedSQL: an agent that checks and runs queries till it is content (Koretsky et al. 2025)."""

from dataclasses import replace

from fathom.llm import Message, Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.agent_loop import Observed, act
from fathom.nl2sql.candidates import revise, settle
from fathom.nl2sql.conventions import ROW_LIMIT, quote_of
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.query_runs import QueryRun, execute, preview
from fathom.nl2sql.replies import find_sql
from fathom.nl2sql.schema_text import ShownSchema, render
from fathom.nl2sql.wording import answer_from_rows
from fathom.records import Draft


class _Workbench:
    """The agent's actions on a database, and the results of the queries that it has run."""

    def __init__(self, context: Context, rows: int) -> None:
        self.context, self.rows = context, rows
        self.tried: list[str] = []
        self.ran: list[str] = []
        self.final: str | None = None

    async def verify(self, given: str) -> Observed:
        """Check that a query is valid."""
        outcome = await self._run(given, rows=1)
        if outcome is None:
            return Observed("There is no query in this input.")
        return Observed("The query is valid." if outcome.ran else preview(outcome))

    async def execute(self, given: str) -> Observed:
        """The first rows of a query."""
        outcome = await self._run(given)
        if outcome is None:
            return Observed("There is no query in this input.")
        if outcome.ran:
            self.ran.append(outcome.sql)
        return Observed(preview(outcome, self.rows))

    async def finish(self, given: str) -> Observed:
        """The end, once something has run."""
        if not self.ran:
            return Observed("No query has run yet: execute one first.")
        self.final = find_sql(given) or self.ran[-1]
        return Observed("Done.", done=True)

    async def _run(self, given: str, rows: int | None = None) -> QueryRun | None:
        if (sql := find_sql(given)) is None:
            return None
        self.tried.append(sql)
        return await execute(self.context, sql, rows=rows)

    @property
    def best(self) -> str | None:
        """The query chosen, else the last that ran, else the last that was tried."""
        if self.final is None and self.tried:
            return (self.ran or self.tried)[-1]
        return self.final


@step("generation", calls="1-{turns}")
async def try_queries_out(
    draft: Draft,
    context: Context,
    *,
    turns: int = 5,
    rows: int = 5,
    temperature: float = 0.2,
    max_tokens: int = 1500,
) -> Draft:
    """Let the model verify and execute queries, a thought and an act each turn, until it gives its last."""
    bench = _Workbench(context, rows)
    opening = prompt(
        "react_opening",
        schema=render(ShownSchema(context.database.schema, draft.selection, knowledge=context.knowledge)),
        question=asked(draft.question),
        dialect=dialect_of(context),
        quote=quote_of(context),
        limit=ROW_LIMIT,
    )
    taken = await act(
        context.metered_model(),
        [Message("user", opening)],
        {"verify_sql": bench.verify, "execute_sql": bench.execute, "final_answer": bench.finish},
        turns=turns,
        sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
        tell=lambda words: prompt("react_observation", observation=words),
    )
    noted = replace(draft, candidates=(), notes={"turns": [t.as_json() for t in taken]})
    return revise(settle(noted, dict.fromkeys(bench.tried)), bench.best)


REACT = Method(
    "react",
    (try_queries_out, answer_from_rows.using(rows=10, only_results=True, temperature=0.3, max_tokens=1000)),
    summary="An agent that verifies and executes queries in up to five turns, then answers in words.",
    provenance="Yao et al. 2023, ReAct; as run in Koretsky et al. 2025, BiomedSQL",
)
