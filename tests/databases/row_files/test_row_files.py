"""Files of rows: what they become, how they are kept and read again, and that nothing else is reached."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
import yaml

import fathom
from fathom.answering import Conversation
from fathom.databases import Database, connect
from fathom.databases.row_files import opening
from fathom.databases.row_files.texts import sample_of
from fathom.errors import ConnectionFailed, QueryRefused
from fathom.records import Ending
from fathom.retrieval import ValueIndex, index_files
from tests.databases.makers import settings_in

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))


def write(file: Path, content: Any, encoding: str = "utf-8") -> None:
    if isinstance(content, str):
        file.write_bytes(content.encode(encoding))
        return
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in content.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)


Open = Callable[..., Database]


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Open:
    """Opens what is below the folder `data` of the test."""

    def make(name: str = "") -> Database:
        database = connect(tmp_path / "data" / name, settings=settings_in(tmp_path))
        request.addfinalizer(database.close)
        return database

    (tmp_path / "data").mkdir()
    return make


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["why"][:60])
def test_files_become_tables(tmp_path: Path, opened: Open, case: dict[str, Any]) -> None:
    for name, content in case["files"].items():
        write(tmp_path / "data" / name, content, case.get("encoding", "utf-8"))
    database = opened()
    found = {t.name: {c.name: c.type for c in t.columns} for t in database.schema.tables}
    assert found == case["tables"]
    assert [list(c) for c in found.values()] == [list(case["tables"][t]) for t in found]
    for table, rows in case.get("rows", {}).items():
        held = database.run(f"SELECT * FROM {database.identifier(table)}").rows
        assert [list(row) for row in held] == rows
    if "remarks" in case:
        assert {t: list(told) for t, told in database.remarks.items()} == case["remarks"]


def test_parquet_keeps_its_types(tmp_path: Path, opened: Open) -> None:
    file = tmp_path / "data" / "p.parquet"
    duckdb.sql(f"COPY (SELECT 1::SMALLINT AS k, '007' AS z, {{'a': 1}} AS s) TO '{file}'")
    table = opened("p.parquet").schema.table("p")
    assert [(c.name, c.type) for c in table.columns] == [
        ("k", "SMALLINT"),
        ("z", "VARCHAR"),
        ("s_a", "INTEGER"),
    ]


def test_what_a_large_file_has_only_further_on_is_not_lost(tmp_path: Path, opened: Open) -> None:
    lines = [f"{n},{n % 7},name {n:050}" for n in range(100_000)]
    lines[70_001] = "70001,many,odd"
    lines[99_990] = "99990,5,Zürich"
    file = tmp_path / "data" / "big.csv"
    file.write_bytes("\n".join(["id,n,text", *lines, ""]).encode("cp1252"))
    assert file.stat().st_size > 4 << 20
    sample = sample_of(file, tmp_path)
    assert sample.stat().st_size < 4 << 20
    database = opened("big.csv")
    assert [c.type for c in database.schema.table("big").columns] == ["BIGINT", "VARCHAR", "VARCHAR"]
    assert database.run("SELECT count(*), max(id) FROM big").rows == ((100_000, 99_999),)
    assert database.run("SELECT n FROM big WHERE id = 70001").rows == (("many",),)
    assert database.run("SELECT text FROM big WHERE id = 99990").rows == (("Zürich",),)


def test_the_values_of_a_large_file_are_indexed_by_a_sample(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_files, "DEAR_ROWS_AWAY", 1_000)
    monkeypatch.setattr(index_files, "SAMPLED_ROWS", 500)
    rows = "".join(f"{n},{'Ulm' if n % 2 else 'Bern'},P{n:07}\n" for n in range(3_000))
    write(tmp_path / "data" / "visits.csv", f"id,city,patient\n{rows}")
    with ValueIndex.open_or_build(opened("visits.csv"), tmp_path / "cache") as index:
        held = {c.column: c.values for c in index.columns}
        assert held["city"] == 2
        assert held["patient"] < 1_000
        assert [m.value for m in index.lookup("P0002999")] == ["P0002999"]  # asked of the file


def test_keys_between_files_are_inferred(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "data" / "customers.csv", "id,name\n" + "".join(f"{n},c{n}\n" for n in range(1, 30)))
    write(tmp_path / "data" / "orders.csv", "id,customer_id\n" + "".join(f"{n},{n}\n" for n in range(1, 30)))
    (key,) = opened().schema.foreign_keys
    assert (key.table, key.columns, key.target_table) == ("orders", ("customer_id",), "customers")


def test_a_file_that_changed_is_read_again_and_one_that_did_not_is_not(tmp_path: Path, opened: Open) -> None:
    file = tmp_path / "data" / "planets.csv"
    write(file, "name,moons\nEarth,1\nMars,2\n")
    database = opened("planets.csv")
    kept = list((tmp_path / "cache" / "files").glob("*.duckdb"))
    assert len(kept) == 1
    with Conversation(database) as talk:
        assert talk.ask("How many planets are there?").text == "2 planets."
        write(file.with_name("new.csv"), "name,moons\nEarth,1\nMars,2\nSaturn,9\n")
        file.with_name("new.csv").replace(file)
        answer = talk.ask("How many moons does Saturn have?")
        assert answer.result is not None
        assert answer.result.rows == ((9,),)
        file.unlink()
        assert "planets.csv is gone" in talk.ask("How many planets are there?").text
        write(file, "name,moons\nEarth,1\n")
        assert talk.ask("How many planets are there?").text == "1 planet."
    (now,) = (tmp_path / "cache" / "files").glob("*.duckdb")
    before = now.stat()
    opened("planets.csv")
    assert now.stat() == before


def test_a_file_that_cannot_be_read_any_more_is_a_refusal_each_time(tmp_path: Path, opened: Open) -> None:
    file = tmp_path / "data" / "planets.jsonl"
    write(file, '{"name": "Earth"}\n')
    with Conversation(opened("planets.jsonl")) as talk:
        assert talk.ask("How many planets are there?").text == "1 planet."
        write(file, "[{")
        for _ in range(2):
            assert "Is it really JSONL?" in talk.ask("How many planets are there?").text
        write(file, '{"name": "Earth"}\n{"name": "Mars"}\n')
        assert talk.ask("How many planets are there?").text == "2 planets."


def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data" / "a.csv"
    write(file, "x,y\n1,2\n")
    made = opening.converted

    def slowly(source: Path, cache: Path) -> Any:
        found = made(source, cache)
        write(file, "x,y\n1,2\n3,4\n")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(opening, "converted", slowly)
        database = opened("a.csv")
    assert database.refresh()
    assert database.schema.table("a").row_count == 2


def test_a_folder_gains_and_loses_tables(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "data" / "a.csv", "x,y\n1,2\n")
    database = opened()
    write(tmp_path / "data" / "b.csv", "z,y\n1,2\n")
    assert database.refresh()
    assert [t.name for t in database.schema.tables] == ["a", "b"]
    (tmp_path / "data" / "a.csv").unlink()
    assert database.refresh()
    assert [t.name for t in database.schema.tables] == ["b"]


def test_what_is_kept_is_the_owners_alone(tmp_path: Path, opened: Open) -> None:
    write(tmp_path / "data" / "a.csv", "x,y\n1,2\n")
    opened()
    folder = tmp_path / "cache" / "files"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) & 0o077 for p in folder.iterdir() if p.suffix != ".lock"} == {0}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{data}/secret.txt')",
        "SELECT * FROM '{data}/a.csv'",
        "SELECT * FROM glob('{data}/*')",
        "ATTACH '{data}/a.csv'",
        "COPY a TO '{data}/b.csv'",
    ],
)
def test_sql_reaches_no_file(tmp_path: Path, opened: Open, sql: str) -> None:
    write(tmp_path / "data" / "a.csv", "x,y\n1,2\n")
    write(tmp_path / "data" / "secret.txt", "s3cret\n")
    statement = sql.format(data=tmp_path / "data")
    database = opened("a.csv")
    with pytest.raises(QueryRefused):
        database.run(statement)
    for sessions in (database._sessions, database._contained):  # the engine itself, without the guard
        session, _ = sessions.take()
        with pytest.raises(Exception, match=r"(?i)permission|disabled|read-only|not allowed|refused"):
            session.execute(statement)
        session.close()


def test_a_text_in_a_file_is_never_sql(tmp_path: Path, opened: Open) -> None:
    odd = "x'); DROP TABLE a; --"
    write(tmp_path / "data" / f"{odd}.csv", f'"{odd}","b"";c"\n1,2\n')
    write(tmp_path / "data" / "a.csv", "x,y\n1,2\n")
    database = opened()
    assert [t.name for t in database.schema.tables] == ["a", "x_DROP_TABLE_a"]
    assert [c.name for c in database.schema.table("x_DROP_TABLE_a").columns] == [odd, 'b";c']


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "", "There are no rows to ask about: a.csv: there is nothing in it"),
        ("a.xlsx", "no spreadsheet", "Open it in a spreadsheet program and save it as .xlsx or .csv"),
        ("a.json", "[{", "Is it really JSON?"),
        ("a.parquet", "PAR1", "Is it really PARQUET?"),
        ("a.txt", "x", "Files of rows are told by their ending: .csv"),
        ("b/notes.txt", "x", "has no file of rows right in it"),
        ("b/shop.sqlite", "x", "name the database file in it: shop.sqlite"),
    ],
)
def test_what_cannot_be_read_is_told(
    tmp_path: Path, opened: Open, name: str, content: str, told: str
) -> None:
    file = tmp_path / "data" / name
    file.parent.mkdir(exist_ok=True)
    write(file, content)
    with pytest.raises(ConnectionFailed, match=told):
        opened(name.partition("/")[0])
    assert not list((tmp_path / "cache").glob("files/*.duckdb"))


def test_reading_has_an_end(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_SECONDS", 0.0)
    write(tmp_path / "data" / "a.csv", "x,y\n1,2\n")
    with pytest.raises(ConnectionFailed, match="can't be read within 0 seconds"):
        opened("a.csv")
    assert not list((tmp_path / "cache" / "files").glob("*.duckdb*"))


def test_a_database_with_another_ending_is_a_database(tmp_path: Path, opened: Open) -> None:
    duckdb.connect(tmp_path / "data" / "odd.csv").close()
    assert opened("odd.csv").url.startswith("duckdb://")


@pytest.mark.usefixtures("own_settings")
def test_files_are_asked_by_path_name_and_url(tmp_path: Path) -> None:
    file = tmp_path / "planets.csv"
    write(file, "name,moons\nEarth,1\nbad\nMars,2\n")
    (tmp_path / "config.toml").write_text('[databases]\nsky = "planets.csv"\n', encoding="utf-8")
    for named in (file, str(file), "sky", f"files:///{file}"):
        answer = fathom.ask("How many planets are there?", named)
        assert (answer.ending, answer.text) == (Ending.SURE, "2 planets.")
        assert "1 line that doesn't fit the others" in " ".join(a.text for a in answer.assumptions)
    with fathom.connect(file) as database, fathom.connect(database.url) as again:
        assert again.url == database.url
