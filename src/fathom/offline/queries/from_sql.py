"""From SQL text to the representation."""

from collections import Counter
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from fathom.errors import SchemaError
from fathom.offline.queries.implied_joins import implied_joins, without_planned
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Compound,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Items,
    Join,
    Literal,
    OrderKey,
    Query,
    SourceColumn,
    Star,
    Subquery,
    TableRef,
    Unrepresentable,
    conjunction,
    negate,
)
from fathom.records.schema import Schema

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=",
    exp.Like: "like", exp.ILike: "like", exp.Is: "is",
}  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.DPipe: "||",
}  # fmt: skip
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
}  # fmt: skip
_STEPS = {"day": (1, "day"), "week": (7, "day"), "month": (1, "month"), "quarter": (3, "month"),
          "year": (1, "year")}  # fmt: skip
_SET_OPERATIONS: dict[type[exp.Expr], str] = {
    exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except",
}  # fmt: skip


def parse(sql: str, planner: JoinPlanner, dialect: str = "sqlite", *, keep_joins: bool = False) -> Query:
    """The representation of a query.

    Joins that the planner's first plan gives are left out, as are bridge tables. Of other joins those that
    a further plan gives are kept in `Query.joins`, and the rest only with `keep_joins` or where the planner
    can't do without: learning is better off without joins that no key explains. Raises `Unrepresentable`.
    """
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        return _Parser(planner, keep_joins=keep_joins).query(tree)
    except (SqlglotError, SchemaError, RecursionError) as error:
        raise Unrepresentable(str(error)) from error


class _Scope:
    """The meanings of the names in one SELECT."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.tables: dict[str, TableRef] = {}
        self.source: Query | None = None
        self.source_names: list[str] = []
        self.aliases: dict[str, Expression] = {}
        self._uses: Counter[str] = Counter()

    def add(self, name: str, alias: str) -> TableRef:
        table = self.schema.table(name)
        ref = TableRef(table.name, self._uses[table.name])
        self._uses[table.name] += 1
        self.tables[alias.casefold()] = ref
        return ref

    def column(self, node: exp.Column) -> Expression:
        name, qualifier = node.name, node.table
        if self.source is not None and (not qualifier or qualifier.casefold() not in self.tables):
            if name.casefold() in self.source_names:
                return SourceColumn(self.source_names.index(name.casefold()))
            raise Unrepresentable(f"No column {name!r} in the subquery of FROM.")
        if qualifier:
            ref = self.tables.get(qualifier.casefold())
            if ref is None:
                raise Unrepresentable(f"{qualifier}.{name} belongs to an outer query.")
            return ColumnRef(ref, self.schema.table(ref.name).column(name).name)
        for ref in self.tables.values():
            table = self.schema.table(ref.name)
            if any(c.name.casefold() == name.casefold() for c in table.columns):
                return ColumnRef(ref, table.column(name).name)
        if name.casefold() in self.aliases:
            return self.aliases[name.casefold()]
        if node.this.args.get("quoted"):
            return Literal(name)  # SQLite reads an unknown quoted name as text
        raise Unrepresentable(f"No column {name!r}.")


class _Parser:
    def __init__(self, planner: JoinPlanner, *, keep_joins: bool) -> None:
        self.planner, self.keep_joins = planner, keep_joins
        self.schema = planner.schema
        self.common: dict[str, exp.Expr] = {}

    def query(self, tree: exp.Expr) -> Query:
        if isinstance(tree, exp.Subquery):
            return self.query(tree.this)
        if (with_ := tree.args.get("with_") or tree.args.get("with")) is not None:
            self.common |= {c.alias.casefold(): c.this for c in with_.expressions}
        if operator := next((o for kind, o in _SET_OPERATIONS.items() if isinstance(tree, kind)), None):
            return self._compound(tree, operator)
        if not isinstance(tree, exp.Select):
            raise Unrepresentable(f"{type(tree).__name__} is not a query.")
        return self._select(tree)

    def _compound(self, tree: exp.Expr, operator: str) -> Query:
        if operator == "union" and tree.args.get("distinct") is False:
            operator = "union all"
        left, right = self.query(tree.left), self.query(tree.right)  # type: ignore[attr-defined]
        if left.compound is not None or tree.args.get("order") is not None:
            raise Unrepresentable("Three queries in one set operation, or an order over it.")
        return replace(left, compound=Compound(operator, right))

    def _select(self, tree: exp.Select) -> Query:
        scope = _Scope(self.schema)
        joins, conditions = self._from(tree, scope)
        if any(tree.args.get(k) for k in ("windows", "qualify", "laterals")) or tree.find(exp.Window):
            raise Unrepresentable("Window functions.")
        for item in tree.expressions:
            if isinstance(item, exp.Alias) and item.alias:
                scope.aliases[item.alias.casefold()] = self._expression(item.this, scope)
        select = tuple(self._expression(e.unalias(), scope) for e in tree.expressions)
        where = self._clause(tree, "where", scope)
        where, implied = implied_joins(where, joins) if len(scope.tables) > 1 else (where, ())
        group = tree.args.get("group")
        order = tree.args.get("order")
        query = Query(
            select=select,
            distinct=tree.args.get("distinct") is not None,
            where=conjunction(*conditions, where),
            group=tuple(self._key(e, scope, select) for e in group.expressions) if group else (),
            having=self._clause(tree, "having", scope),
            order=tuple(
                OrderKey(self._key(o.this, scope, select), bool(o.args.get("desc")))
                for o in order.expressions
            )
            if order
            else (),
            limit=_number(tree.args.get("limit")),
            offset=_number(tree.args.get("offset")),
            source=scope.source,
        )
        return without_planned(
            query, tuple(scope.tables.values()), joins + implied, self.planner, keep_joins=self.keep_joins
        )

    def _clause(self, tree: exp.Select, name: str, scope: _Scope) -> Condition | None:
        clause = tree.args.get(name)
        return None if clause is None else self._condition(clause.this, scope)

    def _key(self, node: exp.Expr, scope: _Scope, select: tuple[Expression, ...]) -> Expression:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Literal) and not node.is_string:
            return select[int(node.this) - 1]
        return self._expression(node, scope)

    def _from(self, tree: exp.Select, scope: _Scope) -> tuple[tuple[Join, ...], list[Condition]]:
        clause = tree.args.get("from_") or tree.args.get("from")
        if clause is None:
            raise Unrepresentable("No FROM.")
        sources = [(clause.this, None)] + [(j.this, j) for j in tree.args.get("joins") or ()]
        for source, _ in sources:
            self._source(source, scope, alone=len(sources) == 1)
        joins: list[Join] = []
        conditions: list[Condition] = []
        for source, join in sources:
            if join is None:
                continue
            if join.args.get("using"):
                raise Unrepresentable("USING.")
            on = join.args.get("on")
            if on is None or isinstance(on, exp.Boolean):
                continue
            condition, found = implied_joins(self._condition(on, scope), ())
            mine = scope.tables[source.alias_or_name.casefold()]
            side = str(join.args.get("side") or "").upper()
            joins += [_oriented(j, mine, outer=side == "LEFT") for j in found]
            if condition is not None:
                conditions.append(condition)
        return tuple(joins), conditions

    def _source(self, source: exp.Expr, scope: _Scope, *, alone: bool) -> None:
        name = source.name.casefold() if isinstance(source, exp.Table) else ""
        if isinstance(source, exp.Table) and name not in self.common:
            scope.add(source.name, source.alias_or_name)
            return
        inner = self.common[name] if name else source
        if not alone or not isinstance(inner, exp.Subquery | exp.Select | exp.SetOperation):
            raise Unrepresentable("A subquery joined in FROM.")
        tree = inner.this if isinstance(inner, exp.Subquery) else inner
        scope.source = self.query(tree)
        scope.source_names = [(e.alias_or_name or e.sql()).casefold() for e in tree.selects]

    def _condition(self, node: exp.Expr, scope: _Scope) -> Condition:  # noqa: PLR0911
        if isinstance(node, exp.Paren):
            return self._condition(node.this, scope)
        if isinstance(node, exp.And | exp.Or):
            return _connect(
                "and" if isinstance(node, exp.And) else "or",
                self._condition(node.left, scope),
                self._condition(node.right, scope),
            )
        if isinstance(node, exp.Not):
            return negate(self._condition(node.this, scope))
        if isinstance(node, exp.Between):
            ends = Items(
                (self._expression(node.args["low"], scope), self._expression(node.args["high"], scope))
            )
            return ComparisonPredicate(self._expression(node.this, scope), "between", ends)
        if isinstance(node, exp.In):
            return ComparisonPredicate(self._expression(node.this, scope), "in", self._members(node, scope))
        operator = _COMPARISONS.get(type(node))
        if node.args.get("negate"):
            operator = f"not {operator}"
        if operator is None:
            raise Unrepresentable(f"Condition {type(node).__name__}.")
        left = self._expression(node.left, scope)  # type: ignore[attr-defined]
        if operator == "is":
            if not isinstance(node.expression, exp.Null):
                raise Unrepresentable("IS with something else than NULL.")
            return ComparisonPredicate(left, "is null")
        return ComparisonPredicate(left, operator, self._expression(node.expression, scope))

    def _members(self, node: exp.In, scope: _Scope) -> Expression:
        if (inner := node.args.get("query")) is not None:
            return Subquery(self.query(inner))
        return Items(tuple(self._expression(e, scope) for e in node.expressions))

    def _expression(self, node: exp.Expr, scope: _Scope) -> Expression:  # noqa: PLR0911, PLR0912
        if (day := _counted_day(node)) is not None:
            return day
        match node:
            case exp.Paren():
                return self._expression(node.this, scope)
            case exp.Column(this=exp.Star()):
                return Star(scope.tables[node.table.casefold()])
            case exp.Column():
                return scope.column(node)
            case exp.Star():
                return Star()
            case exp.Literal():
                return Literal(node.this if node.is_string else _numeral(node.this))
            case exp.Neg():
                inner = self._expression(node.this, scope)
                if isinstance(inner, Literal) and isinstance(inner.value, int | float):
                    return Literal(-inner.value)
                return Arithmetic("-", Literal(0), inner)
            case exp.Boolean():
                return Literal(int(bool(node.this)))
            case exp.Null():
                return Literal(None)
            case exp.Subquery() | exp.Select():
                return Subquery(self.query(node))
        if (operator := _ARITHMETIC.get(type(node))) is not None:
            left, right = node.left, node.right  # type: ignore[attr-defined]
            return Arithmetic(operator, self._expression(left, scope), self._expression(right, scope))
        if (function := _AGGREGATES.get(type(node))) is not None and not node.expressions:
            return self._aggregate(function, node, scope)
        return self._call(node, scope)

    def _aggregate(self, function: str, node: exp.Expr, scope: _Scope) -> Expression:
        argument, distinct = node.this, False
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1:
                raise Unrepresentable("DISTINCT over several columns.")
            argument, distinct = argument.expressions[0], True
        return Aggregate(function, self._expression(argument, scope), distinct)

    def _call(self, node: exp.Expr, scope: _Scope) -> Expression:
        if isinstance(node, exp.Case | exp.If):
            branches = node.args.get("ifs") or [node]
            if len(branches) > 1 or (isinstance(node, exp.Case) and node.this is not None):
                raise Unrepresentable("CASE with several branches.")
            otherwise = node.args.get("default") or node.args.get("false")
            return CaseWhen(
                self._condition(branches[0].this, scope),
                self._expression(branches[0].args["true"], scope),
                None if otherwise is None else self._expression(otherwise, scope),
            )
        if isinstance(node, exp.Cast):
            return FunctionCall("cast", (self._expression(node.this, scope), Literal(node.to.sql("sqlite"))))
        if isinstance(node, exp.Anonymous):
            return FunctionCall(
                node.name.casefold(), tuple(self._expression(e, scope) for e in node.expressions)
            )
        if isinstance(node, exp.Func):
            name = _function_name(node)
            flat = (a for v in node.args.values() for a in (v if isinstance(v, list) else [v]))
            return FunctionCall(
                name, tuple(self._expression(a, scope) for a in flat if isinstance(a, exp.Expr))
            )
        raise Unrepresentable(f"Expression {type(node).__name__}.")


def _counted_day(node: exp.Expr) -> FunctionCall | None:
    """The current day or moment, moved by whole intervals; None for anything else."""
    is_now = isinstance(node, exp.Date) and isinstance(node.this, exp.Literal) and node.name == "now"
    if isinstance(node, exp.CurrentDate) or (is_now and not node.args.get("zone")):
        return FunctionCall("date", (Literal("now"),))
    if isinstance(node, exp.CurrentTimestamp | exp.CurrentDatetime):
        return FunctionCall("current_timestamp", ())
    if not isinstance(node, exp.Sub | exp.Add | exp.DateAdd | exp.DateSub):
        return None
    start, moved = node.this, node.expression
    while isinstance(start, exp.Paren):
        start = start.this
    unit = moved.args.get("unit") if isinstance(moved, exp.Interval) else node.args.get("unit")
    count = moved.this if isinstance(moved, exp.Interval) else moved
    day = _counted_day(start)
    steps = _STEPS.get(unit.name.casefold().rstrip("s")) if isinstance(unit, exp.Var) else None
    if day is None or day.name != "date" or steps is None or not count.name.lstrip("-").isdigit():
        return None
    factor, of = steps
    amount = int(count.name) * factor * (-1 if isinstance(node, exp.Sub | exp.DateSub) else 1)
    return FunctionCall("date", (*day.arguments, Literal(f"{amount:+d} {of}s")))


def _function_name(node: exp.Func) -> str:
    simple = {
        "Length": "length", "Abs": "abs", "Round": "round", "Lower": "lower", "Upper": "upper",
        "Substring": "substr", "Nullif": "nullif", "Coalesce": "coalesce", "Trim": "trim",
    }  # fmt: skip
    name = simple.get(type(node).__name__)
    if name is None:
        raise Unrepresentable(f"Function {type(node).__name__}.")
    return name


def _connect(kind: str, *parts: Condition) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Connective) and part.kind == kind else (part,))
    return Connective("and" if kind == "and" else "or", tuple(flat))


def _oriented(join: Join, mine: TableRef, *, outer: bool) -> Join:
    if join.left.table == mine:
        join = Join(join.right, join.left)
    return replace(join, outer=outer)


def _number(clause: exp.Expr | None) -> int | None:
    if clause is None:
        return None
    value = clause.expression
    if not isinstance(value, exp.Literal) or value.is_string:
        raise Unrepresentable("LIMIT of something else than a number.")
    return int(value.this)


def _numeral(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
