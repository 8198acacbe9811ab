"""Questions within questions: "the longest river in the smallest state" asks for that state first.

The description inside is answered as a question of its own, the question around it with a value in its
place, and the value is then exchanged for the query that finds it. The value stands in quotation marks:
words in it are its own, and say nothing about what is asked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fathom.errors import QueryError
from fathom.offline.candidates import Proposal
from fathom.offline.checking import BRIEF, Checked
from fathom.offline.engine import Engine
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking.descriptions import Description, find_descriptions
from fathom.offline.linking.naming import naming_columns
from fathom.offline.query import Column, Comparison, Literal, Query, Subquery, Unrepresentable, rebuilt
from fathom.offline.rendering import render
from fathom.offline.solving import Solution, solve
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


def solve_nested(engine: Engine, question: Question, depth: int = 0) -> Nested | None:
    """The query of a question that describes rows by another question; None where it doesn't."""
    if depth >= DEEPEST:
        return None
    for description in find_descriptions(engine.link(question)):
        found = _put_together(engine, question, description, depth)
        if found is not None:
            return found
    return None


def _put_together(engine: Engine, question: Question, described: Description, depth: int) -> Nested | None:
    inner = _answer(engine, replace(question, text=described.question), described.table, depth)
    if inner is None:
        return None
    query, column, values, confidence, sure = inner
    domain = joined_columns(engine.planner, column)
    value = _plainest(engine, values, domain)
    text = f"{question.text[: described.start]}“{value}”{question.text[described.end :]}"
    outer = solve(engine, replace(question, text=text))
    if outer is None:
        return None
    linked = Comparison(column, "=" if query.limit == 1 else "in", Subquery(query))
    for around in _candidates(outer):
        whole = rebuilt(around.query, lambda n: _exchanged(n, value, domain, linked))
        if whole == around.query:
            continue
        checked = _run(engine, whole)
        if checked is None:
            continue
        return Nested(
            whole, *checked, confidence * outer.verdict.choice.confidence, sure and outer.verdict.choice.sure
        )
    return None


def _candidates(solution: Solution) -> Iterator[Proposal]:
    order = solution.verdict.choice.order
    return (solution.proposals[i] for i in order[:LOOKED_AT] if solution.checked[i].error is None)


def _answer(
    engine: Engine, question: Question, table: str, depth: int
) -> tuple[Query, Column, tuple[str, ...], float, bool] | None:
    """The query that finds the names of described rows, the column it shows, and what it finds."""
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
        choice = solution.verdict.choice
        options = [(solution.proposals[i].query, solution.checked[i]) for i in choice.order[:LOOKED_AT]]
        confidence, sure = choice.confidence, choice.sure
    domain = joined_columns(engine.planner, (table, names[0]))
    for query, checked in options:
        match query.select:
            case (Column() as column,) if (column.table.name, column.name) in domain:
                rows = checked.result.rows if checked.result else ()
                values = tuple(dict.fromkeys(r[0] for r in rows if isinstance(r[0], str) and _quotable(r[0])))
                if values:
                    return query, column, values, confidence, sure
    return None


def _quotable(value: str) -> bool:
    return not {"“", "”"} & set(value)


def joined_columns(planner: JoinPlanner, column: Column | tuple[str, str]) -> frozenset[tuple[str, str]]:
    """All columns that hold the same things as a column, as keys tie them together (table, column)."""
    start = (column.table.name, column.name) if isinstance(column, Column) else column
    found, left = {start}, [start]
    while left:
        table, name = left.pop()
        for edge in planner.neighbours(table):
            for own, theirs in edge.pairs:
                if own == name and (edge.right, theirs) not in found:
                    found.add((edge.right, theirs))
                    left.append((edge.right, theirs))
    return frozenset(found)


def _plainest(engine: Engine, values: tuple[str, ...], domain: frozenset[tuple[str, str]]) -> str:
    """The value that the fewest other columns hold: what stands for all of them in the question around."""

    def elsewhere(value: str) -> int:
        found = engine.index.lookup(value)
        return sum(
            (m.table, m.column) not in domain and m.value.casefold() == value.casefold() for m in found
        )

    return min(values[:WEIGHED_VALUES], key=elsewhere)


def _exchanged(node: object, value: str, domain: frozenset[tuple[str, str]], linked: Comparison) -> object:
    match node:
        case Comparison(left=Column() as left, operator="=", right=Literal(value=str() as held)) if (
            held.casefold() == value.casefold() and (left.table.name, left.name) in domain
        ):
            return replace(linked, left=left)
    return node


def _run(engine: Engine, query: Query) -> tuple[str, Checked] | None:
    try:
        sql = render(query, engine.planner, engine.database.dialect)
        return sql, Checked(engine.database.run(sql, BRIEF))
    except (Unrepresentable, QueryError):
        return None
