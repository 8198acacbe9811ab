"""The rows for people: with what ranked them, names beside keys, what ties at the cut, and time in its order.

The judged result stays as the query gave it. What is added comes from one more query, which passes the same
guard and limits and counts only where its rows are those of the first.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from sqlglot import exp

from fathom.answering.code_meanings import Meanings, meaning_of, shown_meanings
from fathom.answering.headings import Headings, headings
from fathom.answering.periods import in_order
from fathom.databases import Database
from fathom.databases.form_reading import form_reader
from fathom.databases.parsing import parsed
from fathom.errors import QueryError
from fathom.knowledge import KnowledgePack
from fathom.methods import Context
from fathom.records import Result

TIES = 20
"""Rows looked at behind a cut: that more than these tie is all that anybody wants to know."""
MOST_RANKED_BY = 2
SLOW = 5.0
"""Seconds of a query from which none follows for the sake of showing more."""
_RANKING: tuple[type[exp.Expr], ...] = (
    *(exp.Column, exp.AggFunc, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Cast, exp.Paren, exp.Nullif),
    *(exp.Star, exp.Literal, exp.Identifier, exp.DataType, exp.Distinct),
)
"""Of these an expression is made whose value says something to people."""


_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ForPeople:
    """Rows as people want them; the place of what ranks them; a sentence on rows that tie at the cut."""

    rows: Result
    ranking: int | None = None
    ties: str = ""


@dataclass(frozen=True, slots=True)
class _Fuller:
    """A query that shows more: the places of the first one's columns in its rows, and that of the ranking.

    `most` are the rows of the first that count; None where it isn't cut. `uncut` is the query that looks at
    no rows behind the cut, empty where it adds nothing.
    """

    sql: str
    kept: tuple[int, ...]
    ranking: int | None
    most: int | None
    uncut: str = ""


async def for_people(sql: str, result: Result, context: Context) -> ForPeople:
    """The rows of a query for people, with the names and units that a knowledge pack gives."""
    database, knowledge = context.database, context.knowledge
    fuller = None
    if result.rows and result.seconds < SLOW:
        fuller = _fuller(sql, result, database, knowledge, await shown_meanings(sql, context))
    found: ForPeople | None = None
    if fuller is not None and result.truncated is None:
        found = await _asked_again(result, fuller, context)
    if found is None and fuller is not None and fuller.uncut:  # of rows that tie, an engine gives any
        uncut = replace(fuller, sql=fuller.uncut, most=None)
        found = await _asked_again(result, uncut, context)
    found = found or ForPeople(result, _shown_order(sql, database.dialect))
    rows = found.rows
    if rows is result:
        named = headings(sql, result.columns, database.dialect, database.schema, knowledge)
        rows = replace(result, columns=named)
    return replace(found, rows=in_order(rows) if _is_unsorted(sql, database.dialect) else rows)


async def _asked_again(result: Result, fuller: _Fuller, context: Context) -> ForPeople | None:
    try:
        more = await context.run(fuller.sql)
    except QueryError:  # what it would add isn't worth an error
        return None
    return _agreeing(result, more, fuller, context.database, context.knowledge)


def _agreeing(
    result: Result, more: Result, fuller: _Fuller, database: Database, knowledge: KnowledgePack
) -> ForPeople | None:
    """The fuller rows of a query's rows; None where those aren't among them."""
    places = _found_again(result.rows, more.rows, fuller)
    if places is None:
        return None
    cut, shown = tuple(more.rows[place] for place in places), {*places}
    behind = [row for place, row in enumerate(more.rows) if place not in shown]
    named = headings(fuller.sql, more.columns, database.dialect, database.schema, knowledge)
    rows = Result(named, cut, fuller.sql, result.seconds + more.seconds)
    return ForPeople(rows, fuller.ranking, _ties(cut, behind, fuller, named))


def _found_again(rows: Sequence[_Row], more: Sequence[_Row], fuller: _Fuller) -> list[int] | None:
    """The places of a query's rows among the fuller ones; None where one is missing or ranks otherwise.

    Of rows that tie, and where nothing ranks them, an engine gives any first, another one each time.
    """
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for place, row in enumerate(more):
        waiting[repr(tuple(row[kept] for kept in fuller.kept))].append(place)
    keys = [*map(repr, rows)]
    if any(len(waiting[key]) < count for key, count in Counter(keys).items()):
        return None
    places = [waiting[key].popleft() for key in keys]
    by = fuller.ranking
    if by is None:
        return places if len(places) == len(more) else None
    ranks, first = [more[place][by] for place in places], [row[by] for row in more[: len(places)]]
    return places if ranks == first else None


def _ties(cut: Sequence[_Row], behind: Sequence[_Row], fuller: _Fuller, named: Sequence[str]) -> str:
    """That rows behind the cut rank as the last one before it."""
    place = fuller.ranking
    if place is None or fuller.most is None or len(cut) != fuller.most or cut[-1][place] is None:
        return ""
    more = len([*takewhile(lambda row: row[place] == cut[-1][place], behind)])
    if not more:
        return ""
    same = named[place][:1].lower() + named[place][1:]
    many = f"At least {more}" if more == TIES else f"{more}"
    return f"{many} more {'has' if more == 1 else 'have'} the same {same}."


def _shown_order(sql: str, dialect: str) -> int | None:
    """The place of the column that a query's rows are ordered by, where it shows that."""
    query = parsed(sql, dialect)
    if not isinstance(query, exp.Select) or query.is_star or not (order := _order(query)):
        return None
    place = _shows(query, order[0])
    return place if place is not None and 0 <= place < len(query.expressions) else None


def _is_unsorted(sql: str, dialect: str) -> bool:
    """True if a query gives groups in no order: each engine then has one of its own."""
    query = parsed(sql, dialect)
    return isinstance(query, exp.Select) and bool(query.args.get("group")) and not query.args.get("order")


def _fuller(
    sql: str, result: Result, database: Database, knowledge: KnowledgePack, meanings: Meanings
) -> _Fuller | None:
    """The query that shows more; None where there is nothing to add."""
    query = parsed(sql, database.dialect)
    try:
        if isinstance(query, exp.SetOperation):
            return _named_from_outside(query, database, knowledge)
        if (
            not isinstance(query, exp.Select)
            or query.is_star
            or len(query.expressions) != len(result.columns)
        ):
            return None
        return _with_more(query, result.rows, database, knowledge, meanings)
    except (RecursionError, ValueError):
        return None


def _with_more(
    query: exp.Select,
    rows: Sequence[_Row],
    database: Database,
    knowledge: KnowledgePack,
    meanings: Meanings,
) -> _Fuller | None:
    count = len(rows)
    naming = Headings(query, database.schema, knowledge)
    items: list[exp.Expr] = []
    kept: list[int] = []
    for item in query.expressions:
        kept.append(len(items))
        items += [item, *_names(item.unalias(), query.expressions, naming, database)]
        items += meaning_of(item.unalias(), naming, meanings)
    if len(items) == len(query.expressions):
        items += _keys_of_alike(query, rows, naming, database)
    ranked_by = [] if query.args.get("distinct") else _ranked_by(query)
    ranking = _place_of_ranking(query, kept, len(items))
    items += [key.copy() for key in ranked_by]
    most = _literal_limit(query)
    asks_ties = ranking is not None and most is not None and most == count
    if len(items) == len(query.expressions) and not asks_ties:
        return None
    made = query.copy()
    made.set("expressions", [i.copy() for i in items])
    uncut = made.sql(database.dialect) if asks_ties and len(items) > len(query.expressions) else ""
    if asks_ties and most is not None:
        made.args["limit"].set("expression", exp.Literal.number(most + TIES))
    return _Fuller(made.sql(database.dialect), tuple(kept), ranking, most if asks_ties else None, uncut)


def _literal_limit(query: exp.Select) -> int | None:
    limit = query.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return int(count.this) if isinstance(count, exp.Literal) and count.is_int else None


def _order(query: exp.Select) -> list[exp.Expr]:
    order = query.args.get("order")
    return [key.this for key in order.expressions] if order is not None else []


def _shows(query: exp.Select, key: exp.Expr) -> int | None:
    """The place at which a query shows what it orders by."""
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1
    for place, item in enumerate(query.expressions):
        alias = isinstance(key, exp.Column) and not key.table and key.name == item.alias
        if alias or item.unalias() == key:
            return place
    return None


def _ranked_by(query: exp.Select) -> list[exp.Expr]:
    """Give the expressions that rank the rows and aren't shown: an order, an extreme, a group's number."""
    grouped = bool(query.args.get("group"))
    if not grouped and any(i.find(exp.AggFunc) for i in query.expressions):
        return []
    keys = _order(query) or [*_compared(query.args.get("having")), *_extremes(query.args.get("where"))]
    found: list[exp.Expr] = []
    for key in keys:
        plain = all(isinstance(part, _RANKING) for part in key.walk())
        if _shows(query, key) is None and plain and key not in found and key.find(exp.Column, exp.AggFunc):
            found.append(key)
    return found[:MOST_RANKED_BY]


def _place_of_ranking(query: exp.Select, kept: Sequence[int], count: int) -> int | None:
    """Where, in the rows of the fuller query, the first thing stands that rows are ordered by."""
    order = _order(query)
    if not order:
        return None
    shown = _shows(query, order[0])
    if shown is not None:
        return kept[shown] if shown < len(kept) else None
    return count if _ranked_by(query)[:1] == order[:1] and not query.args.get("distinct") else None


def _compared(having: exp.Having | None) -> list[exp.Expr]:
    """The calculations that groups are kept by."""
    if having is None:
        return []
    tests = having.this.flatten() if isinstance(having.this, exp.And) else [having.this]
    return [t.left for t in tests if isinstance(t, exp.Binary) and isinstance(t.left, exp.AggFunc)]


def _extremes(where: exp.Where | None) -> list[exp.Expr]:
    """The columns of which rows hold the highest or lowest value."""
    if where is None:
        return []
    tests = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return [
        t.left
        for t in tests
        if isinstance(t, exp.EQ)
        and isinstance(t.left, exp.Column)
        and isinstance(t.right, exp.Subquery)
        and t.right.find(exp.Max, exp.Min)
    ]


def _names(item: exp.Expr, items: Sequence[exp.Expr], naming: Headings, database: Database) -> list[exp.Expr]:
    """Give the columns that name the rows of a shown key, unless they are shown as well."""
    source = naming.source_of(item) if isinstance(item, exp.Column) else None
    found = _referred(source.table, item.name, database) if source is not None else None
    if found is None or source is None:
        return []
    table, key = found
    names = _called(table, database)
    known = {i.unalias().name for i in items if isinstance(i.unalias(), exp.Column)}
    if not names or known.intersection(names):
        return []
    return [
        _lookup(table, key, name, exp.column(item.this.copy(), table=source.alias, quoted=True))
        for name in names
    ]


def _lookup(table: str, key: str, name: str, outer: exp.Expr) -> exp.Expr:
    """The name of the row with a key, as an expression: no join, so that no row is lost or repeated."""
    db, _, bare = table.rpartition(".")
    inner = exp.select(exp.column(name, table="named", quoted=True))
    inner = inner.from_(exp.table_(bare, db=db or None, quoted=True, alias="named"))
    return exp.alias_(
        exp.Subquery(this=inner.where(exp.column(key, table="named", quoted=True).eq(outer))),
        name,
        quoted=True,
    )


def _referred(table: str, column: str, database: Database) -> tuple[str, str] | None:
    """The table, and its key, whose row a column stands for."""
    schema = database.schema
    if table not in schema:
        return None
    for key in schema.foreign_keys:
        one = len(key.columns) == 1 and (key.table, key.columns[0].casefold()) == (table, column.casefold())
        if one and schema.table(key.target_table).primary_key in ((), key.target_columns):
            return key.target_table, key.target_columns[0]
    own = _key_of(table, database)
    return (table, own) if own and own.casefold() == column.casefold() else None


def _key_of(table: str, database: Database) -> str:
    """The one column that tells a table's rows apart, declared or by its values; "" for none."""
    facts = form_reader(database).tables.get(table.casefold())
    return facts.columns[facts.key] if facts is not None and facts.key else ""


def _keys_of_alike(
    query: exp.Select, rows: Sequence[_Row], naming: Headings, database: Database
) -> list[exp.Expr]:
    """Give the key of a listed table's rows, where several rows look the same: three of one name."""
    whole = (
        not any(query.args.get(part) for part in ("distinct", "group", "joins")) and len(naming.sources) == 1
    )
    plain = all(isinstance(item.unalias(), exp.Column) for item in query.expressions)
    if not whole or not plain or len({*map(repr, rows)}) == len(rows):
        return []
    source = naming.sources[0]
    key = _key_of(source.table, database)
    shown = {item.unalias().name.casefold() for item in query.expressions}
    named = {name.casefold() for name in _called(source.table, database)}
    if not key or key.casefold() in shown or not named or not named <= shown:
        return []
    return [exp.column(key, table=source.alias, quoted=True)]


def _called(table: str, database: Database) -> tuple[str, ...]:
    from fathom.answering.row_names import names_of_rows  # noqa: PLC0415, only where keys are shown

    return names_of_rows(table, database.schema, database.profile())


def _named_from_outside(
    query: exp.SetOperation, database: Database, knowledge: KnowledgePack
) -> _Fuller | None:
    """Names beside the keys that two queries together give: "cars that were never sold"."""
    first: exp.Expr = query
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    cut = any(query.args.get(part) for part in ("order", "limit", "offset"))
    if not isinstance(first, exp.Select) or first.is_star or cut:
        return None
    naming = Headings(first, database.schema, knowledge)
    items: list[exp.Expr] = []
    kept: list[int] = []
    for item in first.expressions:
        if not isinstance(item.unalias(), exp.Column):
            return None
        outer = exp.column(item.alias_or_name, table="given", quoted=True)
        kept.append(len(items))
        items.append(outer)
        names = _names(item.unalias(), first.expressions, naming, database)
        for name in names:
            looked = name.copy()
            condition = looked.find(exp.Where)
            if condition is not None:
                condition.this.set("expression", outer.copy())
            items.append(looked)
    if len(items) == len(first.expressions):
        return None
    made = exp.select(*items).from_(
        exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier("given")))
    )
    return _Fuller(made.sql(database.dialect), tuple(kept), None, None)
