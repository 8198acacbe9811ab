"""From what replies gave to a draft: candidates in order, the query that stands, or a reasoned refusal."""

from collections.abc import Iterable
from dataclasses import replace

from fathom.records import Candidate, Draft, Refusal

NO_SQL = "The model gave no SQL for this question."


def settle(draft: Draft, queries: Iterable[str | None]) -> Draft:
    """The draft with the queries found in replies as its candidates, the first of them standing.

    Replies without SQL (None) are left out. Where none is left, the draft's own query stands, and without one
    the draft is refused.
    """
    candidates = tuple(Candidate(sql) for sql in queries if sql)
    if candidates:
        return replace(draft, candidates=candidates, sql=candidates[0].sql, result=None, refusal=None)
    return draft if draft.sql else replace(draft, refusal=Refusal(NO_SQL))


def revise(draft: Draft, sql: str | None) -> Draft:
    """The draft with another query in place of its own; unchanged where a reply gave none or the same."""
    if not sql or sql == draft.sql:
        return draft
    return replace(draft, sql=sql, result=None, refusal=None)
