"""From the representation to SQL text, joins planned on the way."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import sqlglot
from sqlglot import exp

from fathom.databases.reserved_words import is_reserved
from fathom.offline.queries.dialects import compare_moments, translate
from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Items,
    Join,
    Literal,
    OrderKey,
    Outer,
    Over,
    Query,
    SourceColumn,
    Star,
    Subquery,
    TableRef,
    Unrepresentable,
    expressions,
    mentioned_tables,
    walk,
)
from fathom.text.patterns import Pattern

_PLAIN = Pattern(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_TOTALS = {"count": "number", "sum": "total", "avg": "average", "min": "lowest", "max": "highest"}
STRICT = frozenset({"postgres", "duckdb", "trino", "bigquery", "snowflake", "spark", "databricks"})
FOLDING = {"postgres": str.lower, "snowflake": str.lower}
"""How engines read names that aren't in quotes; Snowflake's capitals are shown as small letters."""
_TRUE_IS_NO_NUMBER = frozenset({"postgres", "trino", "bigquery", "spark", "databricks"})
"""Engines that refuse to hold a boolean against 1 or 0."""
_ASCII_NAMES = frozenset({"spark", "databricks"})
"""Engines that take other letters in quotes alone."""


def render(query: Query, planner: JoinPlanner, dialect: str = "sqlite") -> str:
    """SQL text for a query.

    Raises `Unrepresentable` where no keys connect its tables, or where it selects nothing.
    """
    if not query.select:
        raise Unrepresentable("nothing is selected")
    if dialect in STRICT:
        query = _group_strictly(query)
    return rewritten(_query(query, planner), planner, dialect)


def rewritten(text: str, planner: JoinPlanner, dialect: str) -> str:
    """A query as it is written for SQLite, in another engine's SQL."""
    if dialect == "sqlite":
        return text
    tree = translate(sqlglot.parse_one(text, read="sqlite"), dialect)
    if dialect in STRICT:
        _compare_as_text(tree, planner)
        _name_schemas(tree)
    if dialect in _TRUE_IS_NO_NUMBER:
        _compare_as_booleans(tree, planner)
    if dialect in FOLDING:
        _keep_case(tree, planner, FOLDING[dialect])
    if dialect in _ASCII_NAMES:
        _order_by_place(tree)
        for identifier in tree.find_all(exp.Identifier):
            identifier.set("quoted", identifier.args.get("quoted") or not identifier.name.isascii())
    if dialect == "trino":
        compare_moments(tree, planner.schema)
    return tree.sql(dialect, copy=False)


def _order_by_place(tree: exp.Expr) -> None:
    """Keys of ORDER BY that are selected, by their places: Spark finds none beside windows over groups."""
    for select in tree.find_all(exp.Select):
        order = select.args.get("order")
        places = {column.unalias(): place for place, column in enumerate(select.selects, start=1)}
        for key in order.expressions if order else ():
            if key.this in places and not isinstance(key.this, exp.Column):
                key.set("this", exp.Literal.number(places[key.this]))


def _keep_case(tree: exp.Expr, planner: JoinPlanner, folded: Callable[[str], str]) -> None:
    """Names in quotes, where an engine reads all others in small letters or in capitals."""
    schema = planner.schema
    named = {part for t in schema.tables for part in (*t.name.split("."), *(c.name for c in t.columns))}
    for identifier in tree.find_all(exp.Identifier):
        if identifier.name in named and identifier.name != folded(identifier.name):
            identifier.set("quoted", True)


def _name_schemas(tree: exp.Expr) -> None:
    """A table of another schema goes by the schema's name, a dot and its own."""
    for table in tree.find_all(exp.Table):
        schema, dot, name = table.name.partition(".")
        if dot:
            table.set("db", exp.to_identifier(schema, quoted=True))
            table.set("this", exp.to_identifier(name, quoted=True))


def _compare_as_text(tree: exp.Expr, planner: JoinPlanner) -> None:
    """Patterns are for text: dates and numbers that one is held against are made text first."""
    texts = {c.name.casefold() for t in planner.schema.tables for c in t.columns if c.kind == "text"}
    for like in tree.find_all(exp.Like):
        if isinstance(like.this, exp.Column) and like.this.name.casefold() not in texts:
            like.set("this", exp.cast(like.this.copy(), "text"))


def _compare_as_booleans(tree: exp.Expr, planner: JoinPlanner) -> None:
    """TRUE and FALSE for 1 and 0, where a column is held against them that is boolean in each table."""
    columns = [(c.name.casefold(), c.kind) for t in planner.schema.tables for c in t.columns]
    booleans = {n for n, k in columns if k == "boolean"} - {n for n, k in columns if k != "boolean"}
    for node in tree.find_all(exp.EQ, exp.NEQ):
        column, value = node.this, node.expression
        is_flag = isinstance(column, exp.Column) and column.name.casefold() in booleans
        if is_flag and value.is_int and value.name in {"0", "1"}:
            value.replace(exp.Boolean(this=value.name == "1"))


def with_plan(query: Query, plan: JoinPlan) -> Query:
    """The query with one plan's joins written into it."""
    return replace(query, joins=plan.joins)


def quote(name: str) -> str:
    """An identifier as SQLite reads it, quoted only where it must be."""
    if _PLAIN.match(name) and not is_reserved(name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _query(
    query: Query,
    planner: JoinPlanner,
    names: Mapping[int, str] | None = None,
    around: "_ExpressionWriter | None" = None,
) -> str:
    if query.compound is None:
        return _select(query, planner, names, around)
    first = _select(replace(query, compound=None), planner, names, around)
    return f"{first} {query.compound.operator.upper()} {_query(query.compound.query, planner)}"


def _select(
    query: Query, planner: JoinPlanner, names: Mapping[int, str] | None, around: "_ExpressionWriter | None"
) -> str:
    source, writer = _from(query, planner)
    writer.around = around
    items = [writer.expression(e) for e in query.select]
    if names is not None:
        items = [i if i == names[n] else f"{i} AS {names[n]}" for n, i in enumerate(items)]
    parts = ["SELECT DISTINCT" if query.distinct else "SELECT"]
    parts.append(", ".join(items))
    if source:
        parts.append("FROM " + source)
    if query.where is not None:
        parts.append("WHERE " + writer.condition(query.where))
    if query.group:
        parts.append("GROUP BY " + ", ".join(writer.expression(e) for e in query.group))
    if query.having is not None:
        parts.append("HAVING " + writer.condition(query.having))
    if query.order:
        parts.append("ORDER BY " + ", ".join(map(writer.ordering, query.order)))
    if query.limit is not None:
        parts.append(f"LIMIT {query.limit}")
        if query.offset:
            parts.append(f"OFFSET {query.offset}")
    return " ".join(parts)


def _from(query: Query, planner: JoinPlanner) -> tuple[str, "_ExpressionWriter"]:
    if query.source is not None:
        inner = query.source
        names = _names_of(inner)
        return f"({_query(inner, planner, names)}) AS q", _ExpressionWriter({}, planner, names)
    tables, joins = joined(query, planner)
    correlated = any(isinstance(e, Outer) for e in expressions(query))
    if len(tables) == 1 and tables[0].instance == 0 and not correlated:
        return quote(tables[0].name), _ExpressionWriter({tables[0]: ""}, planner)
    names_of = {t: f"{'U' if correlated else 'T'}{i + 1}" for i, t in enumerate(tables)}
    writer = _ExpressionWriter(names_of, planner)
    text = f"{quote(tables[0].name)} AS {names_of[tables[0]]}" if tables else ""
    done = {tables[0]} if tables else set()
    left = list(joins)
    for table in tables[1:]:
        on = [
            j
            for j in left
            if table in (j.left.table, j.right.table) and {j.left.table, j.right.table} <= done | {table}
        ]
        left = [j for j in left if j not in on]
        outer = any(j.outer for j in on)
        text += f" {'LEFT ' if outer else ''}JOIN {quote(table.name)} AS {names_of[table]}"
        if on:
            text += " ON " + " AND ".join(
                f"{writer.expression(j.left)} = {writer.expression(j.right)}" for j in on
            )
        done.add(table)
    return text, writer


def _names_of(source: Query) -> Mapping[int, str]:
    """Name the columns of a source: after their content, else by their places."""
    below = {} if source.source is None else _names_of(source.source)
    short = [_name_of(e, below) for e in source.select]
    seen = Counter(n.casefold() for n in short)
    names = [
        f"{e.table.name}_{n}" if isinstance(e, ColumnRef) and seen[n.casefold()] > 1 else n
        for e, n in zip(source.select, short, strict=True)
    ]
    seen = Counter(n.casefold() for n in names)
    clear = [bool(n) and seen[n.casefold()] == 1 and quote(n) == n for n in names]
    return {i: name if clear[i] else f"c{i + 1}" for i, name in enumerate(names)}


def _name_of(expression: Expression, below: Mapping[int, str]) -> str:
    """A name for what an expression gives, in a query over one whose columns are named; empty for most."""
    match expression:
        case ColumnRef(name=name):
            return name
        case SourceColumn(index=index):
            return below[index]
        case Aggregate(function=function):
            return _TOTALS.get(function, "")
        case Over(function=FunctionCall(name="row_number" | "rank")):
            return "place"
        case Over(function=Aggregate(function="count")):
            return "places"
    return ""


def joined(query: Query, planner: JoinPlanner) -> tuple[tuple[TableRef, ...], tuple[Join, ...]]:
    """The tables of one SELECT in joining order, with the joins between them.

    Raises `Unrepresentable` where no keys connect them.
    """
    wanted = mentioned_tables(query)
    if query.joins:
        order: dict[TableRef, None] = {}
        for join in query.joins:
            order.setdefault(join.left.table)
            order.setdefault(join.right.table)
        for table in wanted:
            order.setdefault(table)
        return _connected(tuple(order), query.joins), query.joins
    plans = planner.plans(wanted)
    if not plans:
        raise Unrepresentable(f"No keys connect {', '.join(t.name for t in wanted)}.")
    return plans[0].tables, plans[0].joins


def _connected(tables: tuple[TableRef, ...], joins: tuple[Join, ...]) -> tuple[TableRef, ...]:
    """The tables in an order in which each joins one before it."""
    order = [tables[0]]
    left = list(tables[1:])
    while left:
        ready = next(
            (t for t in left for j in joins if {j.left.table, j.right.table} - {t} <= set(order)
             and t in (j.left.table, j.right.table)), left[0],
        )  # fmt: skip
        order.append(ready)
        left.remove(ready)
    return tuple(order)


class _ExpressionWriter:
    """Writes expressions, given what each table is called."""

    def __init__(
        self,
        names: Mapping[TableRef, str],
        planner: JoinPlanner,
        source: Mapping[int, str] | None = None,
    ) -> None:
        self.names, self.planner, self.source = names, planner, source or {}
        self.around: _ExpressionWriter | None = None

    def expression(self, expression: Expression) -> str:  # noqa: PLR0911, PLR0912
        match expression:
            case ColumnRef(table=table, name=name):
                prefix = self.names.get(table, "")
                return f"{prefix}.{quote(name)}" if prefix else quote(name)
            case Outer(column=column):
                around = self.around.names.get(column.table) if self.around else None
                return f"{around or quote(column.table.name)}.{quote(column.name)}"
            case Over(function=function):
                return f"{self.expression(function)} OVER ({self._window(expression)})"
            case Star(table=None):
                return "*"
            case Star(table=table):
                prefix = self.names.get(table, "") if table is not None else ""
                return f"{prefix}.*" if prefix else "*"
            case Literal(value=value):
                return literal(value)
            case Items(items=items):
                return "(" + ", ".join(self.expression(i) for i in items) + ")"
            case Aggregate(function=function, argument=argument, distinct=distinct):
                return f"{function.upper()}({'DISTINCT ' if distinct else ''}{self.expression(argument)})"
            case Arithmetic(operator=operator, left=left, right=right):
                return f"{self._operand(left)} {operator} {self._operand(right)}"
            case FunctionCall(name="cast", arguments=(value, Literal(value=kind))):
                return f"CAST({self.expression(value)} AS {kind})"
            case FunctionCall(name=name, arguments=arguments):
                return f"{name.upper()}({', '.join(self.expression(a) for a in arguments)})"
            case CaseWhen(condition=condition, then=then, otherwise=otherwise):
                tail = "" if otherwise is None else f" ELSE {self.expression(otherwise)}"
                return f"CASE WHEN {self.condition(condition)} THEN {self.expression(then)}{tail} END"
            case Subquery(query=query):
                return f"({_query(query, self.planner, around=self)})"
            case SourceColumn(index=index):
                return self.source[index]

    def _window(self, over: Over) -> str:
        within = ", ".join(self.expression(e) for e in over.within)
        parts = [f"PARTITION BY {within}"] if within else []
        return " ".join(parts + ([f"ORDER BY {self.ordering(over.by)}"] if over.by else []))

    def ordering(self, ordering: OrderKey) -> str:
        return self.expression(ordering.key) + (" DESC" if ordering.descending else "")

    def _operand(self, expression: Expression) -> str:
        text = self.expression(expression)
        return f"({text})" if isinstance(expression, Arithmetic) else text

    def condition(self, condition: Condition) -> str:
        if isinstance(condition, Connective):
            parts = (
                f"({self.condition(p)})" if isinstance(p, Connective) else self.condition(p)
                for p in condition.parts
            )
            return f" {condition.kind.upper()} ".join(parts)
        return self._comparison(condition)

    def _comparison(self, comparison: ComparisonPredicate) -> str:
        left, operator = self.expression(comparison.left), comparison.operator.upper()
        right = comparison.right
        if right is None:
            return f"{left} {operator}"
        if operator.endswith("BETWEEN") and isinstance(right, Items):
            low, high = (self.expression(i) for i in right.items)
            return f"{left} {operator} {low} AND {high}"
        return f"{left} {operator} {self.expression(right)}"


def literal(value: str | float | bool | None) -> str:
    """A constant as SQLite reads it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _group_strictly(query: Query) -> Query:
    """The query as engines read it that want every plain column of a grouped SELECT in GROUP BY."""
    if query.source is not None:
        query = replace(query, source=_group_strictly(query.source))
    if query.compound is not None:
        inner = replace(query.compound, query=_group_strictly(query.compound.query))
        query = replace(query, compound=inner)
    grouped = bool(query.group) or any(isinstance(e, Aggregate) for e in expressions(query))
    plain = [e for e in query.select if not any(isinstance(x, Aggregate | Star) for x in walk(e))]
    plain += [o.key for o in query.order if not any(isinstance(x, Aggregate) for x in walk(o.key))]
    missing = tuple(
        dict.fromkeys(e for e in plain if e not in query.group and isinstance(e, ColumnRef | SourceColumn))
    )
    return replace(query, group=query.group + missing) if grouped and missing else query
