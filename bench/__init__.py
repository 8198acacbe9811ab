"""Measurements: what docs/figures.md reports, and how to measure it again."""
