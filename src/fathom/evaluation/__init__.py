"""Measuring: comparisons, metrics, statistics, the runner and its store."""
