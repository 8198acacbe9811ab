"""Attacks on databases with functions and secrets of the owner's: none passes, and rights hold.

The lists were written by somebody who hadn't read the guard; `owned.py` has the databases.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import makers
from tests.databases.guard.canaries import files, picture
from tests.databases.guard.owned import GRANTED, OWNED, RIGHTS, RIGHTS_OF_NOTES, SECRETS
from tests.databases.guard.test_guard import listed
from tests.sampling import Sample

from fathom.databases import Database
from fathom.errors import QueryError, QueryRefused
from fathom.records import Limits
from fathom.rights import read_rights, restrict

SHORT = Limits(seconds=2, rows=50)


@pytest.fixture(scope="module", params=sorted(OWNED))
def owned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with getattr(makers, f"{request.param}_databases")(tmp_path_factory.mktemp("owned")) as make:
        yield make(*OWNED[request.param])


@pytest.fixture(scope="module", params=sorted(GRANTED))
def granted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The database as somebody may see it who lacks some of its tables, columns and rows."""
    folder: Path = tmp_path_factory.mktemp("granted")
    more = RIGHTS_OF_NOTES if request.param == "sqlite" else ""
    (folder / "rights.toml").write_text(
        RIGHTS.replace("[grants.rows]", f"{more}[grants.rows]"), encoding="utf-8"
    )
    with getattr(makers, f"{request.param}_databases")(folder) as make:
        whole = make(*GRANTED[request.param])
        yield restrict(whole, read_rights(folder / "rights.toml").granted("anna", "any"))


def test_attacks_are_refused_and_leave_no_trace(owned: Database, sample: Sample) -> None:
    before, there = picture(owned), files()
    # What SQLite doesn't have it can't compile; elsewhere the guard says so before the server is asked.
    expected = QueryError if owned.dialect == "sqlite" else QueryRefused
    passed = []
    for sql in sample.of(listed("strangers", owned.dialect), 0.3, "strangers"):
        try:
            owned.run(sql, SHORT)
        except expected:
            continue
        except QueryError as error:
            error.add_note(f"The statement: {sql!r}")
            raise
        passed.append(sql)
    assert passed == []
    assert picture(owned) == before
    assert files() == there


def test_rights_show_nothing_hidden(granted: Database, sample: Sample) -> None:
    asked = answered = 0
    for sql in sample.of(listed("strangers", "rights"), 0.3, "rights"):
        asked += 1
        try:
            shown = repr(granted.run(sql, SHORT).rows)
            answered += 1
        except QueryError as error:
            shown = str(error)
        assert [s for s in SECRETS if s in shown and s not in sql] == [], sql
    assert answered < asked / 2  # most is refused
    assert answered or sample.key  # the visible part is answered; a sample may draw none of it
