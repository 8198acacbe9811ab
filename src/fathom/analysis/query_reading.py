"""The quantity that a query asks for: the measure, the groups and the conditions, read from its SQL."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from fathom.analysis.quantities import Field, Function, Measure, Quantity, RowCondition
from fathom.analysis.vocabulary import Vocabulary

_FUNCTIONS: Mapping[type[exp.Expression], Function] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
}  # fmt: skip
_ARITHMETIC = (exp.Mul, exp.Add, exp.Sub, exp.Div, exp.Paren, exp.Column, exp.Literal, exp.Identifier)
_CLAUSES = frozenset(("expressions", "from_", "joins", "where", "group", "order", "limit", "kind"))


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """The quantity that a query asks for, of each value of `by` where it groups."""

    quantity: Quantity
    by: Field | None = None


def read_query(sql: str, vocabulary: Vocabulary) -> ReadQuery | None:
    """Read one measure, groups by one column, and conditions "column = value"; None of any other query."""
    try:
        query = sqlglot.parse_one(sql, dialect=vocabulary.database.dialect)
    except SqlglotError:
        return None
    if not isinstance(query, exp.Select) or {k for k, v in query.args.items() if v} - _CLAUSES:
        return None
    return _Query(query, vocabulary).asked()


class _Query:
    """One SELECT over tables of a schema."""

    def __init__(self, query: exp.Select, vocabulary: Vocabulary) -> None:
        self._query, self._words = query, vocabulary
        schema = vocabulary.database.schema
        named = {t.name.casefold(): t for t in schema.tables}
        self._tables = {
            t.alias_or_name.casefold(): named[t.name.casefold()]
            for t in query.find_all(exp.Table)
            if t.name.casefold() in named
        }

    def asked(self) -> ReadQuery | None:
        order = self._query.args.get("order")
        shown = (
            [*self._query.expressions, *(o.this for o in order.expressions)]
            if order
            else self._query.expressions
        )
        found = {m for e in shown for m in [self._measure(e.unalias())] if m is not None}
        where = self._where()
        group = self._query.args.get("group")
        by = self._group(group.expressions) if group else None
        inner = self._query.find(exp.Subquery, exp.Distinct, exp.Window)
        if len(found) != 1 or where is None or inner or (group and by is None):
            return None
        (measure,) = found
        return ReadQuery(Quantity(measure, where), by)

    def _measure(self, shown: exp.Expression) -> Measure | None:
        function = _FUNCTIONS.get(type(shown))
        if function is None:
            return None
        inside = shown.this
        if isinstance(inside, exp.Star):
            table = self._fact()
            return Measure("count", table) if table and function == "count" else None
        if isinstance(inside, exp.Column):
            field = self._field(inside)
            return Measure(function, field.table, field.column) if field and function != "count" else None
        return self._calculated(function, inside)

    def _calculated(self, function: Function, inside: exp.Expression) -> Measure | None:
        """A measure of a calculation with columns of one table, each of them named in full."""
        if not all(isinstance(node, _ARITHMETIC) for node in inside.walk()):
            return None
        fields = {column: self._field(column) for column in inside.find_all(exp.Column)}
        tables = {f.table for f in fields.values() if f}
        if None in fields.values() or len(tables) != 1:
            return None
        named = {
            f"{c.table}.{c.name}": self._words.database.identifier(f.table, f.column)
            for c, f in fields.items()
            if f
        }
        written = inside.copy().transform(
            lambda n: exp.Var(this=named[f"{n.table}.{n.name}"]) if isinstance(n, exp.Column) else n
        )
        return Measure(function, tables.pop(), expression=written.sql(self._words.database.dialect))

    def _fact(self) -> str | None:
        """The table whose rows a count of all rows is of: the one that belongs to all others."""
        names = {t.name for t in self._tables.values()}
        reach = self._words.queries.reachable
        found = [t for t in names if all(reach(t, other) is not None for other in names)]
        return found[0] if len(found) == 1 else None

    def _field(self, column: exp.Column) -> Field | None:
        among = [self._tables.get(column.table.casefold())] if column.table else list(self._tables.values())
        held = [(t, c) for t in among if t for c in t.columns if c.name.casefold() == column.name.casefold()]
        return Field(held[0][0].name, held[0][1].name) if len(held) == 1 else None

    def _group(self, grouped: list[exp.Expression]) -> Field | None:
        """The column of names that rows are grouped by; that of the key beside it says no more."""
        fields = [self._field(g) for g in grouped if isinstance(g, exp.Column)]
        if len(fields) < len(grouped) or None in fields:
            return None
        names = [f for f in fields if f and not self._words.is_key(f)]
        if len(names) == 2:
            return next(
                (p for p in self._words.people if {p.column, p.last} == {n.column for n in names}), None
            )
        return names[0] if len(names) == 1 else None

    def _where(self) -> tuple[RowCondition, ...] | None:
        """The conditions, where all of them say that a column has a value."""
        where = self._query.args.get("where")
        if where is None:
            return ()
        found = list(self._conditions(where.this))
        return None if None in found else tuple(c for c in found if c)

    def _conditions(self, test: exp.Expr) -> Iterator[RowCondition | None]:
        if isinstance(test, exp.And):
            yield from self._conditions(test.left)
            yield from self._conditions(test.right)
        elif isinstance(test, exp.EQ) and isinstance(test.left, exp.Column) and test.right.is_string:
            field = self._field(test.left)
            yield RowCondition(field, test.right.this) if field else None
        else:
            yield None
