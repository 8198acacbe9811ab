"""What the tree that the guard judges lacks of the text is refused, in whichever dialect it is dropped."""

import pytest
from sqlglot import exp
from tests.sampling import Sample

from fathom.databases.guard import check, check_size
from fathom.databases.guard.words import names_of
from fathom.errors import QueryRefused

DIALECTS = ("postgres", "duckdb", "mysql", "spark", "databricks", "trino", "bigquery", "snowflake")
ARGUMENTS = ("", "a, ", "a, 'x', ", "a, b, c, ", "'day', a, b, 1, ", "a, b, c, d, e, f, ")
HIDDEN = ("(SELECT secret FROM payroll)", "upper(secret)", "CASE WHEN secret IS NULL THEN 1 END", "secret")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_argument_is_in_the_tree_or_is_refused(dialect: str, sample: Sample) -> None:
    hidden, passed = [], 0
    for name in sample.of(sorted(names_of(dialect).functions), 0.15, dialect):
        for arguments in ARGUMENTS:
            for last in sample.of(HIDDEN, 0.5, f"{name} {arguments}"):
                sql = f"SELECT {name}({arguments}{last}) FROM kept"
                try:
                    tree = check(sql, dialect)
                except QueryRefused:
                    continue
                passed += 1
                named = {node.name.casefold() for node in tree.find_all(exp.Identifier, exp.Var)}
                if "secret" not in named:
                    hidden.append(sql)
    assert hidden == []
    assert passed > 50


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_bomb_is_refused_behind_whatever_a_call_takes(dialect: str, sample: Sample) -> None:
    bomb = {"duckdb": "repeat('x', 1000000000)", "trino": "sequence(1, 1000000000)"}.get(
        dialect, "rpad('x', 1000000000, 'y')"
    )
    for name in sample.of(sorted(names_of(dialect).functions), 0.15, dialect):
        for arguments in ARGUMENTS:
            with pytest.raises(QueryRefused):
                check(f"SELECT {name}({arguments}{bomb}) FROM kept", dialect)


DROPPED = [
    ("mysql", "SELECT date_format(day, '%M', {}) FROM kept"),
    ("trino", "SELECT date_format(day, '%M', {}) FROM kept"),
    ("spark", "SELECT date_format(day, 'MM', {}) FROM kept"),
    ("snowflake", "SELECT to_date(day, 'YYYY', {}) FROM kept"),
    ("bigquery", "SELECT json_value(day, '$.a', {}) FROM kept"),
    ("postgres", "SELECT to_char(day, 'YYYY', {}) FROM kept"),
    ("duckdb", "SELECT strftime(day, '%Y', {}) FROM kept"),
]


@pytest.mark.parametrize(("dialect", "sql"), DROPPED)
@pytest.mark.parametrize("last", ["'x'", "7", "hidden", "random()", "'%M'", "lower(NULL)", "(SELECT 1)"])
def test_a_word_that_is_dropped_is_refused(dialect: str, sql: str, last: str) -> None:
    check(sql.replace(", {}", ""), dialect)
    with pytest.raises(QueryRefused):
        check(sql.format(last), dialect)


@pytest.mark.parametrize(
    "sql",
    [
        # The parser writes what it is given twice, or numbers of its own; none of them answers for another.
        "SELECT div0(1, 1000000000), to_date(a, 'x', cast(NULL AS varchar(1000000000))) FROM t",
        "SELECT div0(a, b), to_date(a, 'x', 0) FROM t",
        "SELECT nullifzero(INTERVAL '1000000000 days'), to_date(a, 'x', INTERVAL '1000000000 days') FROM t",
        "SELECT nullifzero(to_char(5, '@s/x')), to_date(a, 'x', (SELECT * FROM '@s/x')) FROM t",
        "SELECT a, to_date(a, 'x', a) FROM t",
        "SELECT date_trunc('month', a), to_date(a, 'x', 'month') FROM t",
    ],
)
def test_a_word_answers_for_no_other_of_its_spelling(sql: str) -> None:
    with pytest.raises(QueryRefused, match="isn't read where it stands"):
        check(sql, "snowflake")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        # A column to the server; to sqlglot a part of a date, a type or its size, a word, a text, a number.
        ("duckdb", "SELECT date_trunc({}, day) FROM t"),
        ("duckdb", 'SELECT a FROM t ORDER BY "ALL", {}'),
        ("duckdb", "PIVOT t ON a IN (1) USING sum(b) GROUP BY '{}'"),
        ("mysql", "SELECT last_day(a, {}) FROM t"),
        ("mysql", "SELECT last_day(a, day) FROM t"),
        ("mysql", "SELECT timestampadd({}, 1, a) FROM t"),
        ("mysql", "SELECT JSON 'x', {} FROM t"),
        ("mysql", "SELECT BINARY ({})'x' FROM t"),
        ("mysql", "SELECT any {} FROM t"),
        ("sqlite", "SELECT date '2024-01-31', {} FROM t"),
        ("sqlite", "SELECT CAST(a AS varchar({})) FROM t"),
        ("sqlite", "SELECT t.'{}' FROM t"),
        ("trino", "SELECT date_trunc('day', a), last_day_of_month(a, {}) FROM t"),
        ("spark", "SELECT trunc(a, {}) FROM t"),
        ("bigquery", "SELECT date_trunc(a, {}) FROM t"),
        ("bigquery", "SELECT date_trunc(a, `month`), {} FROM t"),
        ("snowflake", "SELECT last_day(a, {}) FROM t"),
        ("snowflake", 'SELECT date_trunc("month", a), {} FROM t'),
        ("snowflake", "SELECT t.5, {} FROM t"),
    ],
)
def test_a_column_that_the_parser_takes_for_no_column_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql.format("secret"), dialect)
    assert refused.value.rule in ("syntax", "quoting")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT date '2024-01-31', BINARY 'a', timestampdiff(day, a, b) FROM t"),
        ("mysql", "SELECT extract(year_month FROM a), a = ANY (SELECT 1), 2fa, 0x41, .5 FROM t"),
        ("mysql", "SELECT a COLLATE latin1_bin, convert(a USING utf8mb4) FROM t"),
        ("bigquery", "SELECT date_trunc(a, week(monday)), date_diff(a, b, month) FROM t"),
        ("snowflake", 'SELECT dateadd(d, 1, a), last_day(a, month), j:a."odd name" FROM t'),
        ("duckdb", "SELECT date_trunc('month', a), extract(dow FROM a), current_date FROM t"),
        ("duckdb", "SELECT [x for x in l if x > 1] FROM t"),
        ("trino", "SELECT a + INTERVAL '1' day FROM t TABLESAMPLE BERNOULLI (10)"),
        ("sqlite", "SELECT date, t.date, a COLLATE nocase, CAST(a AS varchar(5)) FROM t"),
    ],
)
def test_words_that_are_no_columns_pass(dialect: str, sql: str) -> None:
    check(sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT tags[1], tags[-1], tags[1:2], list_sort(tags, 'DESC', 'NULLS LAST') FROM t"),
        ("duckdb", "SELECT lower(hex(a)), date_trunc('month', d), doc -> 'b' -> 0 ->> '$.a[0]' FROM t"),
        (
            "postgres",
            "SELECT a['b'][0], to_char(d, 'IYYY-IW'), 1 OPERATOR(pg_catalog.+) 2",
        ),
        ("mysql", "SELECT upper(hex(a)), .5, d + INTERVAL 90 MINUTE, date_format(d, '%x-W%v') FROM t"),
        ("trino", "SELECT to_char(d, 'yyyy-mm-dd'), split(a, '@')[2], lower(to_hex(a)) FROM t"),
        ("bigquery", "SELECT name FROM my-own-project.shop.kept"),
        ("bigquery", "SELECT NET.HOST(a), SAFE.PARSE_DATE('%Y', a), lower(to_hex(md5(a))) FROM t"),
        ("snowflake", "SELECT date_part('dow', d), doc:a.b[0] FROM TABLE(GENERATOR(ROWCOUNT => 31)) v"),
        ("spark", "SELECT first(a, true), a RLIKE 'x' FROM t LATERAL VIEW explode(b) u AS c"),
    ],
)
def test_other_spellings_are_known(dialect: str, sql: str) -> None:
    check(sql, dialect)


def test_a_word_of_the_grammar_is_none_where_a_column_stands() -> None:
    check("SELECT a FROM t UNION ALL BY NAME SELECT a FROM u", "snowflake")
    for column in ("name", "-name", "name || name"):
        with pytest.raises(QueryRefused, match="name"):
            check(f"SELECT to_date(a, 'x', {column}) FROM t", "snowflake")


def test_sizes_are_judged_of_the_whole_text_on_sqlite() -> None:
    check_size("SELECT strftime('%Y', d), printf('%d', 1) FROM t", "sqlite")
    with pytest.raises(QueryRefused, match="zeroblob"):
        check_size("SELECT log10(a, zeroblob(1000000000)) FROM t", "sqlite")
