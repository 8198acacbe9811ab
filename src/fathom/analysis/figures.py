"""The figures of a database, each calculated once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from fathom.analysis import forecasts, statistics
from fathom.analysis.claims import CheckedClaim, Claim
from fathom.analysis.quantities import Field, Grain, NotComputable, Period, Quantity, RowCondition
from fathom.analysis.series import EDGE_DAYS, Series, Values, month_after, monthly, yearly
from fathom.analysis.vocabulary import Vocabulary
from fathom.records import Limits, Result

ROWS = 200_000
"""Rows that a test looks at; of more it takes the first, and says so."""
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two columns of the same rows, and whether these are all."""

    first: Sequence[Any]
    second: Sequence[Any]
    sql: str
    whole: bool


class Figures:
    """Runs the queries behind claims and keeps what they gave. Raises `QueryError` where one fails."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._checked: dict[Claim, CheckedClaim] = {}
        self._results: dict[str, Result] = {}
        self._projections: dict[tuple[Quantity, int], forecasts.Projection] = {}

    def once(self, claim: Claim, check: Callable[[], CheckedClaim]) -> CheckedClaim:
        """A claim's check, made the first time that it is asked for."""
        if claim not in self._checked:
            self._checked[claim] = check()
        return self._checked[claim]

    def run(self, sql: str) -> Result:
        """The result of one of our own queries."""
        if sql not in self._results:
            self._results[sql] = self.vocabulary.database.run(
                sql, Limits(SECONDS, ROWS, 256_000_000), trusted=True
            )
        return self._results[sql]

    def value(self, quantity: Quantity) -> tuple[float | None, str]:
        """A quantity's value, None where there are no rows, and its query."""
        sql = self.vocabulary.queries.total(quantity)
        (row,) = self.run(sql).rows
        return None if row[0] is None else float(row[0]), sql

    def grouped(self, quantity: Quantity, by: Field) -> tuple[Mapping[Any, float], str]:
        """A quantity for each value of a column, most first, and the query."""
        sql = self.vocabulary.queries.grouped(quantity, by)
        return {row[0]: float(row[1]) for row in self.run(sql).rows if row[1] is not None}, sql

    def series(self, quantity: Quantity) -> tuple[Series, str]:
        """A quantity by month, whole months only; by year where only years are known.

        Raises `NotComputable` where nothing dates the rows, or there is no whole month.
        """
        if quantity.dated is None:
            quantity = self.dated(quantity)
        assert quantity.dated is not None
        empty = 0.0 if quantity.measure.adds_up else None
        by_year = self.vocabulary.dates[quantity.dated] == "year"
        sql = self.vocabulary.queries.series(quantity, "year" if by_year else "month")
        rows: Any = self.run(sql).rows
        if by_year:
            found = yearly(rows, empty=empty)
        else:
            first, last = self.run(self.vocabulary.queries.span(quantity)).rows[0]
            found = monthly(rows, _day(first), _day(last), empty=empty) if first and last else None
        if found is None:
            raise NotComputable("There is no whole month of data.")
        return found, sql

    def by_period(
        self, quantity: Quantity, grain: Grain
    ) -> tuple[Mapping[Period, float], Mapping[Period, float], str]:
        """A quantity of each month or year: of all, of those that the data covers whole, and the query.

        Raises `NotComputable` for another grain, and where nothing dates the rows.
        """
        quantity = self.dated(quantity)
        assert quantity.dated is not None
        by_year = self.vocabulary.dates[quantity.dated] == "year"
        if grain not in ("month", "year") or (grain == "month" and by_year):
            raise NotComputable("Only months are compared with months, and years with years.")
        queries = self.vocabulary.queries
        sql, length = queries.series(quantity, grain), 1 if grain == "month" else 12
        found = {}
        for text, value in self.run(sql).rows:
            start = date(int(str(text)[:4]), int(str(text)[5:7]) if grain == "month" else 1, 1)
            found[Period(start, month_after(start, length))] = float(value or 0.0)
        edges = self.run(queries.span(quantity)).rows[0] if found else (None, None)
        if by_year or None in edges:
            return found, found, sql
        first, last = map(_day, edges)
        reach = timedelta(days=EDGE_DAYS)
        whole = {p: v for p, v in found.items() if p.start >= first - reach and p.end <= last + reach}
        return found, whole, sql

    def dated(self, quantity: Quantity) -> Quantity:
        """The quantity with the column that dates its rows. Raises `NotComputable` where there is none."""
        if quantity.dated is not None:
            return quantity
        found = self.vocabulary.dates_of(quantity.measure.table)
        if not found:
            rows = self.vocabulary.table_name(quantity.measure.table)
            raise NotComputable(f"Nothing in the database dates the {rows}.")
        return Quantity(quantity.measure, quantity.where, quantity.period, found[0])

    def pairs(self, first: Field, second: Field, where: Sequence[RowCondition] = ()) -> Pairs:
        """Two columns of the same rows. Raises `NotComputable` where neither table belongs to the other."""
        queries = self.vocabulary.queries
        table = first.table if queries.reachable(first.table, second.table) is not None else second.table
        sql = queries.rows(table, (first, second), where)
        found = self.run(sql)
        one, two = zip(*found.rows, strict=True) if found.rows else ((), ())
        return Pairs(one, two, sql, found.truncated is None)

    def by_group(
        self, measured: Field, by: Field, where: Sequence[RowCondition] = ()
    ) -> tuple[Mapping[str, list[float]], Pairs]:
        """The numbers of a column for each value of another."""
        found = self.pairs(measured, by, where)
        groups: dict[str, list[float]] = {}
        for number, group in zip(found.first, found.second, strict=True):
            groups.setdefault(str(group), []).append(float(number))
        return groups, found

    def projection(self, quantity: Quantity, steps: int) -> forecasts.Projection:
        """A quantity's forecast for so many steps after the last whole one, with its test on the past."""
        if (quantity, steps) not in self._projections:
            series, _ = self.series(quantity)
            if len(series) < forecasts.FEWEST:
                told = f"{len(series)} whole {series.unit}s"
                raise NotComputable(
                    f"A forecast needs {forecasts.FEWEST} values to be tested on; there are {told}."
                )
            self._projections[quantity, steps] = forecasts.project(series, steps)
        return self._projections[quantity, steps]

    def trend(
        self, quantity: Quantity, since: date | None = None
    ) -> tuple[statistics.TrendTest, Series, str]:
        """The test of a quantity's trend over all whole months, or those since a day.

        Raises `NotComputable` where there are none since.
        """
        series, sql = self.series(quantity)
        if since is not None and (cut := series.place(since)) > 0:
            if cut >= len(series):
                raise NotComputable(f"There is no whole {series.unit} of data since then.")
            series = Series(series.day(cut), series.values[cut:], series.per_year)
        return statistics.trend(series), series, sql


def numbers(values: Sequence[Any]) -> Values:
    """A column's values as numbers."""
    return np.array([float(v) for v in values], dtype=np.float64)


def _day(text: Any) -> date:
    return date.fromisoformat(str(text)[:10])
