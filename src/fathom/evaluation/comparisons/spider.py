"""`spider`: the test-suite protocol's comparison of executed queries (docs/comparisons.md)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fathom.benchmarks.sql_text import pieces, without_keyword
from fathom.evaluation.comparisons.digests import same_bags, same_number
from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase, Row, hashable
from fathom.evaluation.comparisons.verdict import Verdict, yes_or_no

_THIS_YEAR = ("year", "(", "curdate", "(", ")", ")")


@dataclass(frozen=True, slots=True)
class Spider:
    """Some permutation of the predicted columns makes the bags of rows equal; lists where gold orders.

    `keep_distinct` leaves DISTINCT in the queries. `reference` reproduces two faults of the reference:
    in predictions the letters `value` become `1`, and rows whose values sort differently as text are
    rejected although they are equal, such as (1, 10) and (1.0, 10).
    """

    name: str = "spider"
    keep_distinct: bool = False
    reference: bool = False
    test_suite: ClassVar[bool] = True  # a query must be right on every database file of the folder

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as it is run."""
        return self.gold_sql(sql.replace("value", "1") if self.reference else sql)

    def gold_sql(self, sql: str) -> str:
        """The gold query as it is run: operators closed up, DISTINCT removed, the current year fixed."""
        for torn, whole in (("> =", ">="), ("< =", "<="), ("! =", "!=")):
            sql = sql.replace(torn, whole)
        lowered = sql.lower()
        if not self.keep_distinct and "distinct" in lowered:
            sql = without_keyword(sql, "distinct")
        return _fixed_year(sql) if "curdate" in lowered else sql

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """Compare the rows. Order counts where the gold text holds `order by` anywhere."""
        ordered = "order by" in case.gold_sql.lower()
        if not (predicted.complete and gold.complete):
            fits = predicted.width == gold.width and same_number(predicted, gold)
            return yes_or_no(fits and same_bags(predicted, gold, ordered=ordered))
        same = self._same(predicted, gold, ordered=ordered)
        note = self._note(predicted, gold, case, same) if ordered else ""
        return yes_or_no(same, vacuous=not gold.held, note=note)

    def _same(self, predicted: ComparedTable, gold: ComparedTable, *, ordered: bool) -> bool:
        ours, theirs = hashable(predicted.held), hashable(gold.held)
        if not ours and not theirs:
            return True
        if len(ours) != len(theirs) or predicted.width != gold.width:
            return False
        if ours == theirs:
            return True
        if self.reference and not _as_text_alike(ours, theirs, ordered):
            return False
        return same_under_permutation(ours, theirs, ordered=ordered)

    def _note(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase, same: bool) -> str:
        """Note a difference to the intended reading: only the outermost query orders a result."""
        if same or len(gold.held) < 2 or not self._same(predicted, gold, ordered=False):
            return ""
        from fathom.evaluation.comparisons.order import orders_result  # noqa: PLC0415 - parser, only here

        if orders_result(case.gold_sql, case.dialect):
            return ""
        return "right as meant: 'order by' stands only inside the gold query, which doesn't order its result"


def _fixed_year(sql: str) -> str:
    kept: list[str] = []
    for piece in pieces(sql):
        kept.append(piece)
        code = [(i, p.lower()) for i, p in enumerate(kept[-12:]) if not p.isspace()]
        if tuple(p for _, p in code[-len(_THIS_YEAR) :]) == _THIS_YEAR:
            start = max(len(kept) - 12, 0) + code[-len(_THIS_YEAR)][0]
            kept[start:] = ["2020"]
    return "".join(kept)


def _as_text_alike(ours: Sequence[Row], theirs: Sequence[Row], ordered: bool) -> bool:
    """The reference's first rejection: each row's values sorted by text and type name."""
    first, second = (
        [tuple(sorted(row, key=lambda v: str(v) + str(type(v)))) for row in rows] for rows in (ours, theirs)
    )
    return first == second if ordered else set(first) == set(second)


def same_under_permutation(ours: Sequence[Row], theirs: Sequence[Row], *, ordered: bool) -> bool:
    """True if the columns of `ours` can be arranged so that the rows are those of `theirs`.

    Both hold as many rows, at least one, of as many hashable values.
    """
    mine, yours = list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))
    if ordered:
        return Counter(mine) == Counter(yours)
    bags = [Counter(column) for column in mine]
    fitting = [[i for i, bag in enumerate(bags) if bag == Counter(column)] for column in yours]
    return all(fitting) and next(_arrangements(mine, yours, fitting), None) is not None


def _arrangements(
    mine: Sequence[Row], yours: Sequence[Row], fitting: Sequence[Sequence[int]], chosen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Permutations under which the rows agree as bags; one that fails early goes no further."""
    depth = len(chosen)
    if depth == len(yours):
        yield chosen
        return
    tried: list[Any] = []
    for column in fitting[depth]:
        if column in chosen or mine[column] in tried:
            continue
        tried.append(mine[column])
        taken = (*chosen, column)
        if Counter(zip(*(mine[c] for c in taken), strict=True)) == Counter(
            zip(*yours[: depth + 1], strict=True)
        ):
            yield from _arrangements(mine, yours, fitting, taken)
