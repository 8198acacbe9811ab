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
CALLED = "the owner's function was called"
# Functions of the owner's that tell when something calls them.
_MARKED = tuple(
    f"CREATE FUNCTION {name} RETURNS int VOLATILE LANGUAGE plpgsql AS"
    f" $$ BEGIN RAISE EXCEPTION $t${CALLED}$t$; END $$"
    for name in ("marked(text)", "marked(numeric)", "marked_row(kept)", "marked_any(anyelement)")
)
_DBLINK = """DO $$ BEGIN IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'dblink')
THEN CREATE EXTENSION dblink; END IF; END $$"""
TABLES = {
    "sqlite": (
        *COMMON,
        "CREATE TABLE docs (doc TEXT)",
        _DOC,
        "CREATE VIRTUAL TABLE words USING fts5(body)",
        _BODY,
        "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
        "INSERT INTO boxes VALUES (1, 0.5, 1.5), (2, 3, 4)",
    ),
    "duckdb": (*COMMON, "CREATE TABLE docs (doc JSON)", _DOC, "CREATE TABLE words (body TEXT)", _BODY),
    "postgres": (
        *COMMON,
        "CREATE TABLE docs (doc JSONB)",
        _DOC,
        "CREATE TABLE words (body TEXT)",
        _BODY,
        *_MARKED,
        "CREATE SEQUENCE s",
        _DBLINK,
    ),
    "mysql": (
        *COMMON,
        "CREATE TABLE docs (doc JSON)",
        _DOC,
        "CREATE TABLE words (body TEXT, FULLTEXT (body))",
        _BODY,
        "CREATE TABLE parted (id INTEGER) PARTITION BY RANGE (id)"
        " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
        "INSERT INTO parted VALUES (1), (2), (11)",
    ),
}
