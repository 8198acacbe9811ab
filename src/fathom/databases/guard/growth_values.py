"""The values of a statement when it runs, added up while its parts are counted."""

from collections.abc import Iterable

from sqlglot import exp

from fathom.databases.guard.growth_names import correlates, gives_one_row, limit_of, row_functions
from fathom.databases.guard.growth_rows import Level, Parts, Rows
from fathom.databases.guard.value_sizes import CELL, ELEMENT, LARGEST, NOTHING, SHORT, Value, times
from fathom.databases.guard.values import fan_out, of_node, weighed
from fathom.databases.guard.words import Refused

_GROWS = (
    f"its values would grow beyond measure when it runs, as reckoned from cells of {CELL:,.0f} characters; "
    "name each column fewer times, join with a condition, or bound a number that says how long a value gets, "
    "as least(n, 100) does."
)


class Reckoning:
    """The values of one walk down a statement; those that aren't `measured` come to nothing.

    `made` are the characters of all that are longer than a cell, `heaviest` what one takes while it is made.
    """

    def __init__(self, *, measured: bool) -> None:
        self.measured, self.multiplies = measured, False
        self.made = self.heaviest = 0.0
        self._found: dict[int, Value] = {}

    def check(self) -> None:
        """Raises `Refused` where the values grow beyond measure."""
        if self.multiplies:
            raise Refused("size", "each round of a recursion puts a value together with itself.")
        if max(self.made, self.heaviest) > LARGEST:
            raise Refused("size", _GROWS)

    def back_to(self, made: float, heaviest: float) -> None:
        """Forget what was added up since then."""
        self.made, self.heaviest = made, heaviest

    def given(self, node: object) -> Value:
        """The size of a node that was looked at."""
        return self._found.get(id(node), NOTHING)

    def note(self, node: exp.Expr, value: Value) -> Value:
        """Keep the size of a node for those around it."""
        self._found[id(node)] = value
        return value

    def value(self, node: exp.Expr, level: Level) -> Value:
        """The size of an expression whose parts were looked at."""
        if not self.measured:
            return NOTHING
        value = of_node(node, self.given, max(1.0, level.count))
        if value.length > CELL:
            self.heaviest = max(self.heaviest, weighed(node, value))
            passed_on = any(self.given(part) is value for part in node.iter_expressions())
            if not passed_on and not (isinstance(node, exp.DPipe) and isinstance(node.parent, exp.DPipe)):
                self.made += value.length
        return self.note(node, value)

    def selected(self, query: exp.Expr, rows: Rows, level: Level) -> Value:
        """The size of the value that a query stands for: one of its rows, or an ARRAY of all."""
        if not self.measured:
            return NOTHING
        value = sum((parts.value for _, parts in rows.columns), NOTHING)
        if isinstance(query.parent, exp.Array):
            total = value.total + ELEMENT * rows.count
            value = value._replace(length=total, total=total)
        if isinstance(query.parent, (exp.In, exp.Any, exp.All)):  # kept to be looked up
            self.hold(rows)
        if not correlates(query):
            value = value.of_total(times(value.length, max(1.0, level.count)))
        return self.note(query, value)

    def hold(self, rows: Rows, count: float = 0) -> None:
        """Count different rows that the server keeps in memory all at once, `count` of them if that's known.

        Cells aren't counted otherwise: a join that repeats them makes them no more different.
        """
        if self.measured:
            own = max(1.0, rows.count)
            values = [parts.value for _, parts in rows.columns]
            held = sum(value.total for value in values if count or value.length > CELL) / own
            self.heaviest = max(self.heaviest, times(held + ELEMENT, count or own) if held else 0.0)

    def pass_on(self, rows: Rows, outputs: list[exp.Expr]) -> None:
        """Count what a query holds of values that it only passes on."""
        if self.measured and (len(outputs) != len(rows.columns) or any(map(_is_name, outputs))):
            named = outputs if len(outputs) == len(rows.columns) else [None] * len(rows.columns)
            for output, (_, parts) in zip(named, rows.columns, strict=True):
                long = parts.value.length > CELL
                self.made += parts.value.length if long and (output is None or _is_name(output)) else 0

    def put_out(self, select: exp.Select, rows: Rows, level: Level) -> None:
        """Count the rows that a query gives."""
        if not self.measured:
            return
        rows.count = level.count
        for call in row_functions(select.expressions):
            rows.spread(times(rows.count, fan_out(call, self.given)))
        if gives_one_row(select):
            rows.few(1)
        self.pass_on(rows, select.expressions)

    def limited(self, query: exp.Expr, rows: Rows) -> None:
        """Bound the rows, where LIMIT does."""
        if self.measured:
            rows.few(limit_of(query))

    def functions(self, items: Iterable[exp.Expr], level: Level) -> Rows:
        """The rows of functions side by side in FROM; columns are no longer than what they are given."""
        if not self.measured:
            return Rows([], is_open=True)
        calls = [item.this if isinstance(item, (exp.Table, exp.Lateral)) else item for item in items]
        count = times(max(1.0, level.count), max(fan_out(call, self.given) for call in calls))
        columns = [("", Parts(1, 1, self._given_to(call, count))) for call in calls]
        return Rows(columns, is_open=True, count=count)

    def _given_to(self, call: exp.Expr, rows: float) -> Value:
        """The size of the column that a function in FROM makes in so many rows."""
        value = sum((self.given(part) for part in call.iter_expressions()), NOTHING)
        if isinstance(call, (exp.GenerateSeries, exp.ExplodingGenerateSeries)):
            value = value._replace(length=value.length if value.length > CELL else SHORT)
        return value._replace(total=max(value.total, value.length, times(SHORT, rows)))

    def join(self, rows: Rows, level: Level, item: exp.Expr, *, bound: bool) -> None:
        """Count the rows of a level to which an item is joined, each to few or each to all of them."""
        inner = item.this if isinstance(item, exp.Lateral) else item
        bound = bound or (isinstance(item, exp.Lateral) and correlates(inner))
        level.count = max(level.count, rows.count) if bound else times(level.count, rows.count)

    def spread(self, level: Level) -> None:
        """Make the rows of all items of FROM as many as those that they are joined to."""
        for source in level.sources if self.measured else ():
            source.spread(level.count)


def _is_name(output: exp.Expr) -> bool:
    while isinstance(output, exp.Alias):
        output = output.this
    return isinstance(output, exp.Column)
