"""Sketches of queries, to learn from: what a database's own columns, tables and values stand in is a slot."""

from dataclasses import replace

from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Compound,
    Condition,
    Connective,
    Expression,
    Items,
    Literal,
    Query,
    SourceColumn,
    Star,
    Subquery,
    TableRef,
    columns,
)
from fathom.offline.sketches.sketches import ANY, Bound, SlotValues, rebuild
from training.normal import normalise, refers

_VALUE_OPERATORS = frozenset({"=", "!=", "<", "<=", ">", ">=", "like", "not like"})


def abstract(query: Query, planner: JoinPlanner) -> tuple[Query, SlotValues]:
    """The sketch of a query, and what fills it to give the query back (joins and count columns aside)."""
    return _Abstraction(planner).run(normalise(query, planner))


class _Abstraction:
    def __init__(self, planner: JoinPlanner) -> None:
        self.planner = planner
        self.columns: dict[str, ColumnRef] = {}
        self.tables: dict[str, TableRef] = {}
        self.values: dict[str, Bound] = {}
        self.limit: int | None = None
        self._names: dict[ColumnRef, str] = {}
        self._compared: dict[tuple[ColumnRef, str, object], tuple[str, str]] = {}

    def run(self, query: Query) -> tuple[Query, SlotValues]:
        sketch = self._query(query, None)
        return sketch, SlotValues(self.columns, self.tables, self.values, self.limit)

    def _query(self, query: Query, outer: ColumnRef | None) -> Query:
        source = None if query.source is None else self._query(query.source, None)
        linked = self._link(query, outer)
        select = linked or tuple(self._expression(e, "s") for e in query.select)
        group = tuple(self._group(g, query) for g in query.group)
        where = self._condition(query.where, "w")
        having = self._condition(query.having, "h")
        order = tuple(replace(o, key=self._expression(o.key, "o")) for o in query.order)
        limit = query.limit
        if limit is not None and limit != 1:
            self.limit, limit = limit, -1
        tables = []
        for table in query.tables:
            name = f"t{len(self.tables)}"
            self.tables[name] = table
            tables.append(TableRef(name, table.instance))
        compound = None
        if query.compound is not None:
            left = query.select[0] if len(query.select) == 1 else None
            key = left if isinstance(left, ColumnRef) else None
            compound = Compound(query.compound.operator, self._query(query.compound.query, key))
        return Query(
            select=select, distinct=query.distinct, where=where, group=tuple(dict.fromkeys(group)),
            having=having, order=order, limit=limit, offset=query.offset, tables=tuple(tables),
            source=source, compound=compound,
        )  # fmt: skip

    def _link(self, query: Query, outer: ColumnRef | None) -> tuple[Expression, ...] | None:
        """`ref:` where a subquery selects exactly the key that links it to the column outside."""
        if outer is None or len(query.select) != 1 or outer not in self._names:
            return None
        match query.select[0]:
            case ColumnRef(table=table, name=name) as column if column != outer:
                for edge in self.planner.neighbours(table.name):
                    if edge.right == outer.table.name and (name, outer.name) in edge.pairs:
                        self._names[column] = slot = f"ref:{self._names[outer]}"
                        if not any(c.table == table for c in self._mentioned(query)):
                            self.tables[f"t{len(self.tables)}"] = table
                            return (ColumnRef(TableRef(f"t{len(self.tables) - 1}"), slot),)
                        return (ColumnRef(TableRef(ANY), slot),)
        return None

    @staticmethod
    def _mentioned(query: Query) -> list[ColumnRef]:
        return list(columns(replace(query, select=())))

    def _group(self, expression: Expression, query: Query) -> Expression:
        if isinstance(expression, ColumnRef) and expression not in self._names:
            for item in query.select:
                if isinstance(item, ColumnRef) and refers(expression, item.table, self.planner):
                    return ColumnRef(TableRef(ANY, item.table.instance), f"key:{self._names[item]}")
        return self._expression(expression, "g")

    def _column(self, column: ColumnRef, role: str) -> ColumnRef:
        name = self._names.get(column)
        if name is None:
            count = sum(n.startswith(role) for n in self.columns)
            name = f"{role}{count}"
            self._names[column] = name
            self.columns[name] = column
        return ColumnRef(TableRef(ANY, column.table.instance), name)

    def _expression(self, expression: Expression, role: str) -> Expression:
        match expression:
            case ColumnRef():
                return self._column(expression, role)
            case Star():
                return Star()
            case Aggregate(function=function, argument=argument, distinct=distinct):
                inner = "a" if role == "s" else role
                return Aggregate(function, self._expression(argument, inner), distinct)
            case Subquery(query=query):
                return Subquery(self._query(query, None))
            case Literal() | SourceColumn():
                return expression
        return rebuild(expression, lambda e: self._expression(e, role), lambda c: self._condition(c, role))

    def _condition(self, condition: Condition | None, role: str) -> Condition | None:
        if condition is None:
            return None
        if isinstance(condition, Connective):
            parts = [p for p in (self._condition(c, role) for c in condition.parts) if p is not None]
            if condition.kind == "and":
                parts.sort(key=_rank)
            return Connective(condition.kind, tuple(parts))
        return self._comparison(condition, role)

    def _comparison(self, comparison: ComparisonPredicate, role: str) -> ComparisonPredicate:
        left, operator, right = comparison.left, comparison.operator, comparison.right
        if isinstance(right, Literal) and operator in _VALUE_OPERATORS:
            known = self._compared.get((left, operator, right.value)) if isinstance(left, ColumnRef) else None
            if known is None:
                slot = f"v{len(self.values)}"
                self.values[slot] = Bound(right.value, operator)
                target = self._compared_column(left, role)
                if isinstance(left, ColumnRef) and isinstance(target, ColumnRef):
                    self._compared[left, operator, right.value] = (target.name, slot)
                return ComparisonPredicate(target, ANY, Literal(slot))
            return ComparisonPredicate(ColumnRef(TableRef(ANY), known[0]), ANY, Literal(known[1]))
        if isinstance(right, Items) and all(isinstance(i, Literal) for i in right.items):
            target = self._compared_column(left, role)
            slots = []
            for item in right.items:
                slot = f"v{len(self.values)}"
                self.values[slot] = Bound(item.value if isinstance(item, Literal) else None, operator)
                slots.append(Literal(slot))
            return ComparisonPredicate(target, operator, Items(tuple(slots)))
        inner = "x" if role == "w" else role
        outer = left if isinstance(left, ColumnRef) else None
        target = self._expression(left, inner)
        if isinstance(right, Subquery):
            key = outer if operator in {"in", "not in", "="} else None
            return ComparisonPredicate(target, operator, Subquery(self._query(right.query, key)))
        return ComparisonPredicate(
            target, operator, None if right is None else self._expression(right, inner)
        )

    def _compared_column(self, left: Expression, role: str) -> Expression:
        """A column compared with a value has a slot of its own, shared only with other such comparisons."""
        if role != "w" or not isinstance(left, ColumnRef):
            return self._expression(left, role)
        for (column, _, _), (name, _) in self._compared.items():
            if column == left:
                return ColumnRef(TableRef(ANY, left.table.instance), name)
        name = f"w{sum(n.startswith('w') for n in self.columns)}"
        self.columns[name] = left
        return ColumnRef(TableRef(ANY, left.table.instance), name)


def _rank(condition: Condition) -> tuple[int, str]:
    """An order of conjuncts that doesn't depend on how a query was written: plain comparisons first."""
    if isinstance(condition, Connective):
        return 2, ""
    return (0 if condition.operator == ANY else 1), condition.operator
