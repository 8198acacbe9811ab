"""DuckDB's own progress bar, which would draw over that of Fathom."""

import contextlib

import duckdb


def hide_progress_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Switch it off, where it can be on."""
    # In a notebook without ipywidgets DuckDB has none, and refuses to hear of it.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
