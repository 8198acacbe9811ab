"""Files of rights: what they hold, and every problem of one told at once."""

from pathlib import Path

import pytest

from fathom.errors import InputErrors, RightsError
from fathom.records import Limits
from fathom.rights import ColumnRule, Seen, read_rights
from fathom.rights.grants import unknown_names

GOOD = """
[users.anna]
token = "sha256:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

[users.ben]

[groups]
france = ["anna", "ben"]

[[grants]]
to = ["france"]
databases = ["sales*"]
tables = ["*"]
deny_tables = ["payroll"]
sql = false

[grants.columns.staff]
deny = ["salary"]

[grants.rows]
customers = "country = 'FR'"

[grants.limits]
seconds = 5
rows = 100

[[grants]]
to = ["ben"]
databases = ["sales"]
tables = ["customers"]
models = false

[grants.columns.customers]
allow = ["id", "name"]

[grants.rows]
customers = "country = 'BE'"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "rights.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_user_has_the_grants_of_their_groups(tmp_path: Path) -> None:
    granted = read_rights(written(tmp_path, GOOD)).granted("anna", "", "sales")
    assert granted.seen("payroll", ["id"]) is None
    assert granted.seen("staff", ["id", "salary"]) == Seen(("id",))
    assert granted.seen("customers", ["id"]) == Seen(("id",), "(country = 'FR')")
    assert (granted.sql, granted.models) == (False, True)
    assert granted.within(Limits()) == Limits(5, 100)
    assert granted.within(Limits(1, 5)) == Limits(1, 5)


def test_several_grants_give_rows_of_any_and_columns_of_all(tmp_path: Path) -> None:
    granted = read_rights(written(tmp_path, GOOD)).granted("ben", "sales")
    seen = granted.seen("customers", ["id", "name", "phone"])
    assert seen == Seen(("id", "name"), "((country = 'FR')) OR ((country = 'BE'))")
    assert not granted.models
    assert granted.seen("payroll", ["id"]) is None


def test_users_who_may_see_the_same_share_a_digest(tmp_path: Path) -> None:
    rights = read_rights(written(tmp_path, GOOD))
    assert rights.granted("anna", "sales2").digest == rights.granted("ben", "sales2").digest
    assert rights.granted("anna", "sales").digest != rights.granted("ben", "sales").digest


def test_without_a_grant_there_is_nothing(tmp_path: Path) -> None:
    rights = read_rights(written(tmp_path, GOOD))
    for user, database in (("anna", "other"), ("nobody", "sales"), ("france", "sales")):
        with pytest.raises(RightsError, match="may ask no database"):
            rights.granted(user, database)


def test_tokens_are_known_by_their_digest(tmp_path: Path) -> None:
    rights = read_rights(written(tmp_path, GOOD))
    assert rights.of_token("mine") is None
    assert rights.of_token("secret") == "anna"


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    text = """
colour = 1
[users.anna]
tokn = "x"
token = "secret"
[groups]
france = ["anne"]
anna = []
[[grants]]
to = ["frence"]
databases = "sales"
sql = "no"
[grants.columns.staff]
[grants.limits]
seconds = 0
minutes = 1
[grants.rows]
customers = ""
"""
    with pytest.raises(InputErrors) as found:
        read_rights(written(tmp_path, text))
    problems = {p.field: p.problem for p in found.value.problems}
    assert set(problems) == {
        "colour", "users.anna.tokn", "users.anna.token", "groups.france", "groups.anna", "grants[1].tables",
        "grants[1].to", "grants[1].databases", "grants[1].sql", "grants[1].columns.staff", "grants[1].limits",
        "grants[1].limits.minutes", "grants[1].rows.customers",
    }  # fmt: skip
    assert "Did you mean 'france'?" in problems["grants[1].to"]
    assert "Did you mean 'token'?" in problems["users.anna.tokn"]
    assert "secret" not in str(found.value)


def test_a_file_that_is_no_toml_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputErrors, match=r"rights\.toml.*can't be read"):
        read_rights(written(tmp_path, "[[grants"))
    with pytest.raises(InputErrors, match="can't be read"):
        read_rights(tmp_path / "none.toml")


def test_names_that_a_database_lacks_are_told(tmp_path: Path) -> None:
    granted = read_rights(written(tmp_path, GOOD)).granted("ben", "sales")
    tables = {"payrol": ["id"], "staff": ["id", "salery"], "customers": ["id", "name"]}
    assert unknown_names(granted, tables) == [
        "There is no table 'payroll'. Did you mean 'payrol'?",
        "The table 'staff' has no column 'salary'. Did you mean 'salery'?",
    ]


def test_columns_are_those_allowed_but_for_those_denied() -> None:
    rule = ColumnRule(("a*", "b"), ("ab",))
    assert [c for c in ("a", "AB", "ac", "b", "c") if rule.shows(c)] == ["a", "ac", "b"]
