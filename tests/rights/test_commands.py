"""Rights on the command line: who asks, what is checked, what is logged."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.command import Fathom
from tests.rights.world import WHOLE, leaks

RIGHTS = """
[users.anna]
[users.ben]
[[grants]]
to = ["anna"]
databases = ["shop"]
tables = ["*"]
deny_tables = ["xylomancy"]
sql = false
[grants.columns.customers]
deny = ["{column}"]
[grants.rows]
customers = "country = 'France'"
orders = "customer_id < 5"
"""


@pytest.fixture
def shop(tmp_path: Path, own_settings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shop, its rights and settings that name neither."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect(tmp_path / "shop.db") as writer:
        for statement in WHOLE:
            writer.execute(statement)
    writer.close()
    (tmp_path / "rights.toml").write_text(RIGHTS.format(column="quorvex"), encoding="utf-8")
    return tmp_path


def test_ask_answers_from_what_the_user_may_see(shop: Path, fathom: Fathom) -> None:
    question = "How many customers are there?"
    code, out, _ = fathom("ask", "shop.db", question, "--rights", "rights.toml", "--user", "anna")
    assert (code, out.splitlines()[0]) == (0, "4 customers.")
    code, _, told = fathom("ask", "shop.db", question, "--rights", "rights.toml", "--user", "ben")
    assert code == 1
    assert "may ask no database" in told


def test_the_settings_name_the_file_and_the_log_keeps_who(shop: Path, fathom: Fathom) -> None:
    (shop / "config.toml").write_text(
        'rights = "rights.toml"\naudit_log = "audit.jsonl"\n[databases]\nshop = "shop.db"\n', encoding="utf-8"
    )
    assert fathom("ask", "shop", "How many customers are there?", "--user", "anna")[0] == 0
    (line,) = (shop / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    entry = json.loads(line)
    assert entry["user"].endswith(" as anna")
    assert len(entry["rights"]) == 16
    assert not leaks(line)
    code, out, _ = fathom("inspect", "shop", "--user", "anna")
    assert code == 0
    assert "dear_products" in out
    assert not leaks(out)
    assert fathom("inspect", "shop")[0] == 1


def test_queries_of_ones_own_may_be_forbidden(shop: Path, fathom: Fathom) -> None:
    code, _, told = fathom("sql", "shop.db", "SELECT 1", "--rights", "rights.toml", "--user", "anna")
    assert code == 1
    assert "not run queries of your own" in told


def test_rights_shows_what_each_user_sees(shop: Path, fathom: Fathom) -> None:
    code, out, told = fathom("rights", "rights.toml", "--database", "shop.db")
    assert code == 0
    assert "2 users, 0 groups, 1 grants" in told
    assert "anna in shop.db:" in out
    assert "  customers: id, name, city, country, where (country = 'France')" in out
    assert "ben in shop.db:\n  nothing" in out
    code, out, _ = fathom("rights", "rights.toml", "--database", "shop.db", "--user", "anna", "--json")
    assert [one["user"] for one in json.loads(out)] == ["anna"]


def test_rights_tells_what_does_not_fit(shop: Path, fathom: Fathom) -> None:
    (shop / "rights.toml").write_text(RIGHTS.format(column="quorvx"), encoding="utf-8")
    code, out, _ = fathom("rights", "rights.toml", "--database", "shop.db")
    assert code == 1
    assert "no column 'quorvx'. Did you mean 'quorvex'?" in out
    code, _, told = fathom("ask", "shop.db", "How many?", "--rights", "rights.toml", "--user", "anna")
    assert code == 1
    assert not leaks(told)
    assert "fathom rights FILE --database shop" in told
