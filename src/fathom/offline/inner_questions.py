"""Questions within questions: "the longest river in the smallest state" asks for that state first.

The description inside is answered as a question of its own, the question around it with a value in its
place, and the value is then exchanged for the query that finds it. The value stands in quotation marks:
words in it are its own, and say nothing about what is asked.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from fathom.errors import QueryError
from fathom.offline.checks.trial_runs import Checked, brief
from fathom.offline.engine import OfflineEngine
from fathom.offline.linking.descriptions import Description, find_descriptions
from fathom.offline.linking.row_names import naming_columns
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    Subquery,
    Unrepresentable,
    rebuilt,
)
from fathom.offline.solution import Solution, solve
from fathom.records import Question

DEEPEST = 4
LOOKED_AT = 8
"""Candidates among which one is looked for that compares, or shows, what is described."""
WEIGHED_VALUES = 20


@dataclass(frozen=True, slots=True)
class Nested:
    """The query of a question within a question, its text, what it gave, and how sure both parts are."""

    query: Query
    sql: str
    checked: Checked
    confidence: float
    sure: bool


class _Inner(NamedTuple):
    """The query that finds what is described, the column it shows, what it found there, how sure it is."""

    query: Query
    column: ColumnRef
    values: tuple[str, ...]
    confidence: float
    sure: bool


def solve_nested(engine: OfflineEngine, question: Question, depth: int = 0) -> Nested | None:
    """The query of a question that describes rows by another question; None where it doesn't."""
    if depth >= DEEPEST:
        return None
    for description in find_descriptions(engine.link(question)):
        found = _put_together(engine, question, description, depth)
        if found is not None:
            return found
    return None


def _put_together(
    engine: OfflineEngine, question: Question, described: Description, depth: int
) -> Nested | None:
    inner = _answer(engine, replace(question, text=described.question), described.table, depth)
    if inner is None:
        return None
    domain = engine.planner.tied(inner.column.table.name, inner.column.name)
    value = _plainest(engine, inner.values, domain)
    text = f"{question.text[: described.start]}“{value}”{question.text[described.end :]}"
    outer = solve(engine, replace(question, text=text))
    if outer is None:
        return None
    linked = ComparisonPredicate(inner.column, "=" if inner.query.limit == 1 else "in", Subquery(inner.query))
    for around, _ in _candidates(outer):
        whole = rebuilt(around, lambda n: _exchanged(n, value, domain, linked))
        if whole == around:
            continue
        run = _run(engine, whole)
        if run is not None:
            choice = outer.verdict.choice
            return Nested(whole, *run, inner.confidence * choice.confidence, inner.sure and choice.sure)
    return None


def _candidates(solution: Solution) -> list[tuple[Query, Checked]]:
    """The best candidates for a question, but for those that failed, best first."""
    best = solution.verdict.choice.order[:LOOKED_AT]
    looked_at = [(solution.proposals[i].query, solution.checked[i]) for i in best]
    return [(query, checked) for query, checked in looked_at if checked.error is None]


def _answer(engine: OfflineEngine, question: Question, table: str, depth: int) -> _Inner | None:
    """The question that a description of a table's rows answers, worked through as far as their names."""
    names = naming_columns(table, tuple(c.name for c in engine.schema.table(table).columns))
    if len(names) != 1:
        return None
    nested = solve_nested(engine, question, depth + 1)
    if nested is not None:
        options = [(nested.query, nested.checked)]
        confidence, sure = nested.confidence, nested.sure
    else:
        solution = solve(engine, question)
        if solution is None:
            return None
        options = _candidates(solution)
        confidence, sure = solution.verdict.choice.confidence, solution.verdict.choice.sure
    domain = engine.planner.tied(table, names[0])
    for query, checked in options:
        match query.select:
            case (ColumnRef() as column,) if (column.table.name, column.name) in domain:
                rows = checked.result.rows if checked.result else ()
                values = tuple(dict.fromkeys(r[0] for r in rows if isinstance(r[0], str) and _quotable(r[0])))
                if values:
                    return _Inner(query, column, values, confidence, sure)
    return None


def _quotable(value: str) -> bool:
    return not {"“", "”"} & set(value)


def _plainest(engine: OfflineEngine, values: tuple[str, ...], domain: frozenset[tuple[str, str]]) -> str:
    """The value that the fewest other columns hold: what stands for all of them in the question around."""

    def elsewhere(value: str) -> int:
        found = engine.index.lookup(value)
        return sum(
            (m.table, m.column) not in domain and m.value.casefold() == value.casefold() for m in found
        )

    return min(values[:WEIGHED_VALUES], key=elsewhere)


def _exchanged(
    node: object, value: str, domain: frozenset[tuple[str, str]], linked: ComparisonPredicate
) -> object:
    match node:
        case ComparisonPredicate(
            left=ColumnRef() as left, operator="=", right=Literal(value=str() as held)
        ) if held.casefold() == value.casefold() and (left.table.name, left.name) in domain:
            return replace(linked, left=left)
    return node


def _run(engine: OfflineEngine, query: Query) -> tuple[str, Checked] | None:
    try:
        sql = engine.sql_of(query)
        return sql, Checked(engine.database.run(sql, brief(engine.database), trusted=True))
    except (Unrepresentable, QueryError):
        return None
