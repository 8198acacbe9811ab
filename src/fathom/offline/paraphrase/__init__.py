"""Puts a question into the words that the weights know, and into what a database calls things."""
