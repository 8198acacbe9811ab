"""Faster queries with the same result, and indexes that measurably help: proposed, never applied."""

from fathom.efficiency.indexes import Advice, Suggestion, suggest_indexes
from fathom.efficiency.rewriting import Rewriting, TriedForm, rewrite

__all__ = ["Advice", "Rewriting", "Suggestion", "TriedForm", "rewrite", "suggest_indexes"]
