"""What Fathom's client says to a Trino server: limits, cancelling, who asks, and how few questions."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from fathom.cancellation import Cancellation, current_cancellation
from fathom.databases import Database, connect
from fathom.databases.engine import Read, Row
from fathom.databases.trino import Trino
from fathom.errors import (
    AccountRefused,
    AccountWarning,
    Cancelled,
    ConnectionFailed,
    QueryError,
    QueryFailed,
    QueryRefused,
    QueryTimedOut,
    RightsError,
)
from fathom.records import Limits, Table
from fathom.rights import Granted
from fathom.watch import Event, watching
from tests.databases.guard.test_guard import listed
from tests.databases.makers import Make, settings_in, trino_databases
from tests.databases.suite import CANCELLED_WITHIN, MANY, NUMBERS, SHOP, SLOW
from tests.databases.trino_stub import Stub, serving
from tests.rights.world import GRANT, WHOLE

GREETING = "SELECT 1"
"""With which a new session asks if the server is there."""


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with serving() as stub:
        yield stub


@pytest.fixture(scope="module")
def make(stub: Stub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with trino_databases(tmp_path_factory.mktemp("trino"), stub) as make:
        yield make


@pytest.fixture(scope="module")
def numbers(make: Make) -> Database:
    return make("CREATE TABLE numbers (id INTEGER, label VARCHAR)", *NUMBERS)


def said_of(stub: Stub, sql: str) -> dict[str, str]:
    return next(headers for text, headers in reversed(stub.said) if text == sql)


def test_a_query_says_who_asks_and_how_long_it_may_take(stub: Stub, numbers: Database) -> None:
    numbers.run("SELECT 41 + 1", Limits(seconds=7.5))
    said = said_of(stub, "SELECT 41 + 1")
    assert said["x-trino-user"] == "reader"
    assert said["x-trino-source"] == "fathom"
    assert said["x-trino-schema"] == "main"
    assert unquote(said["x-trino-session"]) == "query_max_run_time=7.500s"


def test_session_properties_and_the_role_come_from_the_url(
    stub: Stub, numbers: Database, tmp_path: Path
) -> None:
    url = f"{numbers.url}?query_max_scan_physical_bytes=10GB&role=analyst"
    with connect(url, settings=settings_in(tmp_path)) as database:
        database.run("SELECT 43", Limits(seconds=None))
    said = said_of(stub, "SELECT 43")
    assert unquote(said["x-trino-session"]) == "query_max_scan_physical_bytes=10GB"
    assert "analyst" in said["x-trino-role"]


def test_the_server_ends_what_runs_too_long_by_itself(
    stub: Stub, numbers: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fathom.databases.trino import TrinoSession

    monkeypatch.setattr(TrinoSession, "seconds", lambda *_: None)
    with pytest.raises(QueryTimedOut):
        numbers.run(SLOW, Limits(seconds=0.3))
    assert SLOW not in stub.cancelled


def test_the_limit_of_time_is_kept_by_cancelling(
    stub: Stub, numbers: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fathom.databases.trino import TrinoSession

    # The server is told to take a minute: else it may end the query itself before it is cancelled.
    begin = TrinoSession.begin
    monkeypatch.setattr(TrinoSession, "begin", lambda self, limits: begin(self, replace(limits, seconds=60)))
    with pytest.raises(QueryTimedOut):
        numbers.run(SLOW, Limits(seconds=0.3))
    assert SLOW in stub.cancelled


def test_who_waits_can_cancel(stub: Stub, numbers: Database) -> None:
    slow = f"{SLOW} AND a.id >= 0"
    cancellation = Cancellation()
    since = time.monotonic()
    threading.Timer(0.5, cancellation.cancel).start()
    with pytest.raises(Cancelled):
        numbers.run(slow, Limits(seconds=60), cancellation)
    assert time.monotonic() - since < 0.5 + CANCELLED_WITHIN
    assert slow in stub.cancelled
    assert numbers.run("SELECT 1").rows == ((1,),)


def test_rows_that_nobody_wants_are_cancelled(stub: Stub, numbers: Database) -> None:
    many = f"{MANY} WHERE a.id >= 0"
    assert numbers.run(many, Limits(rows=10)).truncated == "rows"
    assert many in stub.cancelled


def test_a_server_that_answers_nobody_is_left(stub: Stub, numbers: Database) -> None:
    stub.hangs.set()
    slow = f"{SLOW} AND a.id >= 1"
    with pytest.raises(QueryTimedOut) as stopped:
        numbers.run(slow, Limits(seconds=0.3))
    stub.hangs.clear()
    assert "may still be working" in str(stopped.value)
    assert numbers.run("SELECT 1").rows == ((1,),)


def test_a_big_schema_takes_one_question_for_its_columns(stub: Stub, make: Make) -> None:
    database = make(
        *(f"CREATE TABLE t{i} AS SELECT {i} AS id, 'x' AS name" for i in range(2_300)),
        "COMMENT ON TABLE t7 IS 'lucky'",
    )
    before, since = len(stub.said), time.monotonic()
    tables = {t.name: t for t in database.reflection.tables}
    assert time.monotonic() - since < 30
    assert len(tables) == 2_300
    assert ([c.name for c in tables["t7"].columns], tables["t7"].comment) == (["id", "name"], "lucky")
    asked = [sql for sql, _ in stub.said[before:] if not sql.startswith("SHOW STATS") and sql != GREETING]
    assert len(asked) == 3  # columns, comments of tables, comments of columns
    assert sum("information_schema" in sql for sql in asked) == 1


def test_a_big_table_is_profiled_without_reading_it_whole(stub: Stub, make: Make) -> None:
    database = make("CREATE TABLE big AS SELECT range AS id, range % 7 AS day FROM range(400000)")
    before = len(stub.said)
    profile = database.profile(60)["big"].columns["day"]
    read = [sql for sql, _ in stub.said[before:] if '"big"' in sql and not sql.startswith("SHOW STATS")]
    sampled = '(SELECT * FROM "big" TABLESAMPLE BERNOULLI (6.000000)) AS sampled'
    assert read == [f'SELECT "id", "day" FROM {sampled}']
    assert 15_000 < profile.rows_seen <= 20_000
    assert (profile.exact, profile.distinct, profile.minimum, profile.maximum) == (False, 7, 0, 6)


def test_every_schema_is_described_where_none_is_named(make: Make, tmp_path: Path) -> None:
    one = make(
        *SHOP[:1],
        "CREATE SCHEMA far",
        "CREATE TABLE far.town (id INTEGER)",
        "INSERT INTO far.town VALUES (7)",
    )
    with connect(one.url.removesuffix("/main"), settings=settings_in(tmp_path)) as whole:
        assert [t.name for t in whole.schema.tables] == ["far.town", "main.customer"]
        assert list(whole.scan("far.town")) == [[(7,)]]
    assert [t.name for t in one.schema.tables] == ["customer"]


def test_a_plan_tells_what_a_query_reads(stub: Stub, make: Make) -> None:
    shop = make(
        "CREATE TABLE sale (id INTEGER)",
        "INSERT INTO sale VALUES (1), (2), (3)",
        "CREATE TABLE later (id INTEGER)",
    )
    assert shop.estimate("SELECT a.id FROM sale a JOIN sale b ON a.id = b.id") == 60
    assert shop.estimate("SELECT 1") == 0
    assert shop.estimate("SELECT id FROM sale UNION ALL SELECT id FROM later") is None  # no statistics
    before = len(stub.said)
    for sql in ("EXPLAIN ANALYZE SELECT id FROM sale", "SELECT 1; SELECT 2", "DELETE FROM sale"):
        with pytest.raises(QueryRefused):
            shop.estimate(sql)
    assert len(stub.said) == before
    with pytest.raises(QueryFailed, match="nowhere"):
        shop.estimate("SELECT id FROM nowhere")


def test_what_a_query_read_is_told_beside_its_rows(numbers: Database) -> None:
    assert numbers.run("SELECT id FROM numbers LIMIT 7").bytes_read == 70


def test_a_query_that_reads_more_than_it_may_is_refused(stub: Stub, make: Make, tmp_path: Path) -> None:
    url = make("CREATE TABLE sale (id INTEGER)", "INSERT INTO sale VALUES (1), (2), (3)").url
    with connect(f"{url}?maximum_bytes=45", settings=settings_in(tmp_path)) as poor:
        assert poor.run("SELECT count(*) FROM sale").rows == ((3,),)
        before = len(stub.said)
        with pytest.raises(QueryRefused, match="read 60 bytes, and a query may read 45 bytes") as refused:
            poor.run("SELECT a.id FROM sale a JOIN sale b ON a.id = b.id")
        assert refused.value.rule == "cost"
        assert [sql for sql, _ in stub.said[before:] if not sql.startswith("EXPLAIN (TYPE IO")] == []
    with pytest.raises(ConnectionFailed, match="maximum_bytes is a number of bytes"):
        connect(f"{url}?maximum_bytes=lots", settings=settings_in(tmp_path))


def test_a_role_is_the_user_whose_query_it_is(stub: Stub, make: Make) -> None:
    whole = make(*WHOLE)
    seen = whole.restricted(Granted("anna", (replace(GRANT, role="analyst"),)))
    before = len(stub.said)
    seen.run("SELECT title FROM products")
    seen.profile()
    assert len(stub.said) > before + 1
    assert {headers["x-trino-user"] for _, headers in stub.said[before:]} == {"analyst"}
    whole.run("SELECT title FROM products")
    assert stub.said[-1][1]["x-trino-user"] == "reader"
    stub.strangers.add("nobody")
    with pytest.raises(RightsError, match="don't fit"):
        whole.restricted(Granted("anna", (replace(GRANT, role="nobody"),)))


def test_who_watches_is_told_how_much_a_query_reads_before_it_runs(
    stub: Stub, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make("CREATE TABLE sale (id INTEGER)", "INSERT INTO sale VALUES (1), (2), (3)")
    plan, query = "EXPLAIN (TYPE IO, FORMAT JSON) SELECT id FROM sale", "SELECT id FROM sale"
    heard: list[str] = []
    when_told: list[str] = []

    def hear(event: Event) -> None:
        heard.append(event.text)
        when_told.extend(sql for sql, _ in stub.said[before:] if event.text)

    before = len(stub.said)
    shop.run(query)  # a plan that nobody wants isn't made
    assert [sql for sql, _ in stub.said[before:]] == [query]
    before = len(stub.said)
    with watching(hear, "running"):
        shop.run(query)
        assert not any(heard)  # so little is not worth telling
        monkeypatch.setattr(Trino, "estimate", lambda *_: 12_345_678_900)
        shop.run("SELECT id + 1 FROM sale")
    assert "the query reads 12.3 GB" in heard
    assert when_told == [plan, query]
    assert stub.said[-1][0] == "SELECT id + 1 FROM sale"


def test_a_plan_that_fails_leaves_the_query_alone(
    stub: Stub, numbers: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Trino, sql: str, read: Read) -> int:
        raise QueryFailed("no plans today", sql=sql)

    monkeypatch.setattr(Trino, "estimate", fail)
    with watching(lambda _: None, "running"):
        assert numbers.run("SELECT 17").rows == ((17,),)
    monkeypatch.setattr(numbers._engine, "budget", 10)
    with pytest.raises(QueryFailed, match="no plans today"):
        numbers.run("SELECT 17")


def test_values_come_with_their_types(numbers: Database) -> None:
    sql = (
        "SELECT CAST(1.50 AS DECIMAL(5, 2)), DATE '2024-02-29', TIMESTAMP '2024-02-29 10:30:00', true, "
        "CAST(2.5 AS DOUBLE), 'x', NULL"
    )
    (row,) = numbers.run(sql).rows
    assert [str(v) for v in row] == ["1.50", "2024-02-29", "2024-02-29 10:30:00", "True", "2.5", "x", "None"]
    assert [type(v).__name__ for v in row[:4]] == ["Decimal", "date", "datetime", "bool"]


def test_big_tables_are_sampled_by_the_server(numbers: Database) -> None:
    engine = numbers._engine
    big = Table("big", (), row_count=1_000_000, rows_estimated=True)
    assert engine.sample('"big"', big, 1000) == '(SELECT * FROM "big" TABLESAMPLE BERNOULLI (0.120000))'
    huge = Table("big", (), row_count=100_000_000, rows_estimated=True)
    assert "TABLESAMPLE SYSTEM (0.001200)" in engine.sample('"big"', huge, 1000)
    assert engine.sample('"v"', Table("v", (), is_view=True), 1000) == '"v"'
    sampled = engine.sample('"numbers"', Table("numbers", (), row_count=3000), 1000)
    assert 800 < numbers._read(f"SELECT count(*) FROM {sampled} AS s")[0][0] < 1600


def test_an_account_that_may_write_is_told(stub: Stub, numbers: Database, tmp_path: Path) -> None:
    stub.roles.append("admin")
    stub.database.execute("INSERT INTO stub.main.table_privileges VALUES ('x', 'ROLE', 'DELETE')")
    try:
        with pytest.warns(AccountWarning, match="administrator.*may change tables .DELETE"):
            connect(numbers.url, settings=settings_in(tmp_path), strict=False).close()
        with pytest.raises(AccountRefused, match="nothing but SELECT"):
            connect(numbers.url, settings=settings_in(tmp_path), strict=True)
        stub.roles.clear()
        stub.database.execute("UPDATE stub.main.table_privileges SET privilege_type = 'SELECT'")
        connect(numbers.url, settings=settings_in(tmp_path), strict=True).close()
    finally:
        stub.roles.clear()
        stub.database.execute("DELETE FROM stub.main.table_privileges")


def test_an_account_whose_rights_are_not_told_is_refused_when_strict(
    stub: Stub, numbers: Database, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.raises(AccountRefused, match="the catalog lists no privileges"):
        connect(numbers.url, settings=settings_in(tmp_path), strict=True)
    connect(numbers.url, settings=settings_in(tmp_path), strict=False).close()
    assert [w for w in recwarn if issubclass(w.category, AccountWarning)] == []
    stub.database.execute("ALTER TABLE stub.main.table_privileges RENAME TO hidden")
    try:
        with pytest.raises(AccountRefused, match=r"its privileges can't be read \(.*table_privileges"):
            connect(numbers.url, settings=settings_in(tmp_path), strict=True)
    finally:
        stub.database.execute("ALTER TABLE stub.main.hidden RENAME TO table_privileges")


def test_row_counts_are_asked_for_whoever_may_cancel(numbers: Database) -> None:
    engine, seen = numbers._engine, []
    assert isinstance(engine, Trino)

    def read(_: str, seconds: float | None = None, /) -> list[Row]:
        seen.append(current_cancellation())
        return [("", None, None, None, 7.0)]

    stop = Cancellation()
    with stop.covering():
        assert engine.counts(read, [("main", "a"), ("main", "b")]) == {("main", "a"): 7, ("main", "b"): 7}
    assert seen == [stop, stop]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("trino://reader@127.0.0.1:1/memory", r"127\.0\.0\.1"),
        ("trino://reader@127.0.0.1:1", "name the catalog"),
        ("trino://reader:s3cret-w0rd@127.0.0.1:1/memory", r"reader:\*\*\*@"),
        (
            "trino://reader@127.0.0.1:1/memory?http_scheme=https&access_token=s3cret-w0rd",
            r"access_token=\*\*\*",
        ),
    ],
)
def test_what_can_not_be_reached_is_said_without_its_secrets(url: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match=message) as failed:
        connect(url, settings=settings_in(tmp_path))
    assert "s3cret" not in str(failed.value)


def test_no_attack_reaches_the_server(stub: Stub, numbers: Database) -> None:
    before = len(stub.said)
    for sql in listed("attacks", "trino"):
        with pytest.raises(QueryError):
            numbers.run(sql)
    assert stub.said[before:] == []
