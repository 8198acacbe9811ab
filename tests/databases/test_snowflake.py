"""What Fathom's client does with Snowflake: names, limits, cancelling, what a role may do."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from snowflake.connector.errors import ProgrammingError

from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.databases.engine import Read
from fathom.databases.snowflake import Snowflake, SnowflakeSession
from fathom.errors import (
    AccountRefused,
    Cancelled,
    ConnectionFailed,
    QueryFailed,
    QueryRefused,
    QueryTimedOut,
)
from fathom.records import ForeignKey, Limits, Table
from fathom.watch import watching
from tests.databases.guard.test_guard import listed
from tests.databases.makers import Make, settings_in, snowflake_databases
from tests.databases.snowflake_account import Account
from tests.databases.suite import CANCELLED_WITHIN, NUMBERS, SHOP


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with snowflake_databases(tmp_path_factory.mktemp("snowflake")) as make:
        yield make


@pytest.fixture(scope="module")
def shop(make: Make) -> Database:
    return make(*SHOP, "CREATE TABLE numbers (id INTEGER, label VARCHAR(20))", *NUMBERS)


def test_names_in_capitals_are_shown_as_people_write_them(make: Make) -> None:
    odd = make('CREATE TABLE "Mixed" (id INTEGER, "Odd one" INTEGER)', 'INSERT INTO "Mixed" VALUES (1, 2)')
    assert odd.schema.table("mixed").columns[0].name == "id"
    assert odd.identifier("Mixed", "id") == '"Mixed"."ID"'
    assert odd.identifier("Mixed", "Odd one") == '"Mixed"."Odd one"'
    assert list(odd.scan("Mixed")) == [[(1, 2)]]
    assert odd.run('SELECT id, "Odd one" FROM "Mixed"').columns == ("id", "Odd one")


def test_names_that_are_kept_in_small_letters_stay_in_quotes() -> None:
    engine = Snowflake("snowflake://u:p@account/shop/public")

    def read(sql: str, seconds: float | None = None) -> list[tuple[Any, ...]]:
        if "information_schema.columns" not in sql:
            return []
        of_table = ("NUMBER", 38, 0, "NO", None, "BASE TABLE", None)
        return [("PUBLIC", "kept", "small", *of_table), ("PUBLIC", "KEPT", "LARGE", *of_table)]

    answered: Read = read
    found = engine.reflect(answered)
    assert engine.quote("small") == '"small"'
    assert engine.quote("large") == '"LARGE"'
    assert {c.type for t in found.tables for c in t.columns} == {"INTEGER(38)"}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    made = Account()
    monkeypatch.setattr("snowflake.connector.connect", made.connect)
    return made


class Roles:
    """A connection that keeps what it is told, of an account with all of its roles at once."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.description, self.fails, self.session_id = [("N",)], "", 7

    def cursor(self) -> "Roles":
        """Itself, as a cursor too."""
        return self

    def execute(self, sql: str) -> "Roles":
        """Keep it."""
        if self.fails and self.fails in sql:
            raise ProgrammingError("insufficient privileges")
        self.told.append(sql)
        return self

    def fetchall(self) -> list[list[str]]:
        """The account's roles."""
        return [["READER", '{"roles":"A,B","value":"ALL"}']]

    def __enter__(self) -> "Roles":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""


def test_a_query_of_a_role_has_no_other_role_s_rights_and_leaves_none() -> None:
    connection = Roles()
    server = Snowflake("snowflake://reader:-@account/shop/public?statement_timeout=off")
    session = SnowflakeSession(connection, server)

    def run(role: str) -> list[str]:
        connection.told.clear()
        session.begin(Limits())
        if role:
            session.act_as(role)
        session.execute("SELECT 1")
        session.finish(complete=True)
        return list(connection.told)

    assert run("") == ["SELECT 1"]
    asked, *told = run('ANA"LYST')
    assert asked == "SELECT current_role(), current_secondary_roles()"
    assert told == ['USE ROLE "ANA""LYST"', "USE SECONDARY ROLES NONE", "SELECT 1"]
    assert run('ANA"LYST') == ["SELECT 1"]
    assert run("") == ['USE ROLE "READER"', "USE SECONDARY ROLES ALL", "SELECT 1"]
    connection.fails = "SECONDARY"
    with pytest.raises(ProgrammingError):
        run("ANALYST")
    connection.fails = ""
    assert run("") == ['USE ROLE "READER"', "USE SECONDARY ROLES ALL", "SELECT 1"]


@pytest.fixture
def answering(account: Account, tmp_path: Path) -> Iterator[Database]:
    """A database of an account that does what the emulator can't."""
    with connect("snowflake://reader:-@a/shop/public", settings=settings_in(tmp_path)) as database:
        account.sent.clear()
        yield database


def test_a_session_is_given_its_limit_of_time(account: Account, answering: Database) -> None:
    answering.run("SELECT 1", Limits(seconds=2.5))
    answering.run("SELECT 1", Limits(seconds=2.5))
    answering.run("SELECT 1", Limits(seconds=None))
    assert [sql for _, sql in account.sent if sql != "SELECT 1"] == [
        "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 3",
        "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 0",
    ]


@pytest.mark.parametrize("silent", [False, True], ids=["answers", "silent"])
@pytest.mark.parametrize("why", ["a person", "the time"])
def test_what_is_stopped_is_cancelled_over_another_session(
    account: Account, answering: Database, why: str, silent: bool
) -> None:
    account.silent = silent
    cancellation = Cancellation()
    slow = "SELECT id FROM numbers"
    since = time.monotonic()
    if why == "a person":
        threading.Timer(0.3, cancellation.cancel).start()
    with pytest.raises(Cancelled if why == "a person" else QueryTimedOut):
        answering.run(slow, Limits(seconds=60 if why == "a person" else 0.3), cancellation)
    assert time.monotonic() - since < 0.3 + CANCELLED_WITHIN
    (working,) = (session for session, sql in account.sent if sql == slow)
    cancels = [(session, sql) for session, sql in account.sent if "CANCEL" in sql]
    assert {sql for _, sql in cancels} == {f"SELECT SYSTEM$CANCEL_ALL_QUERIES({working})"}
    assert working not in {session for session, _ in cancels}


def test_rows_that_nobody_wants_need_no_cancelling(account: Account, answering: Database) -> None:
    account.answers["FROM sale"] = [(n,) for n in range(20)]
    assert answering.run("SELECT id FROM sale", Limits(rows=10)).truncated == "rows"
    assert not [sql for _, sql in account.sent if "CANCEL" in sql]


def test_keys_are_those_that_the_manual_says_are_told(account: Account, answering: Database) -> None:
    when = datetime(2024, 2, 29, tzinfo=UTC)
    places = {name: ("SHOP", "PUBLIC", name) for name in ("TILL", "SALE")}
    rest = ("NOT DEFERRABLE", "false", None)
    column = ("NUMBER", 38, 0, "NO", None, "BASE TABLE", None)
    named = {"TILL": ("SHOP", "NUMBER", "CODE"), "SALE": ("TILL", "SHOP")}
    account.answers |= {
        "columns c": [("PUBLIC", table, name, *column) for table, names in named.items() for name in names],
        "PRIMARY KEYS": [
            (when, *places["TILL"], "SHOP", 1, "SYS_1", "false", None),
            (when, *places["TILL"], "NUMBER", 2, "SYS_1", "false", None),
        ],
        "UNIQUE KEYS": [(when, *places["TILL"], "CODE", 1, "SYS_2", "false", None)],
        "IMPORTED KEYS": [
            (
                when,
                *places["TILL"],
                pk,
                *places["SALE"],
                fk,
                i,
                "NO ACTION",
                "NO ACTION",
                "SYS_3",
                "SYS_1",
                *rest,
            )
            for i, pk, fk in ((1, "SHOP", "SHOP"), (2, "NUMBER", "TILL"))
        ],
    }
    assert len(answering.reflection.tables) == 2
    asked = [sql for _, sql in account.sent if not sql.startswith("ALTER SESSION")]
    place = 'IN SCHEMA "SHOP"."PUBLIC"'
    assert asked[1:4] == [f"SHOW {kind} KEYS {place}" for kind in ("PRIMARY", "UNIQUE", "IMPORTED")]
    assert 'FROM "SHOP".information_schema.columns' in asked[0]
    assert "c.table_schema = 'PUBLIC'" in asked[0]
    assert "t.row_count" in asked[4]
    assert len(asked) == 5
    schema = answering.schema
    till = schema.table("till")
    assert (till.primary_key, till.unique) == (("shop", "number"), (("code",),))
    assert schema.foreign_keys == (ForeignKey("sale", ("shop", "till"), "till", ("shop", "number")),)


def test_values_come_with_their_types(shop: Database) -> None:
    sql = """SELECT 1.50::NUMBER(5, 2), DATE '2024-02-29', '2024-02-29 10:30:00'::TIMESTAMP_NTZ, TRUE,
    2.5::FLOAT, 'it''s', NULL, 12345678901234567890"""
    (row,) = shop.run(sql).rows
    moment = datetime(2024, 2, 29, 10, 30)
    assert row == (Decimal("1.50"), moment.date(), moment, True, 2.5, "it's", None, 12345678901234567890)
    assert [type(v).__name__ for v in row[:4]] == ["Decimal", "date", "datetime", "bool"]
    product = shop.run("SELECT price, on_sale, added FROM product ORDER BY code").rows
    assert product == ((Decimal("9.50"), True, date(2024, 2, 29)), (Decimal("100.00"), False, None))


def test_an_error_comes_without_the_numbers_before_it(shop: Database) -> None:
    with pytest.raises(QueryFailed) as failed:
        shop.run("SELECT id FROM nowhere")
    assert not failed.value.message.startswith("00")


def test_a_role_that_may_write_is_told(shop: Database) -> None:
    grants = [
        (None, "SELECT", "TABLE", "KEPT"),
        (None, "INSERT", "TABLE", "KEPT"),
        (None, "USAGE", "SCHEMA", "S"),
    ]

    def risks(role: str) -> list[str]:
        def read(sql: str, seconds: float | None = None) -> list[tuple[Any, ...]]:
            return [(role,)] if "CURRENT_ROLE" in sql else list(grants)

        answered: Read = read
        return [risk.what for risk in shop._engine.account_risks(answered)]

    assert risks("SYSADMIN") == ["is an administrator (role SYSADMIN)"]
    assert risks("ANALYST") == ["may change tables (INSERT)"]
    grants[1:2] = []
    assert risks("ANALYST") == []


def test_a_role_whose_grants_can_not_be_read_is_refused_when_strict(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(sql: str, seconds: float | None = None, /) -> list[tuple[Any, ...]]:
        if "GRANTS" in sql:
            raise QueryFailed("Insufficient privileges", sql=sql)
        return [("ANALYST",)]

    monkeypatch.setattr(shop, "_read", read)
    shop.__dict__.pop("account_risks", None)
    try:
        with pytest.raises(AccountRefused, match=r"can't be read \(Insufficient.*CREATE ROLE reader"):
            shop.check_account(strict=True)
    finally:
        shop.__dict__.pop("account_risks", None)


def test_big_tables_are_sampled_by_the_server(shop: Database) -> None:
    sample = shop._engine.sample
    assert sample('"T"', Table("t", (), row_count=1_000_000), 1000).endswith("SAMPLE BERNOULLI (0.120000))")
    assert sample('"T"', Table("t", (), row_count=100_000_000), 1000).endswith("SAMPLE SYSTEM (0.001200))")
    sampled = sample(shop.identifier("numbers"), shop.schema.table("numbers"), 1000)
    assert 800 < shop._read(f"SELECT count(*) FROM {sampled} AS s")[0][0] < 1600


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("snowflake://u:p@account", "name the account and the database"),
        ("snowflake://u:s3cret-w0rd@127.0.0.1:1/d?account=a&protocol=http&login_timeout=1", r"u:\*\*\*@"),
    ],
)
def test_what_can_not_be_reached_is_said_without_its_secrets(url: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match=message) as failed:
        connect(url, settings=settings_in(tmp_path))
    assert "s3cret" not in str(failed.value)


def test_no_attack_reaches_the_server(shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(SnowflakeSession, "execute", lambda _, sql: sent.append(sql))
    for sql in listed("attacks", "snowflake"):
        with pytest.raises(QueryRefused):
            shop.run(sql)
    assert sent == []


def test_a_plan_tells_what_a_query_reads(shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    plan: list[tuple[Any, ...]] = [
        (None, None, None, "GlobalStats", None, None, None, 7, 3, 4_200_000),
        (1, 0, None, "Result", None, None, "NAME", None, None, None),
        (1, 1, [0], "TableScan", "KEPT", None, "NAME", 7, 3, 4_200_000),
    ]

    def read(sql: str, seconds: float | None = None, /) -> list[tuple[Any, ...]]:
        sent.append(sql)
        return plan

    monkeypatch.setattr(shop, "_read", read)  # the emulator has no plans
    assert shop.estimate("SELECT name FROM customer") == 4_200_000
    assert sent == ["EXPLAIN USING TABULAR SELECT name FROM customer"]
    monkeypatch.setattr(shop._engine, "budget", 4_000_000)
    with pytest.raises(QueryRefused, match=r"4\.2 MB, and a query may read 4\.0 MB"):
        shop.run("SELECT name FROM customer")
    monkeypatch.setattr(shop._engine, "budget", None)
    plan[0] = (*plan[0][:-1], 4_200_000_000)
    heard: list[str] = []
    with watching(lambda event: heard.append(event.text), "running"):
        shop.run("SELECT name FROM customer")
    assert "the query reads 4.2 GB" in heard
    del plan[0]
    assert shop.estimate("SELECT name FROM customer") is None
