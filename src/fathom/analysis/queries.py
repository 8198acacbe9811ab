"""Quantities as SQL. Joins go from many to one alone, so that no row counts twice."""

from collections import deque
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

from sqlglot import exp

from fathom.analysis.quantities import Field, Grain, NotComputable, Period, Quantity, RowCondition
from fathom.databases import Database
from fathom.records import ForeignKey

DateForm = Literal["native", "iso", "year"]
_FORMATS: dict[Grain, str] = {"day": "%Y-%m-%d", "month": "%Y-%m", "quarter": "%Y-%m", "year": "%Y"}
_LETTERS: dict[Grain, int] = {"day": 10, "month": 7, "quarter": 7, "year": 4}
_FURTHEST = 4
"""Joins; a column further away is seldom what a statement means."""
_SURE = 0.7
"""Joins that were only inferred count from this confidence on."""


class Queries:
    """Writes the queries of one database. `forms` tells how each of its columns of dates keeps them."""

    def __init__(self, database: Database, forms: dict[Field, DateForm]) -> None:
        self._db = database
        self._forms = forms
        self._out: dict[str, list[ForeignKey]] = {}
        for key in database.schema.foreign_keys:
            if key.table != key.target_table and key.confidence >= _SURE:
                self._out.setdefault(key.table, []).append(key)

    def total(self, quantity: Quantity) -> str:
        """One row with the quantity's value."""
        return self._select([self._value(quantity)], quantity, ())

    def grouped(self, quantity: Quantity, by: Field) -> str:
        """A row for each value of a column: the value, the quantity, how many rows it is of."""
        name = self._name(by)
        shown = [name, self._value(quantity), "COUNT(*)"]
        # By place: PostgreSQL and MySQL differ on what an expression repeated here is.
        return self._select(shown, quantity, (by,), known=(by,), ending=" GROUP BY 1 ORDER BY 2 DESC, 1")

    def series(self, quantity: Quantity, grain: Grain) -> str:
        """A row for each day, month or year that has rows: its beginning as text, the quantity."""
        dated = self._dated(quantity)
        shown = [self._bucket(dated, grain), self._value(quantity)]
        return self._select(shown, quantity, (dated,), known=(dated,), ending=" GROUP BY 1 ORDER BY 1")

    def span(self, quantity: Quantity) -> str:
        """The first and the last day of the quantity's rows, as text."""
        dated = self._dated(quantity)
        day = self._bucket(dated, "day")
        return self._select([f"MIN({day})", f"MAX({day})"], quantity, (dated,), known=(dated,))

    def rows(self, table: str, fields: Sequence[Field], where: Sequence[RowCondition] = ()) -> str:
        """The columns of each row of a table and of those it belongs to, where all of them are known."""
        return self._from(table, [self._name(f) for f in fields], fields, where=where, known=fields)

    def reachable(self, table: str, other: str) -> int | None:
        """How many joins from many to one lead from a table to another; None where none do."""
        try:
            return len(self.path(table, other))
        except NotComputable:
            return None

    def path(self, table: str, other: str) -> list[ForeignKey]:
        """The joins from a table to one that each of its rows has at most one row of.

        Raises `NotComputable` where there is no such way, or two that are equally short.
        """
        ways: dict[str, list[list[ForeignKey]]] = {table: [[]]}
        queue = deque([(table, 0)])
        while queue:
            at, far = queue.popleft()
            if at == other or far == _FURTHEST:
                continue
            for key in self._out.get(at, ()):
                known = ways.get(key.target_table)
                if known is None:
                    ways[key.target_table] = [[*way, key] for way in ways[at]]
                    queue.append((key.target_table, far + 1))
                elif len(known[0]) == far + 1:
                    known.extend([*way, key] for way in ways[at])
        found = ways.get(other)
        if found is None:
            raise NotComputable(f"No row of {table!r} belongs to one row of {other!r}.")
        if len(found) > 1:
            raise NotComputable(f"Rows of {table!r} belong to rows of {other!r} in {len(found)} ways.")
        return found[0]

    def _value(self, quantity: Quantity) -> str:
        measure = quantity.measure
        if measure.expression:
            return f"{measure.function.upper()}({measure.expression})"
        if measure.field is None:
            return "COUNT(*)"
        name = self._name(measure.field)
        if measure.function == "count":
            return f"COUNT({name})"
        return f"{measure.function.upper()}({name})"

    def _select(
        self,
        shown: Sequence[str],
        quantity: Quantity,
        fields: Sequence[Field],
        *,
        known: Sequence[Field] = (),
        ending: str = "",
    ) -> str:
        dated = (self._dated(quantity),) if quantity.period else ()
        table = quantity.measure.table
        found = self._from(
            table,
            shown,
            (*fields, *dated),
            where=quantity.where,
            period=quantity.period,
            known=known,
            dated=dated,
        )
        return found + ending

    def _from(
        self,
        table: str,
        shown: Sequence[str],
        fields: Sequence[Field],
        *,
        where: Sequence[RowCondition] = (),
        period: Period | None = None,
        known: Sequence[Field] = (),
        dated: Sequence[Field] = (),
    ) -> str:
        joins: dict[str, str] = {}
        for field in (*fields, *(c.field for c in where)):
            for key in self.path(table, field.table):
                pairs = zip(key.columns, key.target_columns, strict=True)
                on = " AND ".join(
                    f"{self._name(Field(key.table, a))} = {self._name(Field(key.target_table, b))}"
                    for a, b in pairs
                )
                joins.setdefault(key.target_table, f" JOIN {self._db.identifier(key.target_table)} ON {on}")
        tests = [f"{self._name(f)} IS NOT NULL" for f in dict.fromkeys(known)]
        tests += [f"{self._name(c.field)} {self._held(c.value)}" for c in where]
        if period:
            tests += [
                f"{self._name(dated[0])} {sign} {self._day(dated[0], day)}"
                for sign, day in ((">=", period.start), ("<", period.end))
            ]
        restricted = f" WHERE {' AND '.join(tests)}" if tests else ""
        source = f"{self._db.identifier(table)}{''.join(joins.values())}"
        return f"SELECT {', '.join(shown)} FROM {source}{restricted}"

    def _name(self, field: Field) -> str:
        name = self._db.identifier(field.table, field.column)
        if not field.last:
            return name
        last = self._db.identifier(field.table, field.last)
        joined = [exp.Var(this=name), exp.Literal.string(" "), exp.Var(this=last)]
        # In brackets: SQLite and PostgreSQL write it with operators.
        return f"({exp.Concat(expressions=joined, safe=False, coalesce=False).sql(self._db.dialect)})"

    def _held(self, value: Any) -> str:
        if isinstance(value, tuple):
            return f"IN ({', '.join(map(self._literal, value))})"
        return f"= {self._literal(value)}"

    def _literal(self, value: Any) -> str:
        return exp.convert(value).sql(self._db.dialect)

    def _day(self, field: Field, day: date) -> str:
        if self._forms[field] == "year":
            return str(day.year)
        literal = self._literal(day.isoformat())
        return literal if self._forms[field] == "iso" else f"CAST({literal} AS DATE)"

    def _bucket(self, field: Field, grain: Grain) -> str:
        name = self._name(field)
        if self._forms[field] == "year":
            return name
        if self._forms[field] == "iso":
            return f"SUBSTR({name}, 1, {_LETTERS[grain]})"
        as_text = exp.TimeToStr(this=exp.Var(this=name), format=exp.Literal.string(_FORMATS[grain]))
        return as_text.sql(self._db.dialect)

    def _dated(self, quantity: Quantity) -> Field:
        if quantity.dated is None or quantity.dated not in self._forms:
            raise NotComputable(f"Nothing dates the rows of {quantity.measure.table!r}.")
        return quantity.dated
