"""A database as one user sees it: schema, values, joins, caches, limits; and what else goes with it."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom import connect
from fathom.databases import Database
from fathom.databases.engine import Read
from fathom.errors import ConfigError, QueryFailed, QueryRefused, RightsError
from fathom.records import Limits
from fathom.retrieval import ValueIndex
from fathom.rights import ColumnRule, Granted, read_rights, restrict
from fathom.watch import watching
from tests.databases.makers import settings_in
from tests.rights.conftest import Shop
from tests.rights.world import CANARIES, GRANT, HIDDEN_TABLE, HIDDEN_VIEW, WHOLE, leaks

RIGHTS = """
[users.anna]
[[grants]]
to = ["anna"]
databases = ["*"]
tables = ["*"]
deny_tables = ["xylomancy"]
"""


def grant(**more: object) -> Granted:
    return Granted("anna", (replace(GRANT, **more),))  # type: ignore[arg-type]


def test_the_schema_is_that_of_what_is_seen(shop: Shop) -> None:
    assert [(t.name, t.columns, t.row_count) for t in shop.seen.schema.tables] == [
        (t.name, t.columns, t.row_count) for t in shop.twin.schema.tables
    ]
    assert shop.seen.schema.foreign_keys == shop.twin.schema.foreign_keys


def test_profiles_samples_and_index_are_made_of_what_is_seen(shop: Shop) -> None:
    assert shop.seen.profile() == shop.twin.profile()
    assert not leaks(shop.seen.profile())
    assert leaks(shop.whole.profile())
    with ValueIndex.open_or_build(shop.seen, shop.cache) as index:
        assert index.lookup("Anna Petit")
        assert not any(leaks(index.lookup(word)) for word in CANARIES)
    with ValueIndex.open_or_build(shop.whole, shop.cache) as index:
        assert index.lookup("Zambrokwist")
    assert not leaks([*shop.seen.scan("customers"), *shop.seen.scan("orders", ["quantity"])])


def test_nothing_kept_is_shared_with_others(shop: Shop) -> None:
    other = shop.whole.restricted(grant(rows={}))
    assert len({shop.whole.fingerprint, shop.seen.fingerprint, other.fingerprint}) == 3
    shop.whole.profile()
    again = shop.whole.restricted(grant())
    assert not leaks(again.profile())
    assert not leaks(again.schema)
    assert not leaks(again.narrowed({"customers": ["name"]}).schema)
    assert again.file is None
    assert "xylomancy" in shop.whole.restricted(grant()).restricted(grant(deny_tables=())).schema


def test_a_view_over_what_is_hidden_is_seen_only_by_its_name(shop: Shop) -> None:
    assert "dear_products" in shop.seen.schema
    assert HIDDEN_VIEW not in shop.seen.schema
    named = shop.whole.restricted(grant(tables=("*", HIDDEN_VIEW)))
    assert named.run(f"SELECT count(*) FROM {HIDDEN_VIEW}").rows == ((7,),)
    denied = shop.whole.restricted(grant(deny_tables=("xylomancy", "dear_products")))
    assert "dear_products" not in denied.schema
    priceless = shop.whole.restricted(grant(columns={"products": ColumnRule(deny=("price",))}))
    assert "dear_products" not in priceless.schema


def test_limits_are_the_tightest(shop: Shop) -> None:
    few = shop.whole.restricted(grant(limits=Limits(None, 2, None)))
    assert few.run("SELECT * FROM customers").truncated == "rows"
    assert few.schema.table("customers").row_count == 4


def test_grants_that_do_not_fit_show_nothing_and_tell_nothing(shop: Shop) -> None:
    for wrong in (
        grant(deny_tables=("xylomanzy",)),
        grant(columns={"customers": ColumnRule(deny=("quorvx",))}),
        grant(rows={"customers": "quorvx = 1"}),
        grant(rows={"customers": "country = 'France'; SELECT 1"}),
        grant(rows={"customers": "SELECT 1"}),
        grant(tables=("nothing*",)),
    ):
        with pytest.raises(RightsError) as told:
            restrict(shop.whole, wrong)
        assert not leaks(told.value)


@pytest.mark.parametrize(
    "rows",
    [
        {"customers": 'country = "France"'},
        {"orders": 'customer_id IN (SELECT id FROM customers WHERE country = "France")'},
    ],
)
def test_a_filter_takes_no_name_for_a_text(sqlite_shop: Shop, rows: dict[str, str]) -> None:
    """A query around it could have a column of that name, and so say which rows are seen."""
    with pytest.raises(RightsError):
        sqlite_shop.whole.restricted(grant(rows=rows))


def test_a_comment_in_a_filter_takes_nothing_away(shop: Shop) -> None:
    seen = shop.whole.restricted(grant(rows={"customers": "country = 'France' -- of old"}))
    assert seen.run("SELECT count(*) FROM customers WHERE id > 0").rows == ((4,),)


def test_an_error_never_shows_the_query_that_was_sent(shop: Shop) -> None:
    with pytest.raises(Exception, match="failed") as told:
        shop.seen.run("SELECT sum(sum(id)) FROM customers")
    assert "France" not in str(told.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "shop.db"
    with sqlite3.connect(made) as writer:
        for statement in WHOLE:
            writer.execute(statement)
    writer.close()
    return made


def test_connecting_by_a_file_of_rights(file: Path, tmp_path: Path) -> None:
    rights = tmp_path / "rights.toml"
    rights.write_text(RIGHTS, encoding="utf-8")
    settings = settings_in(tmp_path)
    with connect(file, settings=settings, rights=rights, user="anna") as seen:
        assert "xylomancy" not in seen.schema
    with connect(file, settings=replace(settings, rights=rights), user="anna") as seen:
        assert "xylomancy" not in seen.schema
    with connect(file, settings=settings, rights=read_rights(rights), user="anna") as seen:
        assert "xylomancy" not in seen.schema
    with pytest.raises(RightsError, match="'ben' may ask no database 'shop'"):
        connect(file, settings=settings, rights=rights, user="ben")
    with pytest.raises(RightsError, match="may ask no database"):
        connect(file, settings=replace(settings, rights=rights))
    with pytest.raises(ConfigError, match="no file of rights"):
        connect(file, settings=settings, user="anna")


def test_a_query_that_cannot_be_read_is_refused(file: Path, tmp_path: Path) -> None:
    with connect(file, settings=settings_in(tmp_path)) as whole:
        seen: Database = restrict(whole, grant())
        for sql in ("SELECT FROM WHERE", "", "SELECT * FROM customers; SELECT 1", "SELECT '\ud800'"):
            with pytest.raises(QueryRefused):
                seen.run(sql)


def test_the_size_of_a_query_tells_nothing_of_hidden_rows_or_names(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def estimate(_: object, sql: str, read: Read) -> int:
        asked.append(sql)
        if "products" in sql:
            raise QueryFailed(f"the engine quotes {sql} and {CANARIES[0]}", sql=f"EXPLAIN {sql}")
        return 4_242_000_000

    engine = type(shop.whole._engine)
    monkeypatch.setattr(engine, "tells_size", True)
    monkeypatch.setattr(engine, "estimate", estimate)
    assert shop.whole.estimate("SELECT name FROM customers") == 4_242_000_000
    assert shop.seen.estimate("SELECT name FROM customers") is None  # some of its rows are hidden
    assert asked == ["SELECT name FROM customers"]
    heard: list[str] = []
    with watching(lambda event: heard.append(event.text), "running"):
        for database in (shop.seen, shop.whole):
            database.run("SELECT name FROM customers")
            heard.append("and then")
    monkeypatch.setattr(shop.whole._engine, "budget", 45)
    with pytest.raises(QueryRefused, match="would read more, and a query may read 45 bytes"):
        shop.seen.run("SELECT name FROM customers")
    monkeypatch.setattr(shop.whole._engine, "budget", None)
    asked[1:] = []
    assert [text for text in heard if text] == ["and then", "the query reads 4.2 GB", "and then"]
    for sql in (f"SELECT * FROM {HIDDEN_TABLE}", "SELECT quorvex FROM customers", "EXPLAIN SELECT 1"):
        with pytest.raises(QueryRefused):
            shop.seen.estimate(sql)
    assert len(asked) == 1
    with pytest.raises(QueryFailed) as failed:
        shop.seen.estimate("SELECT title FROM products")
    assert not leaks((failed.value, failed.value.sql))
    assert failed.value.sql == "SELECT title FROM products"
