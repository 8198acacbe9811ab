"""Thin ways in: they parse, call the public API and print; nothing else in the package prints."""
