"""A database with functions of the owner's own and with secrets, for attacks that go for either."""

from tests.databases.guard.tables import CALLED, TABLES

SECRETS = ("SECRETPHONE", "TOPSECRET", "HiddenCarl", "OWNCALLED", "root:x:0:0", "SCRAM-SHA-256$")
"""What only hidden cells, functions of the owner's and the server's files hold."""
_PEOPLE = (
    "CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(50), country VARCHAR(5), phone VARCHAR(50))",
    "INSERT INTO people VALUES (1, 'Ann', 'FR', 'SECRETPHONE1'), (2, 'Bo', 'FR', 'SECRETPHONE2'),"
    " (3, 'HiddenCarl', 'DE', 'SECRETPHONE3')",
    "CREATE TABLE phones (phone VARCHAR(50), owner VARCHAR(20))",
    "INSERT INTO phones VALUES ('SECRETPHONE1', 'x1'), ('SECRETPHONE3', 'x3')",
    "CREATE TABLE payroll (id INTEGER, salary INTEGER, secret VARCHAR(50))",
    "INSERT INTO payroll VALUES (1, 777, 'TOPSECRETVALUE')",
    "CREATE VIEW payroll_view AS SELECT * FROM payroll",
    "CREATE VIEW all_people AS SELECT * FROM people",
    "CREATE INDEX by_phone ON people (phone)",
)
_NOTES = (
    "CREATE VIRTUAL TABLE notes USING fts5(id, body)",
    "INSERT INTO notes VALUES ('1', 'open words'), ('2', 'hiddenword SECRETPHONE9')",
)
RIGHTS = """[users.anna]
[[grants]]
to = ["anna"]
databases = ["*"]
tables = ["*"]
deny_tables = ["payroll", "payroll_view", "all_people"]
[grants.columns.people]
deny = ["phone"]
[grants.columns.phones]
deny = ["phone"]
[grants.rows]
people = "country = 'FR'"
"""
RIGHTS_OF_NOTES = '[grants.columns.notes]\ndeny = ["body"]\n'
"""Added on SQLite, which has full-text tables."""
GRANTED = {
    dialect: (*statements, *_PEOPLE, *(_NOTES if dialect == "sqlite" else ()))
    for dialect, statements in TABLES.items()
}

_BODY = f"LANGUAGE plpgsql VOLATILE AS $$ BEGIN RAISE EXCEPTION $t${CALLED}$t$; END $$"
_SIGNATURES = (
    *(
        "hit(text)",
        "row_to_json(kept)",
        "format(varchar)",
        "json_value(text, text)",
        "json_query(text, text)",
    ),
    *("json_exists(text, text)", "json(text)", "json_serialize(text)", "json_object(varchar)"),
    *("json_array(text)", "json_table(text, text)", "merge_action()", "lower(kept)", "system_user(text)"),
    *("step(text, text)", "step(text, kept)", "concatenated(kept, text)", "negative(kept)"),
)
_AGGREGATES = (
    "sum_own(text)",
    "max(kept)",
    "json_agg(kept)",
    "count(varchar)",
    "any_value(text)",
    "json_arrayagg(text)",
)
_POSTGRES = (
    *(f"CREATE FUNCTION public.{signature} RETURNS text {_BODY}" for signature in _SIGNATURES),
    *(f"CREATE AGGREGATE public.{name} (SFUNC = step, STYPE = text, INITCOND = '')" for name in _AGGREGATES),
    f"CREATE FUNCTION public.smaller(text, text) RETURNS bool {_BODY}",
    "CREATE OPERATOR public.<<< (LEFTARG = text, RIGHTARG = text, FUNCTION = smaller)",
    "CREATE OPERATOR public.@@@ (RIGHTARG = text, FUNCTION = hit)",
    "CREATE OPERATOR public.|| (LEFTARG = kept, RIGHTARG = text, FUNCTION = concatenated)",
    "CREATE OPERATOR public.- (RIGHTARG = kept, FUNCTION = negative)",
    "CREATE TYPE own_point AS (x int, y int)",
    f"CREATE FUNCTION public.to_point(varchar) RETURNS own_point {_BODY}",
    "CREATE CAST (varchar AS own_point) WITH FUNCTION to_point(varchar)",
    "CREATE TYPE own_range AS RANGE (subtype = text, multirange_type_name = own_multi)",
    f"CREATE PROCEDURE own_procedure() {_BODY.replace('VOLATILE ', '')}",
)
_MYSQL_NAMES = (
    *("own_one", "own_rows", "lower", "count", "sum", "json_value", "json_table", "json_exists"),
    *("nvl2", "to_char", "regexp_like", "lag", "if", "values"),
)
_MYSQL = (
    *(
        f"CREATE FUNCTION `{name}`(x TEXT) RETURNS TEXT RETURN concat('OWNCALLED', get_lock('own', 0))"
        for name in _MYSQL_NAMES
    ),
    "CREATE AGGREGATE FUNCTION own_total(x INT) RETURNS TEXT BEGIN"
    " DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN concat('OWNCALLED', get_lock('own', 0));"
    " LOOP FETCH GROUP NEXT ROW; END LOOP; END",
    "CREATE PROCEDURE own_proc() DELETE FROM kept",
    "CREATE SEQUENCE own_seq",
)
_DUCKDB = (
    "CREATE MACRO own_secret() AS 'OWNCALLED'",
    "CREATE MACRO own_one(x) AS 'OWNCALLED'",
    "CREATE MACRO own_table(x) AS TABLE SELECT 'OWNCALLED' AS a",
    "CREATE MACRO lower(x, y) AS 'OWNCALLED'",
    "CREATE MACRO abs(x, y) AS 'OWNCALLED'",
    "CREATE MACRO own_agg(x) AS sum(x)",
    "CREATE SEQUENCE own_seq",
    "CREATE TYPE own_enum AS ENUM ('a')",
)
_SQLITE = (
    "CREATE VIRTUAL TABLE vocab USING fts5vocab('words', 'row')",
    "CREATE VIEW writable_view AS SELECT 1 AS a",
    "CREATE VIEW evil_view AS SELECT load_extension('/tmp/x') AS a",
)
_OWN = {"postgres": _POSTGRES, "mysql": _MYSQL, "duckdb": _DUCKDB, "sqlite": _SQLITE}
OWNED = {dialect: (*statements, *_OWN[dialect]) for dialect, statements in GRANTED.items()}
