"""Naming a database, and what is said when that doesn't work."""

import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import URL

from fathom.config import Settings
from fathom.databases import connect, from_any_folder
from fathom.databases.servers import SERVERS
from fathom.errors import ConnectionFailed, DatabaseNotNamed, FathomError, MissingExtra, UnknownName
from tests.databases.makers import mysql_url, postgres_url


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    with sqlite3.connect(tmp_path / "sales.db") as writer:
        writer.execute("CREATE TABLE sale (id INTEGER)")
    writer.close()
    return Settings(tmp_path / "config.toml", tmp_path / "cache", {"sales": "sales.db"})


def test_a_name_from_the_settings_is_found_beside_them(settings: Settings) -> None:
    with connect("sales", settings=settings) as database:
        assert database.name == "sales"
        assert database.schema.table("sale").row_count == 0


@pytest.mark.parametrize("prefix", ["", "sqlite:///", "sqlite+pysqlite:///"])
def test_a_path_and_a_url_name_the_same_file(settings: Settings, tmp_path: Path, prefix: str) -> None:
    with connect(f"{prefix}{tmp_path / 'sales.db'}", settings=settings) as database:
        assert database.url == f"sqlite:///{tmp_path / 'sales.db'}"
        assert database.name == "sales"


def test_a_file_is_found_from_any_folder(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.file.write_text('[databases]\nsales = "sales.db"\n', encoding="utf-8")
    monkeypatch.setenv("FATHOM_CONFIG", str(settings.file))
    monkeypatch.setenv("HOME", str(tmp_path))
    here, elsewhere = tmp_path / "h%65re", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    (here / "sales").mkdir()
    (here / "linked.db").symlink_to(tmp_path / "sales.db")
    monkeypatch.chdir(here)
    paths = {
        "linked.db": here / "linked.db",
        "../sales.db": here / "../sales.db",
        "~/sales.db": tmp_path / "sales.db",
    }
    found = {name: from_any_folder(name) for name in paths}
    assert found == {name: str(path) for name, path in paths.items()}
    urls = [from_any_folder(f"{kind}:///linked.db") for kind in ("sqlite", "sqlite+pysqlite", "SQLite")]
    # A name from the settings comes before a file, as in connecting.
    for name in ("sales", "demo:biomed", "nowhere.db", "", "sqlite://", "postgresql://localhost/linked.db"):
        assert from_any_folder(name) == name
    monkeypatch.chdir(elsewhere)
    for name in (*found.values(), *urls):
        with connect(name) as database:
            assert database.url == f"sqlite:///{tmp_path / 'sales.db'}"


def test_the_first_bytes_tell_the_engine(settings: Settings, tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "odd.sqlite").close()
    with connect(tmp_path / "odd.sqlite", settings=settings) as database:
        assert database.dialect == "duckdb"
    with pytest.raises(ConnectionFailed, match="is a DuckDB file, not a SQLite one"):
        connect(f"sqlite:///{tmp_path / 'odd.sqlite'}", settings=settings)


def test_a_bare_word_that_is_no_file_is_missed_in_the_settings(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConnectionFailed) as missed:
        connect("mini_dev_postgresql", settings=settings)
    assert f"and no mini_dev_postgresql under [databases] in {settings.file}." in str(missed.value)
    with pytest.raises(ConnectionFailed) as missed:
        connect("elsewhere/mini_dev_postgresql", settings=settings)
    assert "[databases]" not in str(missed.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sale.db", "There is no file .*sale.db. Did you mean 'sales.db'"),
        ("sales.csv", "There is no file .*sales.csv. Did you mean 'sales'"),
        ("", "is a folder; name the database file in it: empty.db, sales.db"),
        ("notes.txt", "neither a SQLite nor a DuckDB file"),
        ("empty.db", "is empty"),
    ],
)
def test_what_is_no_database_is_named(settings: Settings, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "notes.txt").write_text("not a database, though long enough", encoding="utf-8")
    (tmp_path / "empty.db").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConnectionFailed, match=message):
        connect(tmp_path / name, settings=settings)
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_file_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes((tmp_path / "sales.db").read_bytes()[:100] + bytes(5000))
    with pytest.raises(ConnectionFailed, match=r"bad\.db"):
        connect(tmp_path / "bad.db", settings=settings)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("oracle://somewhere/x", "doesn't know databases of the kind 'oracle'"),
        ("postgres://u:p@host:port/x", "can't be read"),
        ("sqlite://", "in memory"),
    ],
)
def test_a_url_of_another_kind_is_refused(settings: Settings, url: str, message: str) -> None:
    with pytest.raises(ConnectionFailed, match=message):
        connect(url, settings=settings)


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_missing_driver_is_named_with_its_extra(
    settings: Settings, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = SERVERS[scheme]
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    required = project["optional-dependencies"][kind.extra]
    assert required[0].startswith(kind.package)
    monkeypatch.delitem(sys.modules, f"fathom.databases.{kind.module}", raising=False)
    for name in [m for m in sys.modules if m.startswith(kind.imported)]:
        monkeypatch.delitem(sys.modules, name)
    package, _, name = kind.imported.rpartition(".")
    if package in sys.modules:
        monkeypatch.delattr(sys.modules[package], name, raising=False)
    monkeypatch.setitem(sys.modules, kind.imported, None)
    with pytest.raises(MissingExtra, match=rf"{kind.title}.*askfathom\[{kind.extra}\]"):
        connect(f"{scheme}://user@127.0.0.1:1/x", settings=settings)


def test_an_unknown_demo_is_named(settings: Settings) -> None:
    with pytest.raises(UnknownName, match="no demo 'biomde'"):
        connect("demo:biomde", settings=settings)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://someone:s3cret-w0rd@127.0.0.1:1/x",
        "mysql://someone:s3cret-w0rd@127.0.0.1:1/x",
        "postgresql://127.0.0.1:1/x?password=s3cret-w0rd",
    ],
)
def test_an_unreachable_server_is_named_without_the_password(settings: Settings, url: str) -> None:
    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1") as caught:
        connect(url, settings=settings)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in f"{error} {error!r}"
        error = error.__cause__


@pytest.mark.parametrize("server", [postgres_url, mysql_url], ids=["postgres", "mysql"])
def test_a_wrong_password_or_database_is_said(settings: Settings, server: object) -> None:
    assert callable(server)
    url = server().set(database="nowhere_at_all").render_as_string(hide_password=False)
    with pytest.raises(ConnectionFailed, match="nowhere_at_all"):
        connect(url, settings=settings)


@pytest.mark.parametrize("server", [postgres_url, mysql_url], ids=["postgres", "mysql"])
def test_no_text_of_a_database_holds_its_password(settings: Settings, server: object) -> None:
    assert callable(server)
    url = server().update_query_dict({})
    with connect(url.render_as_string(hide_password=False), settings=settings) as database:
        assert str(url.password) not in f"{database.url} {database!r} {database.name}"
        assert "***" in database.url or url.password is None


def test_using_sqlite_imports_nothing_heavy(settings: Settings, tmp_path: Path) -> None:
    program = (
        "import sys; from fathom.databases import connect\n"
        "db = connect(sys.argv[1]); db.run('SELECT * FROM sale'); db.schema; db.close()\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & "
        "{'sqlalchemy', 'sqlglot', 'duckdb', 'pydantic', 'numpy', 'psycopg', 'pymysql'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "sales.db")],
        capture_output=True,
        text=True,
        check=True,
        env={"FATHOM_CACHE": str(tmp_path / "cache"), "FATHOM_CONFIG": str(tmp_path / "none.toml")},
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("server", [postgres_url, mysql_url], ids=["postgres", "mysql"])
def test_a_url_without_a_database_lists_those_there(settings: Settings, server: Callable[[], URL]) -> None:
    address = server()
    alone = address.set(database="").render_as_string(hide_password=False)
    with pytest.raises(DatabaseNotNamed, match="names no database") as told:
        connect(alone, settings=settings)
    assert told.value.databases
    assert not {"information_schema", "template0"}.intersection(told.value.databases)
    command = str(told.value).splitlines()[1]
    named = shlex.split(command)[2]
    assert named.endswith(f"/{told.value.databases[0]}")
    if address.password is None:
        with connect(named, settings=settings) as database:
            assert database.name == told.value.databases[0]


def test_a_database_that_libpq_is_told_elsewhere_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres_url()
    monkeypatch.setenv("PGDATABASE", address.database or "")
    alone = address.set(database="").render_as_string(hide_password=False)
    connect(alone, settings=settings).close()


def test_every_error_is_ours(settings: Settings, tmp_path: Path) -> None:
    for name in ("nowhere", "sales2", "http://x", "demo:", "sqlite:////", "\0"):
        with pytest.raises(FathomError):
            connect(name, settings=settings)
