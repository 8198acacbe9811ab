"""Responses held against each other by their results: on the database, and on changed copies of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fathom.authoring.annotation.records import Execution, PairVerdict, Project, ReviewItem
from fathom.authoring.annotation.workbench import RanQuery, Workbench
from fathom.benchmarks.sql_text import without_semicolon
from fathom.databases import Database
from fathom.errors import QueryError
from fathom.evaluation.comparisons import ComparedTable, Comparison, ComparisonCase, Verdict, load_comparison


@dataclass(frozen=True, slots=True)
class Held:
    """The queries of one response, each as it ran everywhere; of gold the response is None."""

    response: int | None
    ran: Sequence[Sequence[RanQuery]]

    def executions(self, state: str) -> Iterator[Execution]:
        """Give a record of each run query."""
        for part, runs in enumerate(self.ran):
            for one in runs:
                yield one.as_execution(part, state)


@dataclass(frozen=True)
class Equality:
    """Holds responses to one item against each other by the project's comparison."""

    bench: Workbench
    project: Project
    item: ReviewItem

    @cached_property
    def database(self) -> Database:
        """The item's database."""
        return self.bench.database(self.project, self.item.database)

    @cached_property
    def _comparison(self) -> Comparison:
        return load_comparison(self.project.comparison)

    def held(self, response: int | None, queries: Sequence[str]) -> Held:
        """Run the queries of a response everywhere."""
        return Held(response, [self.bench.everywhere(self.database, sql) for sql in queries])

    def compared(self, left: Held, right: Held) -> list[PairVerdict]:
        """How two queries compare: on the database, and on each copy on which both were run."""
        places = (self.database, *self.bench.copies(self.database))
        return [
            self._pair(left, right, self._verdict(places[mine.copy], mine, yours), mine.copy)
            for mine, yours in zip(left.ran[0], right.ran[0], strict=False)
        ]

    def same_readings(self, left: Held, right: Held) -> list[PairVerdict]:
        """Compare the readings of two responses on the database: does each have an equal one in the
        other?"""
        mine = all(self._is_among(runs[0], right) for runs in left.ran)
        yours = all(self._is_among(runs[0], left) for runs in right.ran)
        if mine and yours and len(left.ran) == len(right.ran):
            return [self._pair(left, right, (True, "exact", ""))]
        return [self._pair(left, right, (False, "different", "the readings differ"))]

    def of_stances(self, left: int, right: int, mine: str, yours: str) -> PairVerdict:
        """How responses compare that aren't both queries: one says that there is no answer, or several."""
        note = mine if mine == yours else f"{mine} and {yours}"
        kind = "exact" if mine == yours else "different"
        return PairVerdict(left, right, 0, self.project.comparison, mine == yours, kind, note)

    def _is_among(self, one: RanQuery, others: Held) -> bool:
        return any(self._verdict(self.database, one, runs[0])[0] for runs in others.ran)

    def _pair(self, left: Held, right: Held, found: tuple[bool, str, str], copy: int = 0) -> PairVerdict:
        equal, kind, note = found
        return PairVerdict(
            left.response or 0, right.response, copy, self.project.comparison, equal, kind, note
        )

    def _verdict(self, database: Database, mine: RanQuery, yours: RanQuery) -> tuple[bool, str, str]:
        """Compare two queries, taking either for gold: are they equal, and if not, of what kind and why."""
        if mine.table is None or yours.table is None:
            return False, "error", mine.error or yours.error
        if without_semicolon(mine.sql) == without_semicolon(yours.sql):
            return True, "exact", "the same text"
        try:
            first = self._compare(database, mine, yours)
            second = self._compare(database, yours, mine)
        except QueryError as error:  # while a result too large to hold was read again
            return False, "error", str(error)
        equal = first.correct and second.correct
        kind = first.kind if equal or not first.correct else second.kind
        note = "both are empty" if first.vacuous else first.note or second.note
        return equal, kind, note

    def _compare(self, database: Database, one: RanQuery, gold: RanQuery) -> Verdict:
        def run_gold(sql: str) -> ComparedTable | None:
            return self.bench.ran(database, sql).table

        assert one.table is not None
        assert gold.table is not None
        case = ComparisonCase(gold.sql, self.item.question, (), database.dialect, run_gold)
        return self._comparison.compare(one.table, gold.table, case)


def classes(responses: Sequence[int], verdicts: Sequence[PairVerdict]) -> list[list[int]]:
    """The responses in classes of equal ones, the largest class first; equal means on every copy."""
    differing = {frozenset((v.left, v.right)) for v in verdicts if not v.equal}
    held = {frozenset((v.left, v.right)) for v in verdicts}
    found: list[list[int]] = []
    for response in responses:
        for group in found:
            pairs = [frozenset((response, other)) for other in group]
            if all(pair in held and pair not in differing for pair in pairs):
                group.append(response)
                break
        else:
            found.append([response])
    return sorted(found, key=len, reverse=True)
