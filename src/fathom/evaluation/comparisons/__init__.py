"""The comparisons: a predicted result against a gold one gives a verdict (docs/metrics.md)."""

from importlib import import_module
from typing import Protocol

from fathom.evaluation.comparisons.table import ComparedTable, ComparisonCase
from fathom.evaluation.comparisons.verdict import Verdict, VerdictKind, best

__all__ = [
    "NAMES",
    "ComparedTable",
    "Comparison",
    "ComparisonCase",
    "Verdict",
    "VerdictKind",
    "best",
    "load_comparison",
]

# Looked up here first, without a search through entry points: scoring counts its start-up time.
_BUILT_IN = {
    "bird": ("bird", "Bird", {}),
    "nl2sqlbench": ("bird", "Bird", {"name": "nl2sqlbench", "cleaned": True}),
    "spider": ("spider", "Spider", {}),
    "test-suite": ("spider", "Spider", {"name": "test-suite", "reference": True}),
    "spider-keep-distinct": ("spider", "Spider", {"name": "spider-keep-distinct", "keep_distinct": True}),
    "sql_eval": ("sql_eval", "SqlEval", {}),
    "sql-eval-reference": ("sql_eval", "SqlEval", {"name": "sql-eval-reference", "reference": True}),
    "biomedsql": ("biomedsql", "BiomedSql", {}),
    "semantic": ("semantic", "Semantic", {}),
}
NAMES = tuple(_BUILT_IN)


class Comparison(Protocol):
    """Judges results; values of its class pickle, so that any executor can take them along."""

    @property
    def name(self) -> str:
        """The name that figures are printed with."""

    def predicted_sql(self, sql: str) -> str:
        """The predicted query as this protocol runs it."""

    def gold_sql(self, sql: str) -> str:
        """The gold query as this protocol runs it."""

    def compare(self, predicted: ComparedTable, gold: ComparedTable, case: ComparisonCase) -> Verdict:
        """The verdict on two results of queries that ran."""


def load_comparison(name: str) -> Comparison:
    """The comparison of that name, built in or registered as `fathom.comparisons`. Raises `UnknownName`."""
    if name not in _BUILT_IN:
        return _registered(name)
    module, attribute, options = _BUILT_IN[name]
    made: Comparison = getattr(import_module(f"{__name__}.{module}"), attribute)(**options)
    return made


def _registered(name: str) -> Comparison:
    from fathom import registry
    from fathom.errors import UnknownName

    if name in registry.names("comparisons"):
        found: Comparison = registry.load("comparisons", name)
        return found
    raise UnknownName("comparison", name, (*NAMES, *registry.names("comparisons")))
