"""`rewrite`: a query in another form, taken only where its result is equal and its time measurably lower."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlglot import exp

from fathom.benchmarks.sql_text import without_semicolon
from fathom.databases import Database
from fathom.databases.thinned_copies import thinned_copies
from fathom.efficiency.equality import Fingerprint, fingerprint
from fathom.efficiency.rules import RULES
from fathom.efficiency.tree import Unclear, read_query, written
from fathom.errors import QueryError, QueryRefused, QueryTimedOut
from fathom.evaluation.comparisons.order import orders_result
from fathom.evaluation.timing import LEAST_GAIN, LEAST_ROUNDS, MOST_ROUNDS, Ratio, time_ratio

_MOST_TRIED = 60
_DEEPEST = 3
_MEASURED = 4
# The seconds that a form may take beyond one and a half times the query: a busy machine stalls for tenths of
# a second.
_SLACK = 1.0
Outcome = Literal["faster", "not measured", "not faster", "slower", "another result", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class TriedForm:
    """One form of the query: made by which rules (or `proposal`), and what became of it.

    `ratio` says how much faster it is than the query given, where that was measured; `seconds` is one run.
    """

    sql: str
    by: tuple[str, ...]
    outcome: Outcome
    note: str = ""
    seconds: float | None = None
    ratio: Ratio | None = None

    def as_json(self) -> dict[str, Any]:
        """The form as JSON values."""
        found: dict[str, Any] = {
            "sql": self.sql,
            "by": list(self.by),
            "outcome": self.outcome,
            "note": self.note,
        }
        if self.ratio:
            found |= {"times_faster": self.ratio.value, "at_least": self.ratio.low, "runs": self.ratio.runs}
        return found


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The result of rewriting a query: `best` is the fastest equal form, None where none is measurably
    faster.

    `seconds` is one run of the query given; `checked_on` counts the thinned copies that equality was
    checked on beside the database; `problem` says why nothing could be tried.
    """

    sql: str
    seconds: float
    rows: int
    best: TriedForm | None
    tried: tuple[TriedForm, ...]
    checked_on: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "sql": self.sql,
            "seconds": self.seconds,
            "rows": self.rows,
            "rewritten": self.best.as_json() if self.best else None,
            "tried": [t.as_json() for t in self.tried],
            "thinned_copies": self.checked_on,
            "problem": self.problem,
        }


def rewrite(
    database: Database,
    sql: str,
    *,
    proposals: Sequence[str] = (),
    seconds: float = 30.0,
    budget: float = 60.0,
) -> Rewriting:
    """Find a faster form of a query, by rules and among `proposals` from elsewhere.

    Equal means: the same columns, values, types and duplicates, in the same order where the query orders,
    on the database and on thinned copies of it (see `thinned_copies`). Faster means: the 95 % interval of
    how many times lies above 1.1, in two measurements of alternating runs. `seconds` bounds each run,
    `budget` about all of them. Raises `QueryError` where the query itself can't be run.
    """
    sql = without_semicolon(sql)
    given = fingerprint(database, sql, seconds)
    again = fingerprint(database, sql, seconds)
    ordered = orders_result(sql, database.dialect)
    if given.differs(again, ordered=ordered):
        return Rewriting(sql, given.seconds, given.rows, None, (), problem="two runs of it give two results")
    quicker = min(given, again, key=lambda f: f.seconds)
    search = _FormSearch(database, (sql, quicker), ordered, seconds=seconds, budget=budget)
    search.try_all(proposals)
    checked = 0
    if search.equal():
        with thinned_copies(database) as copies:
            search.check_on(copies)
            checked = len(copies)
        search.measure()
    return Rewriting(sql, quicker.seconds, given.rows, search.best(), tuple(search.tried.values()), checked)


class _FormSearch:
    """The forms of one query, by their text."""

    def __init__(
        self,
        database: Database,
        given: tuple[str, Fingerprint],
        ordered: bool,
        *,
        seconds: float,
        budget: float,
    ) -> None:
        self.database, self.ordered = database, ordered
        self.sql, self.given = given
        self.tried: dict[str, TriedForm] = {}
        self._limit = min(seconds, 1.5 * self.given.seconds + _SLACK)
        self._until = time.monotonic() + budget

    def try_all(self, proposals: Sequence[str]) -> None:
        """Run proposals and what rules make of the query and of its equal forms."""
        for proposal in proposals:
            self._try(without_semicolon(proposal), ("proposal",))
        waiting = deque([(self.sql, ()), *((t.sql, t.by) for t in self.equal())])
        while waiting and len(self.tried) < _MOST_TRIED and time.monotonic() < self._until:
            sql, by = waiting.popleft()
            for made, rule in self._forms(sql):
                if made not in self.tried and self._try(made, (*by, rule)) and len(by) + 1 < _DEEPEST:
                    waiting.append((made, (*by, rule)))

    def _forms(self, sql: str) -> Iterator[tuple[str, str]]:
        schema = self.database.schema
        try:
            tree = _with_names(read_query(sql, schema), self.given.columns)
        except Unclear:
            return
        for rule in RULES:
            for form in rule.applied(tree, schema):
                yield written(form, schema.dialect), rule.name

    def _try(self, sql: str, by: tuple[str, ...]) -> bool:
        """Run one form, no longer than it may take to be of use; whether its result is equal."""
        if sql in self.tried or sql == self.sql:
            return False
        tried = TriedForm(sql, by, "not measured")
        try:
            found = fingerprint(self.database, sql, self._limit)
        except QueryRefused as error:
            tried = replace(tried, outcome="refused", note=error.reason)
        except QueryTimedOut as error:
            tried = replace(tried, outcome="slower", note=str(error))
        except QueryError as error:
            tried = replace(tried, outcome="failed", note=error.message)
        else:
            tried = self._compared(tried, found, self.given)
        self.tried[sql] = tried
        return tried.outcome == "not measured"

    def _compared(
        self, tried: TriedForm, found: Fingerprint, wanted: Fingerprint, where: str = ""
    ) -> TriedForm:
        difference = wanted.differs(found, ordered=self.ordered)
        if difference:
            return replace(tried, outcome="another result", note=where + difference)
        return tried if where else replace(tried, seconds=found.seconds)

    def equal(self) -> list[TriedForm]:
        """The forms with an equal result so far, the fastest first."""
        found = [t for t in self.tried.values() if t.outcome in ("not measured", "faster")]
        return sorted(found, key=lambda t: t.seconds or 0.0)

    def check_on(self, copies: Sequence[Database]) -> None:
        """Hold the forms that are to be measured against the query on other data too."""
        for copy in copies:
            try:
                wanted = fingerprint(copy, self.sql, None)
            except QueryError:
                continue
            for tried in self.equal()[: 2 * _MEASURED]:
                try:
                    found = fingerprint(copy, tried.sql, 10 * self._limit)
                except QueryError as error:
                    self.tried[tried.sql] = replace(tried, outcome="failed", note=f"on fewer rows: {error}")
                else:
                    self.tried[tried.sql] = self._compared(tried, found, wanted, "on fewer rows: ")

    def measure(self) -> None:
        """Time the most promising forms; the best is measured again, lest it be the luckiest of several."""
        for tried in self.equal()[:_MEASURED]:
            self.tried[tried.sql] = self._timed(tried)
        while (best := self.best()) is not None:
            confirmed = self._timed(best)
            self.tried[best.sql] = confirmed
            if confirmed.outcome == "faster":
                return

    def _timed(self, tried: TriedForm) -> TriedForm:
        pair = self.given.seconds + (tried.seconds or 0.0)
        left = max(self._until - time.monotonic(), 0.0)
        most = min(MOST_ROUNDS, max(LEAST_ROUNDS, int(left / (2 * pair))))
        ratio = time_ratio(self.database, tried.sql, self.sql, most=most)
        return replace(tried, ratio=ratio, outcome="faster" if ratio.low > LEAST_GAIN else "not faster")

    def best(self) -> TriedForm | None:
        """The fastest by the lower end of its interval; of forms about as fast the one of fewest steps."""
        found = [t for t in self.tried.values() if t.outcome == "faster" and t.ratio]
        top = max((t.ratio.low for t in found if t.ratio), default=0.0)
        near = [t for t in found if t.ratio and t.ratio.value >= top]
        return min(near, key=lambda t: (len(t.by), -(t.ratio.value if t.ratio else 0.0)), default=None)


def _with_names(tree: exp.Query, columns: Sequence[str]) -> exp.Query:
    """The query with the names that its columns have now given to expressions, whose text may change."""
    if isinstance(tree, exp.Select) and len(tree.expressions) == len(columns):
        for item, name in zip(list(tree.expressions), columns, strict=True):
            if not isinstance(item, exp.Alias | exp.Column) and item.find(exp.Column):
                item.replace(exp.Alias(this=item.copy(), alias=exp.to_identifier(name, quoted=True)))
    return tree
