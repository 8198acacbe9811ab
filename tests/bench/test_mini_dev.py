import asyncio
from pathlib import Path

from bench.mini_dev import Item
from bench.mini_dev.published_tokens import PUBLISHED
from bench.mini_dev.standing_in import stand_in
from bench.prompt_tokens import Spent, differs, explained, spend
from bench.simulated import Gold

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.methods import Context, find_method
from fathom.records import Column, ForeignKey, Schema, Table

SCHEMA = Schema(
    "sqlite",
    (
        Table(
            "client",
            (
                Column("id", "integer", "integer"),
                Column("full name", "text", "text"),
                Column("born", "date", "date"),
            ),
            ("id",),
        ),
        Table("account", (Column("client_id", "integer", "integer"), Column("balance", "real", "number"))),
    ),
    (ForeignKey("account", ("client_id",), "client", ("id",)),),
)  # fmt: skip
GOLD = (
    "SELECT COUNT(*) FROM client",
    "SELECT balance FROM account JOIN client ON id = client_id "
    "WHERE `full name` = 'Ann Lee' AND balance > 900",
    "SELECT `full name` FROM client WHERE born < '1950-01-01'",
)


def test_a_stand_in_has_rows_that_gold_queries_find(tmp_path: Path) -> None:
    stand_in(SCHEMA, tmp_path / "made.sqlite", GOLD)
    with connect(tmp_path / "made.sqlite") as database:
        assert [t.name for t in database.schema.tables] == ["account", "client"]
        assert database.run(GOLD[1]).rows == ((901.0,),)
        assert database.run(GOLD[0]).rows[0][0] >= 60
    stand_in(SCHEMA, tmp_path / "again.sqlite", GOLD)
    assert (tmp_path / "again.sqlite").read_bytes() == (tmp_path / "made.sqlite").read_bytes()


def test_every_sample_counts_its_prompt_and_modules_count_where_they_asked(tmp_path: Path) -> None:
    stand_in(SCHEMA, tmp_path / "made.sqlite", GOLD)
    with connect(tmp_path / "made.sqlite") as database:
        asked = BenchmarkQuestion("1", "How many clients are there?", str(tmp_path / "made.sqlite"), GOLD[:1])
        item = Item(asked, Context(database, cache=tmp_path), Gold(asked.text, GOLD[0], database.schema))
        texts: list[str] = []

        def count(text: str) -> int:
            texts.append(text)
            return 10

        spent = asyncio.run(spend(find_method("dail-sql-sc"), [item], count))
    assert (spent.calls, spent.prompt, spent.completion) == (6, 60, 60)
    assert len(texts) == 12
    assert spent.modules == {"generation": 120}


def test_only_a_difference_of_more_than_half_takes_an_explanation() -> None:
    published = PUBLISHED["ta-sql"]
    assert not differs(Spent(3, published.tokens * 1.5, 0, {}), published)
    assert not differs(Spent(3, published.tokens * 0.5, 0, {}), published)
    assert differs(Spent(3, published.tokens * 1.51, 0, {}), published)
    assert differs(Spent(3, published.tokens * 0.49, 0, {}), published)


def test_what_explains_one_ratio_explains_no_other() -> None:
    published = PUBLISHED["rsl-sql"]

    def passes(name: str, ratio: float) -> bool:
        return explained(name, Spent(8, published.tokens * ratio, 0, {}), published)

    assert passes("rsl-sql", 0.7)
    assert passes("rsl-sql", 0.45)
    assert not passes("rsl-sql", 0.3)
    assert not passes("rsl-sql", 1.9)
    assert not passes("mac-sql", 0.45)
    assert all(sum(p.modules.values()) <= p.tokens * 1.001 for p in PUBLISHED.values())
