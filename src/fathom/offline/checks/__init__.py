"""Checks of a query against its question, and the objections to it."""
