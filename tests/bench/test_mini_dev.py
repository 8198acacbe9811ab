import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench.figures import Figure
from bench.mini_dev import Item, items
from bench.mini_dev.published_tokens import EXPLAINED, PUBLISHED, Explained
from bench.mini_dev.standing_in import stand_in
from bench.prompt_tokens import Spent, Unexplained, differs, explained, measure, spend
from bench.simulated import Gold

from bench import prompt_tokens
from fathom.benchmarks import Benchmark, BenchmarkQuestion
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


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mini-dev of two questions: the database of one is at hand, that of the other isn't."""
    data = tmp_path / "data"
    (data / "bird" / "dev_databases" / "here").mkdir(parents=True)
    with sqlite3.connect(data / "bird" / "dev_databases" / "here" / "here.sqlite") as made:
        made.execute("CREATE TABLE client (id INTEGER PRIMARY KEY, `full name` TEXT, born DATE)")
        made.execute("INSERT INTO client VALUES (1, 'Ann Lee of the real rows', '1950-01-01')")
    made.close()

    def read() -> Iterator[BenchmarkQuestion]:
        for name in ("here", "away"):
            yield BenchmarkQuestion(name, "How many clients are there?", "", GOLD[:1], database_name=name)

    schemas = {"here": SCHEMA, "away": SCHEMA}
    whole = Benchmark("mini-dev", "dev", "bird", "sqlite", (), (), read, read_schemas=lambda: schemas)
    monkeypatch.setattr(items, "load_benchmark", lambda name, data: whole)
    monkeypatch.setattr(items, "DATA", data)


def test_real_rows_are_taken_where_they_are_at_hand(mini: None, tmp_path: Path) -> None:
    assert items.real_databases() == {"here"}
    here, away = items.sample(tmp_path, 1)
    try:
        rows = [i.context.database.run("SELECT `full name` FROM client").rows for i in (here, away)]
        assert rows[0] == (("Ann Lee of the real rows",),)
        assert len(rows[1]) >= 60
    finally:
        for item in (here, away):
            item.context.database.close()


def test_a_departure_that_nothing_explains_fails_the_measurement(
    mini: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_tokens, "EVERY", 1)
    monkeypatch.setattr(prompt_tokens, "tokenizer", lambda: len)
    monkeypatch.setenv("FATHOM_BENCH_ONLY", "ta-sql")
    near = replace(PUBLISHED["ta-sql"], tokens=1)
    monkeypatch.setitem(PUBLISHED, "ta-sql", near)
    measured: list[Figure] = []
    with pytest.raises(Unexplained, match="ta-sql"):
        measured.extend(measure())  # what comes before the error stays
    assert [(f.what, f.ok) for f in measured] == [("questions of mini-dev", None), ("ta-sql", False)]
    assert "2 databases, 1 questions of real rows" in measured[0].note
    ratio = float(measured[1].note.partition(" of the published")[0])
    monkeypatch.setitem(EXPLAINED, "ta-sql", Explained(ratio, "letters are no tokens"))
    told = list(measure())[1]
    assert told.ok
    assert told.note.endswith("letters are no tokens")
