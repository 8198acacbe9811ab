"""Runs: one method x model x benchmark, asked, judged and stored question by question.

Nothing is imported here: the processes that judge load this package too, and need little of it.
"""
