"""What Fathom's client does with BigQuery: prices, budgets, kinds of statements, cancelling."""

import csv
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest
import sqlglot
from google.api_core.exceptions import BadRequest, Forbidden
from google.cloud.bigquery import Client, QueryJob

from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.databases.bigquery import BigQuery
from fathom.databases.engine import Row
from fathom.errors import AccountRefused, Cancelled, ConnectionFailed, QueryError, QueryRefused
from fathom.records import ForeignKey, Limits, Table
from fathom.watch import watching
from tests.command import Fathom
from tests.databases.guard.test_guard import listed
from tests.databases.makers import bigquery_databases, settings_in
from tests.databases.suite import CANCELLED_WITHIN, SHOP


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with bigquery_databases(tmp_path_factory.mktemp("bigquery")) as make:
        yield make(*SHOP)


def at(shop: Database, more: str) -> str:
    assert isinstance(shop._engine, BigQuery)
    endpoint = quote(shop._engine.address.query["endpoint"], safe="")  # type: ignore[arg-type]
    return f"bigquery://shop/{shop._engine.dataset}?endpoint={endpoint}&{more}"


def test_the_price_of_a_query_is_told_without_running_it(shop: Database) -> None:
    assert shop.estimate("SELECT name FROM customer") == 0  # what the emulator says of every query
    with pytest.raises(QueryRefused):
        shop.estimate("DELETE FROM customer WHERE true")
    with pytest.raises(QueryError, match="nowhere"):
        shop.estimate("SELECT name FROM nowhere")


def test_bigquery_itself_tells_reading_from_all_else(shop: Database) -> None:
    for sql in ("DELETE FROM customer WHERE true", "CREATE TABLE other (a INT64)", "SELECT 1; SELECT 2"):
        with pytest.raises(QueryRefused, match="not a SELECT"):
            shop._read(sql)  # past the guard
    assert shop.run("SELECT count(*) FROM customer").rows == ((3,),)


def test_what_costs_more_than_the_budget_is_refused_before_it_runs(
    shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(at(shop, "maximum_bytes_billed=10000000"), settings=settings_in(tmp_path)) as poor:
        assert poor.run("SELECT 1").rows == ((1,),)
        # The emulator calls every query free, so only what it tells is put in its place.
        monkeypatch.setattr(QueryJob, "total_bytes_processed", 12_345_678_900)
        with pytest.raises(QueryRefused, match=r"12\.3 GB.*may read 10\.0 MB") as refused:
            poor.run("SELECT name FROM customer")
        assert refused.value.rule == "cost"
        assert poor.estimate("SELECT name FROM customer") == 12_345_678_900


def test_who_watches_is_told_how_much_a_query_reads(shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueryJob, "total_bytes_processed", 12_345_678_900)
    heard: list[str] = []
    with watching(lambda event: heard.append(event.text), "running"):
        assert shop.run("SELECT name FROM customer").bytes_read == 12_345_678_900
    assert heard.count("the query reads 12.3 GB") == 1


def test_an_account_whose_permissions_can_not_be_read_is_refused_when_strict(
    shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise Forbidden("bigquery.tables.testIamPermissions denied")  # type: ignore[no-untyped-call]

    monkeypatch.setattr(Client, "test_iam_permissions", forbidden)
    with pytest.raises(AccountRefused, match=r"permissions can't be read \(.*denied.*dataViewer"):
        connect(at(shop, "location=EU"), settings=settings_in(tmp_path), strict=True)
    monkeypatch.setattr(Client, "test_iam_permissions", lambda *_, **__: {"permissions": []})
    connect(at(shop, "location=EU"), settings=settings_in(tmp_path), strict=True).close()


def test_a_job_goes_with_its_limits_and_can_be_cancelled_by_name(
    shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, Any]] = []
    cancelled: list[str] = []
    query, cancel = Client.query, Client.cancel_job

    def sending(client: Client, sql: str, **named: Any) -> Any:
        if not named["job_config"].dry_run:
            sent.append((named["job_id"], named["job_config"]))
        return query(client, sql, **named)

    def cancelling(client: Client, job: str, **named: Any) -> Any:
        cancelled.append(job)
        return cancel(client, job, **named)

    monkeypatch.setattr(Client, "query", sending)
    monkeypatch.setattr(Client, "cancel_job", cancelling)
    with connect(at(shop, "maximum_bytes_billed=777"), settings=settings_in(tmp_path)) as database:
        result = database.run("SELECT id FROM customer", Limits(seconds=2.5, rows=1))
    assert result.truncated == "rows"
    ((job, settings),) = sent
    assert int(settings.job_timeout_ms) == 2500
    assert int(settings.maximum_bytes_billed) == 777
    assert not settings.use_legacy_sql
    assert cancelled == [job]  # for the rows that nobody wants


@pytest.mark.parametrize("silent", [False, True], ids=["answers", "silent"])
def test_a_job_that_a_person_stops_is_cancelled(
    shop: Database, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    started: list[str] = []
    cancelled: list[str] = []
    ended = threading.Event()

    def waiting(job: QueryJob, **_: Any) -> None:  # the emulator would run it to its end
        started.append(job.job_id)
        assert ended.wait(30)
        told = [{"reason": "stopped", "message": "Job execution was cancelled"}]
        raise BadRequest("Job execution was cancelled", errors=told)  # type: ignore[no-untyped-call]

    def cancelling(_: Client, job: str, **__: Any) -> None:
        cancelled.append(job)
        if not silent:
            ended.set()

    monkeypatch.setattr(QueryJob, "result", waiting)
    monkeypatch.setattr(Client, "cancel_job", cancelling)
    cancellation = Cancellation()
    since = time.monotonic()
    threading.Timer(0.5, cancellation.cancel).start()
    try:
        with pytest.raises(Cancelled):
            shop.run("SELECT id FROM customer", Limits(seconds=60), cancellation)
        assert time.monotonic() - since < 0.5 + CANCELLED_WITHIN
    finally:
        ended.set()
    assert len(started) == 1
    assert set(cancelled) == set(started)


CATALOGUE = Path(__file__).with_name("bigquery_catalogue.sql")


def test_the_catalogue_s_keys_and_comments_are_read_as_its_manual_says() -> None:
    catalogue = duckdb.connect()
    catalogue.execute(CATALOGUE.read_text("utf-8"))
    asked: list[str] = []

    def read(sql: str, seconds: float | None = None, /) -> list[Row]:
        asked.append(sql)
        bare = sql.replace("`shop.d.INFORMATION_SCHEMA.", "`").replace("`shop.d.", "`")
        return catalogue.execute(sqlglot.transpile(bare, "bigquery", "duckdb")[0]).fetchall()

    found = BigQuery("bigquery://shop/d").reflect(read)
    assert len(asked) == 5  # columns, two of comments, keys, counts
    late, sale, till = found.tables
    assert [(c.name, c.type, c.kind, c.nullable, c.comment) for c in sale.columns] == [
        ("shop", "STRING", "text", False, None),
        ("day", "DATE", "date", True, "of payment"),
        ("till", "INT64", "integer", True, None),
    ]
    assert (till.comment, till.primary_key, till.row_count) == ('where one "pays"', ("shop", "number"), 2)
    assert till.column("place").comment == "in the house"
    assert (late.is_view, late.row_count, sale.primary_key) == (True, None, ())
    assert found.foreign_keys == (ForeignKey("sale", ("till", "shop"), "till", ("number", "shop")),)


def test_values_come_with_their_types(shop: Database) -> None:
    sql = (
        "SELECT NUMERIC '1.5', DATE '2024-02-29', DATETIME '2024-02-29 10:30:00', TRUE, 2.5, 'it\\'s', NULL, "
        "[1, 2], b'x'"
    )
    (row,) = shop.run(sql).rows
    told = ["1.5", "2024-02-29", "2024-02-29 10:30:00", "True", "2.5", "it's", "None", "[1, 2]", "b'x'"]
    assert [str(v).rstrip("0") if i == 0 else str(v) for i, v in enumerate(row)] == told
    assert [type(v).__name__ for v in row[:4]] == ["Decimal", "date", "datetime", "bool"]


def test_a_sample_is_paid_for_by_the_block(shop: Database) -> None:
    big = Table("big", (), row_count=1_000_000)
    sampled = "(SELECT * FROM `big` TABLESAMPLE SYSTEM (0.120000 PERCENT))"
    assert shop._engine.sample("`big`", big, 1000) == sampled
    assert shop._engine.sample("`v`", Table("v", (), is_view=True), 1000) == "`v`"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("bigquery://shop", "name the project and the dataset"),
        (
            "bigquery://shop/d?maximum_bytes_billed=much&endpoint=http%3A%2F%2F127.0.0.1%3A1",
            "number of bytes",
        ),
        ("bigquery://shop/d?endpoint=http%3A%2F%2F127.0.0.1%3A1", "127.0.0.1"),
        ("bigquery://shop/d?credentials_path=/nowhere/key.json", "nowhere"),
    ],
)
def test_what_can_not_be_reached_is_said(url: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match=message):
        connect(url, settings=settings_in(tmp_path))


def test_no_attack_reaches_the_server(shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(BigQuery, "answer", lambda _, sql, *rest: sent.append(sql))
    for sql in listed("attacks", "bigquery"):
        with pytest.raises(QueryRefused):
            shop.run(sql)
    assert sent == []


PUBLISHED = {
    "1": "SELECT COUNT(*) FROM `shop.{d}.customer`",
    "2": "SELECT SAFE_DIVIDE(SUM(c.id), COUNT(*)) FROM `shop`.`{d}`.`customer` AS c",
    "3": "SELECT COUNTIF(REGEXP_CONTAINS(name, r'^A')) FROM `shop.{d}.customer`",
    "4": "SELECT `name` FROM `shop.{d}.customer` WHERE id > 1 ORDER BY `id` LIMIT 100",
}
"""BiomedSQL's gold as it is written: whole names of tables in backquotes, and BigQuery's own functions."""


def test_gold_in_bigquerys_own_writing_runs_there_as_it_is(
    shop: Database, tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(shop._engine, BigQuery)
    golds = {i: sql.replace("{d}", shop._engine.dataset) for i, sql in PUBLISHED.items()}
    with (tmp_path / "dev.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["uuid", "question", "sql_query", "execution_results", "answer"])
        writer.writerows([i, f"Question {i}?", sql, "", ""] for i, sql in golds.items())
    lines = [{"id": i, "sql": sql} for i, sql in golds.items()]
    lines[2]["sql"] = "SELECT 17"
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    settings = tmp_path / "config.toml"
    monkeypatch.setenv("FATHOM_CONFIG", str(settings))
    settings.write_text(f'[databases]\nbiomedsql = "{at(shop, "location=EU")}"\n', encoding="utf-8")
    told = json.loads(fathom("score", tmp_path, predictions, "--json").out)
    assert (told["n"], told["correct"], told["unjudged"], told["translated"]) == (4, 3, {}, "")
