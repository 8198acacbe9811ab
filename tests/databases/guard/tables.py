"""The tables that the guard's test queries ask, for every engine."""

COMMON = (
    "CREATE TABLE kept (id INTEGER PRIMARY KEY, name VARCHAR(50), parent INTEGER)",
    "CREATE TABLE sales (kept_id INTEGER, amount FLOAT, day DATE)",
    "CREATE INDEX by_name ON kept (name)",
    "INSERT INTO kept VALUES (1, 'Ann', NULL), (2, 'Bo', 1), (3, 'Cy', 1)",
    "INSERT INTO sales VALUES (1, 1.5, '2024-01-31'), (1, 4, '2024-02-29'), (2, 2, '2024-03-01')",
    "CREATE TABLE crowd (n INTEGER)",
    "INSERT INTO crowd VALUES " + ", ".join(f"({n})" for n in range(200)),
    "CREATE VIEW few AS SELECT id, name FROM kept",
)
_DOC = """INSERT INTO docs VALUES ('{"a": 1, "b": [1, 2]}')"""
_BODY = "INSERT INTO words VALUES ('the heart of the matter'), ('lung and heart'), ('nothing')"
TABLES = {
    "sqlite": (
        *COMMON,
        "CREATE TABLE docs (doc TEXT)",
        _DOC,
        "CREATE VIRTUAL TABLE words USING fts5(body)",
        _BODY,
    ),
    "duckdb": (*COMMON, "CREATE TABLE docs (doc JSON)", _DOC, "CREATE TABLE words (body TEXT)", _BODY),
    "postgres": (*COMMON, "CREATE TABLE docs (doc JSONB)", _DOC, "CREATE TABLE words (body TEXT)", _BODY),
    "mysql": (
        *COMMON,
        "CREATE TABLE docs (doc JSON)",
        _DOC,
        "CREATE TABLE words (body TEXT, FULLTEXT (body))",
        _BODY,
    ),
}
