"""`bird`: the sets of row tuples are equal (docs/comparisons.md)."""

from dataclasses import dataclass

from fathom.evaluation.comparisons.digests import same_sets
from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase, distinct
from fathom.evaluation.comparisons.verdict import Verdict, yes_or_no


@dataclass(frozen=True, slots=True)
class Bird:
    """Row order and duplicates don't matter, column order does; values compare as Python compares them.

    `cleaned` is NL2SQLBench's variant, which rewrites predictions, not gold, before it runs them.
    """

    name: str = "bird"
    cleaned: bool = False

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as it is run."""
        return sql.replace("\n", " ").replace('"', "'").strip("`.") if self.cleaned else sql

    def gold_sql(self, sql: str) -> str:
        """The gold query as it is run."""
        return sql

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """Compare the two sets of rows; they must be equal."""
        if predicted.complete and gold.complete:
            same = distinct(predicted.held) == distinct(gold.held)
        else:
            same = same_sets(predicted, gold)
        return yes_or_no(same, vacuous=not gold.held)
