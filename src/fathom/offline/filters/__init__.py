"""Filters that are read apart from a question: the rest is a plain question, whose query is filtered."""

from fathom.offline.filters.extract import said_apart
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.records import Aside
from fathom.offline.filters.rules import FILTERS, FilterRule

__all__ = ["FILTERS", "Aside", "FilterReading", "FilterRule", "said_apart"]
