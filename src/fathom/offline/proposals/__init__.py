"""Candidate queries for a question, each with the scores it was made by."""
