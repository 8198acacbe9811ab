"""How people who ask one database put things, learned from its solved questions at the first question."""

from fathom.offline.habits.habits import FEWEST, Habits, Likely

__all__ = ["FEWEST", "Habits", "Likely"]
