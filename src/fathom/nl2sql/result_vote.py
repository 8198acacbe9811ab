"""Consistency: of several candidates the one whose result most of them give."""

from asyncio import Semaphore
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.databases.sessions import IDLE_SESSIONS
from fathom.methods import Context, step
from fathom.nl2sql.candidates import revise
from fathom.nl2sql.prompting import together
from fathom.nl2sql.query_runs import QueryRun, execute
from fathom.nl2sql.voting import clusters, same_bag, same_set
from fathom.records import Draft


async def execute_all(
    context: Context, queries: Iterable[str], *, seconds: float | None = None, rows: int | None = None
) -> list[QueryRun]:
    """The outcomes of several queries, in order; the same query is run once.

    No more run at a time than sessions are kept: each further one would be opened for a single query, which
    takes longer than most queries do.
    """
    gate = Semaphore(IDLE_SESSIONS)

    async def run(sql: str) -> QueryRun:
        async with gate:
            return await execute(context, sql, seconds=seconds, rows=rows)

    listed = list(queries)
    fresh = list(dict.fromkeys(listed))
    ran = await together(map(run, fresh))
    known = dict(zip(fresh, ran, strict=True))
    return [known[sql] for sql in listed]


@step("revision")
async def vote_by_result(
    draft: Draft,
    context: Context,
    *,
    seconds: float = 60.0,
    without_distinct: bool = False,
    as_sets: bool = False,
    empty_votes: bool = True,
    fastest_wins: bool = False,
) -> Draft:
    """Run all candidates and keep the first of the largest group that gives the same rows.

    Rows are compared in any order of rows and columns, or `as_sets` without repeats; candidates that fail
    have no vote, and without `empty_votes` those that give nothing. Where none has one the standing query
    stays. `without_distinct` compares the results without any DISTINCT (C3). Between equally supported
    results the first stands, so that the same replies always give the same query; `fastest_wins` keeps the
    query that ran in the least time (OpenSearch-SQL as published).
    """
    queries = [c.sql for c in draft.candidates]
    if len(set(queries)) < 2:
        return draft
    run = (
        [_without_distinct(sql, context.database.dialect) for sql in queries] if without_distinct else queries
    )
    outcomes = await execute_all(context, run, seconds=seconds)
    voting = [o if empty_votes or (o.result and o.result.rows) else replace(o, result=None) for o in outcomes]
    groups = clusters(voting, same_set if as_sets else same_bag)
    size = {place: len(group) for group in groups for place in group}
    candidates = tuple(
        replace(c, score=float(size.get(i, 0)), error=outcomes[i].error or None)
        for i, c in enumerate(draft.candidates)
    )
    noted = replace(draft, candidates=candidates, notes={"votes": [len(g) for g in groups]})
    if not groups:
        return noted
    tied = [i for group in groups if len(group) == len(groups[0]) for i in group]
    chosen = min(tied, key=lambda i: _seconds(outcomes[i])) if fastest_wins else groups[0][0]
    return revise(noted, queries[chosen])


def _seconds(outcome: QueryRun) -> float:
    return outcome.result.seconds if outcome.result else float("inf")


def _without_distinct(sql: str, dialect: str) -> str:
    try:
        found = [t for t in tokenize(sql, read=dialect) if t.token_type is TokenType.DISTINCT]
    except SqlglotError:
        return sql
    for token in reversed(found):
        sql = sql[: token.start] + sql[token.end + 1 :]
    return sql
