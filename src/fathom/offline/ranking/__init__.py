"""Ranks candidate queries, and says how sure it is of the best."""
