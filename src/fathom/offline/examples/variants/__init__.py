"""How people who ask one database put things, learned from its solved questions at the first question."""

from fathom.offline.examples.variants.evidence import FEWEST, Habits, Likely

__all__ = ["FEWEST", "Habits", "Likely"]
