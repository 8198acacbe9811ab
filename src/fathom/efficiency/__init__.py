"""Faster queries with the same result, and indexes that measurably help: proposed, never applied."""

from fathom.efficiency.rewriting import Rewriting, Tried, rewrite

__all__ = ["Rewriting", "Tried", "rewrite"]
