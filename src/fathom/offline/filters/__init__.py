"""Filters that are read apart from a question: the rest is a plain question, whose query is filtered."""

from fathom.offline.filters.extract import Aside, said_apart

__all__ = ["Aside", "said_apart"]
