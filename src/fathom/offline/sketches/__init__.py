"""Likely shapes of queries for a question, and what fills their slots."""
