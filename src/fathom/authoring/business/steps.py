"""BI-Bench's steps for one question, each by a model where there is one, else by the question's own query."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.authoring.business import by_model
from fathom.authoring.business.grammar import COMPLEXITIES, Grammar
from fathom.authoring.business.result_checks import has_answer
from fathom.authoring.journal import Item, rejected
from fathom.databases.database import Database
from fathom.databases.query_columns import items_of
from fathom.errors import QueryError
from fathom.llm import Model
from fathom.records import Limits

ALIKE = 92.0
"""How much alike, in percent, two questions may be before the later one counts as a repetition."""
_SECONDS = 20.0
_WHY = re.compile(r"\b(why|drivers?|driven|impact|influenced?|because|causes?d?|reasons?)\b", re.IGNORECASE)


def by_grammar(source: Item, grammar: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The questions that the grammar makes of one category of one database."""
    found = [dict(q) for q in grammar if q["category"] == source["category"]]
    if found:
        return found
    why = "nothing in the database can be asked about in business words: no table with a readable name, at"
    return [rejected({**source, "question": ""}, f"{why} least four rows, and something to group them by")]


def grammar_items(database: Database, name: str, seed: int) -> list[dict[str, Any]]:
    """All questions of the grammar over one database, as items."""
    made = Grammar(database, seed).questions()
    return [
        {
            "id": f"{database.name}-{place:03}",
            "question": q.text,
            "category": q.category,
            "complexity": q.complexity,
            "pattern": q.pattern,
            "measure": q.measure,
            "sql": q.sql,
            "database": name,
        }
        | ({"gold": list(q.gold)} if q.gold else {})
        for place, q in enumerate(made, 1)
    ]


def checked(items: Iterable[Item], columns: Mapping[str, frozenset[str]]) -> Iterator[Item]:
    """Each question, or rejected: names of the schema in it, reasons asked where none are, repetitions."""
    before: dict[str, list[tuple[str, str]]] = {}
    for item in items:
        text = item["question"]
        words = {w.strip(".,?!:;\"'()").casefold() for w in text.split()}
        told = before.setdefault(item["database"], [])
        # One pattern over another measure is no repetition, though the words are alike.
        same = None if item.get("pattern") else _alike(text, told)
        if not text:
            yield rejected(item, "the question is empty")
        elif item["complexity"] not in COMPLEXITIES:
            yield rejected(item, f"no complexity: {item['complexity']!r}")
        elif named := sorted(w for w in words & columns[item["database"]] if "_" in w or not w.isalpha()):
            yield rejected(item, f"names a column or table: {named[0]}")
        elif item["category"] == "descriptive" and (why := _WHY.search(text)) and not item.get("added"):
            yield rejected(item, f"asks a reason of a descriptive question: {why[0]}")
        elif same:
            yield rejected(item, f"nearly the same as another: {same}")
        else:
            told.append((item["id"], text))
            yield item


def _alike(text: str, before: Sequence[tuple[str, str]]) -> str | None:
    return next((i for i, other in before if fuzz.token_sort_ratio(text, other) > ALIKE), None)


async def answerable(item: Item, database: Database, model: Model | None) -> dict[str, Any]:
    """The question with why it can be answered, or rejected: by its query's rows, else by a model."""
    if sql := item.get("sql"):
        try:
            result = database.run(sql, Limits(seconds=_SECONDS))
        except QueryError as error:
            return rejected(item, f"its query fails: {error}")
        if not has_answer(result):
            return rejected(item, "its query gives nothing")
        return {**item, "answerable": {"status": "answerable", "reasoning": f"{len(result.rows)} rows"}}
    if model is None:
        return rejected(item, "nobody can tell whether it can be answered: no query, and no model")
    return await by_model.answerable(item, database, model)


async def smallest_tables(item: Item, database: Database, model: Model | None) -> dict[str, Any]:
    """The question with the smallest set of tables that answers it."""
    if sql := item.get("sql"):
        shorter = without_needless_joins(sql, database)
        return {**item, "sql": shorter, "tables": tables_read(shorter, database)}
    assert model is not None
    return await by_model.smallest_tables(item, database, model)


async def completed(item: Item, database: Database, model: Model | None) -> dict[str, Any]:
    """The question with its tables checked by another: a model, or what the query reads."""
    if item.get("sql"):
        read = tables_read(item["sql"], database)
        return {**item, "tables": read, "reason": "the tables that its query reads"}
    assert model is not None
    return await by_model.completed(item, database, model)


def tables_read(sql: str, database: Database) -> list[str]:
    """The tables that a query reads, as the schema names them."""
    read = items_of(sql, database.schema).tables
    return [t.name for t in database.schema.tables if t.name.casefold() in read]


def without_needless_joins(sql: str, database: Database) -> str:
    """The query without the joins that its result doesn't need, tried one after the other."""
    try:
        tree = parse_one(sql, dialect=database.dialect)
        wanted = _bag(database.run(sql, Limits(seconds=_SECONDS)).rows)
    except (SqlglotError, QueryError):
        return sql
    for place in reversed(range(len(list(tree.find_all(exp.Join))))):
        shorter = tree.copy()
        join = list(shorter.find_all(exp.Join))[place]
        alias = join.this.alias_or_name
        if any(c.table == alias for c in shorter.find_all(exp.Column) if not c.find_ancestor(exp.Join)):
            continue
        join.pop()
        text = shorter.sql(dialect=database.dialect)
        try:
            if _bag(database.run(text, Limits(seconds=_SECONDS)).rows) == wanted:
                tree, sql = shorter, text
        except QueryError:
            continue
    return sql


def _bag(rows: Iterable[tuple[Any, ...]]) -> Counter[str]:
    return Counter(map(repr, rows))
