"""What an account may do beside reading: told when it connects, refused where that is asked for."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psycopg
import pymysql
import pytest
from sqlalchemy import make_url

from fathom.databases import Database, connect
from fathom.errors import AccountRefused, AccountWarning
from tests.databases.makers import MYSQL, Make, mysql_databases, postgres_databases, settings_in

TABLE = "CREATE TABLE kept (id INTEGER)"
# What a view's owner may have put into it, and the guard can't see.
LOCKING = (
    "CREATE FUNCTION locking() RETURNS bool VOLATILE LANGUAGE sql"
    " AS 'SELECT true FROM pg_advisory_lock(4242)'",
    "CREATE VIEW locked AS SELECT locking() AS is_locked",
)
LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4242"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with postgres_databases(tmp_path_factory.mktemp("postgres")) as make:
        yield make


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with mysql_databases(tmp_path_factory.mktemp("mysql")) as make:
        yield make


def _plain(database: Database) -> str:
    return make_url(database.url).set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def postgres_role(database: Database, *grants: str) -> Iterator[str]:
    """The URL of a role that may read the tables, and whatever else is granted to it as `{role}`."""
    role = f"fathom_reader_{make_url(database.url).database}"
    with psycopg.connect(_plain(database), autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'reads'")
        for grant in ("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}", *grants):
            owner.execute(grant.format(role=role))
    try:
        url = make_url(database.url).set(username=role, password="reads")
        yield url.render_as_string(hide_password=False)
    finally:
        with psycopg.connect(_plain(database), autocommit=True) as owner:
            owner.execute(f"DROP OWNED BY {role}; DROP ROLE {role}; DROP ROLE IF EXISTS {role}_group")


@contextmanager
def mysql_account(database: Database, *grants: str) -> Iterator[str]:
    """The URL of an account that may read the tables; what is granted names it as `{account}`."""
    name = f"reader_{(make_url(database.url).database or '')[-12:]}"
    parts = make_url(MYSQL)
    with pymysql.connect(
        host=parts.host, port=parts.port or 3306, user=parts.username, password=parts.password or ""
    ) as owner:
        cursor = owner.cursor()
        cursor.execute(f"CREATE USER {name}@'%' IDENTIFIED BY 'reads'")
        try:
            cursor.execute(f"GRANT SELECT, SHOW VIEW ON {database.name}.* TO {name}@'%'")
            for grant in grants:
                cursor.execute(grant.format(account=f"{name}@'%'", role=f"role_{name}"))
            url = make_url(database.url).set(username=name, password="reads")
            yield url.render_as_string(hide_password=False)
        finally:
            cursor.execute(f"DROP ROLE IF EXISTS role_{name}")
            cursor.execute(f"DROP USER {name}@'%'")


def _kinds(url: str, folder: Path) -> list[str]:
    with connect(url, settings=settings_in(folder)) as database:
        return [risk.kind for risk in database.account_risks]


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_a_superuser_is_warned_of_and_can_be_refused(
    server: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    database = request.getfixturevalue(server)(TABLE)
    settings = settings_in(tmp_path)
    with pytest.warns(AccountWarning, match=r"it is a superuser.*docs/security\.md"):
        connect(database.url, settings=settings).close()
    with pytest.raises(
        AccountRefused, match=r"Make an account that only reads: CREATE .*GRANT .*SELECT"
    ) as refused:
        connect(database.url, settings=settings, strict=True)
    assert refused.value.risks[0].startswith("is a superuser")
    assert database.account_risks[0].kind == "superuser"


def test_a_plain_reader_is_neither_on_postgresql(
    postgres: Make, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    database = postgres(TABLE)
    recwarn.clear()
    with (
        postgres_role(database) as url,
        connect(url, settings=settings_in(tmp_path), strict=True) as reader,
    ):
        assert reader.account_risks == ()
        assert reader.run("SELECT count(*) FROM kept").rows == ((0,),)
    assert [w for w in recwarn if issubclass(w.category, AccountWarning)] == []


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("pg_read_server_files", "files"),
        ("pg_write_server_files", "files"),
        ("pg_execute_server_program", "programs"),
        ("pg_signal_backend", "sessions"),
    ],
)
def test_what_roles_of_postgresql_come_to(role: str, kind: str, postgres: Make, tmp_path: Path) -> None:
    with postgres_role(postgres(TABLE), f"GRANT {role} TO {{role}}") as url:
        assert _kinds(url, tmp_path) == [kind]
        with pytest.raises(AccountRefused, match=role):
            connect(url, settings=settings_in(tmp_path), strict=True)


def test_a_role_behind_another_role_counts(postgres: Make, tmp_path: Path) -> None:
    grants = (
        "ALTER ROLE {role} NOINHERIT REPLICATION",
        "CREATE ROLE {role}_group NOLOGIN",
        "GRANT pg_read_server_files TO {role}_group",
        "GRANT pg_monitor, {role}_group TO {role}",
    )
    with postgres_role(postgres(TABLE), *grants) as url:
        assert _kinds(url, tmp_path) == ["files", "replication"]


@pytest.mark.parametrize("extension", ["dblink", "postgres_fdw", "file_fdw"])
def test_extensions_that_reach_outside_are_told_of(extension: str, postgres: Make, tmp_path: Path) -> None:
    database = postgres(TABLE)
    with psycopg.connect(_plain(database), autocommit=True) as owner:
        available = owner.execute("SELECT name FROM pg_available_extensions").fetchall()
        if (extension,) not in available:
            pytest.skip(f"the server has no {extension}")
        owner.execute(f"CREATE EXTENSION {extension}")
        with postgres_role(database) as url:
            assert _kinds(url, tmp_path) == ["extension"]
            with pytest.raises(AccountRefused, match=f"{extension}.*DROP EXTENSION.*REVOKE EXECUTE"):
                connect(url, settings=settings_in(tmp_path), strict=True)
            owner.execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC")
            assert _kinds(url, tmp_path) == []


@pytest.mark.parametrize(
    ("grants", "kinds"),
    [
        ((), []),
        (("GRANT FILE ON *.* TO {account}",), ["files"]),
        (("GRANT SUPER, FILE, SHUTDOWN ON *.* TO {account}",), ["superuser", "files", "programs"]),
        (("GRANT ALL PRIVILEGES ON *.* TO {account}",), ["superuser"]),
        (("GRANT ALL PRIVILEGES ON {{}}.* TO {account}",), []),
        (
            ("CREATE ROLE {role}", "GRANT FILE ON *.* TO {role}", "GRANT {role} TO {account}"),
            [],
        ),
        (
            (
                "CREATE ROLE {role}",
                "GRANT FILE ON *.* TO {role}",
                "GRANT {role} TO {account}",
                "SET DEFAULT ROLE {role} FOR {account}",
            ),
            ["files"],
        ),
    ],
    ids=["reader", "file", "several", "all", "of one database", "role not in force", "role in force"],
)
def test_what_privileges_of_mysql_come_to(
    grants: tuple[str, ...], kinds: list[str], mysql: Make, tmp_path: Path
) -> None:
    database = mysql(TABLE)
    named = [g.replace("{{}}", database.name) for g in grants]
    with mysql_account(database, *named) as url:
        assert _kinds(url, tmp_path) == kinds


def test_files_have_no_account(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "a.duckdb")).close()
    with connect(tmp_path / "a.duckdb", settings=settings_in(tmp_path), strict=True) as database:
        assert database.account_risks == ()


def test_the_command_notes_it_once_and_refuses_when_strict(postgres: Make) -> None:
    asked = ("sql", postgres(TABLE).url, "SELECT count(*) FROM kept")
    done = _run_fathom(*asked)
    assert done.returncode == 0
    assert done.stderr.count("Note: ") == 1
    assert "it is a superuser" in done.stderr
    for refused in (_run_fathom(*asked, "--strict"), _run_fathom(*asked, FATHOM_STRICT="1")):
        assert refused.returncode == 1
        assert refused.stderr.startswith("Error: The account ")
        assert "Make an account that only reads" in refused.stderr


def _run_fathom(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "fathom", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=60,
    )


def test_advisory_locks_end_with_the_query(postgres: Make) -> None:
    database = postgres(TABLE, *LOCKING)
    assert database.run("SELECT is_locked FROM locked").rows == ((True,),)
    assert database.run("SELECT id FROM kept").rows == ()
    with psycopg.connect(_plain(database)) as other:
        assert other.execute(LOCKS).fetchall() == [(0,)]


def test_the_session_is_kept_after_a_query(postgres: Make) -> None:
    database = postgres(TABLE)
    own = "SELECT pg_backend_pid()"
    first = database._read(own)
    database.run("SELECT id FROM kept")
    assert database._read(own) == first
