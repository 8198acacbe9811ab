"""An engine's plan for a query: how to ask for it, and its rows as lines of text."""

from collections.abc import Mapping

from fathom.records import Result

_ASKED: Mapping[str, str] = {
    "sqlite": "EXPLAIN QUERY PLAN",
    "snowflake": "EXPLAIN USING TEXT",
    **dict.fromkeys(("duckdb", "postgres", "mysql", "trino", "spark", "databricks"), "EXPLAIN"),
}
MOST_LETTERS = 20_000


def plan_query(sql: str, dialect: str) -> str:
    """The statement that gives an engine's plan for a query without running it; "" where it has none."""
    word = _ASKED.get(dialect, "")
    return f"{word} {sql}" if word else ""


def plan_in_lines(result: Result, dialect: str) -> str:
    """The plan that such a statement gave, as text of several lines."""
    if dialect == "sqlite":
        lines = _nested(result)
    elif dialect == "duckdb":
        lines = [str(row[-1]) for row in result.rows]
    elif len(result.columns) == 1:
        lines = [str(cell) for (cell,) in result.rows]
    else:
        named = [zip(result.columns, row, strict=True) for row in result.rows]
        lines = [", ".join(f"{name} {cell}" for name, cell in row if cell not in (None, "")) for row in named]
    return "\n".join(lines)[:MOST_LETTERS]


def _nested(result: Result) -> list[str]:
    """SQLite's steps, each further in than the one that it belongs to."""
    depth = {0: -1}
    lines = []
    for id_, parent, _, detail in result.rows:
        depth[id_] = depth.get(parent, -1) + 1
        lines.append(f"{'  ' * depth[id_]}{detail}")
    return lines
