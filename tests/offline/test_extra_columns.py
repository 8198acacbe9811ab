"""Columns that tell rows apart, shown beside the one that was asked for."""

import pytest

from fathom.knowledge import KnowledgePack
from fathom.offline.checks.extra_columns import shows_unasked
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.records import Question
from tests.offline.making import made

CLINIC = """
CREATE TABLE doctor (doctor_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, field TEXT);
CREATE TABLE ward (ward_code TEXT PRIMARY KEY, ward_name TEXT);
"""
BOTH = "SELECT first_name, last_name FROM doctor"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> OfflineEngine:
    with made(CLINIC, tmp_path_factory.mktemp("clinic")) as database:
        return OfflineEngine(database, KnowledgePack())


@pytest.mark.parametrize(
    ("asked", "sql", "more"),
    [
        ("the last names of the doctors", BOTH, True),
        ("Which doctor is in surgery? Give his or her last name.", BOTH, True),
        ("the first and last names of the doctors", BOTH, False),
        ("the first, middle, and last names of the doctors", BOTH, False),
        ("doctors in surgery", BOTH, False),
        ("the first doctors in surgery", BOTH, False),
        ("the last names of the doctors", "SELECT last_name FROM doctor", False),
        ("the codes of the wards", "SELECT ward_code, ward_name FROM ward", True),
        ("the codes and names of the wards", "SELECT ward_code, ward_name FROM ward", False),
        ("the wards", "SELECT ward_code, ward_name FROM ward", False),
        ("the codes of the wards", "SELECT ward_code FROM ward", False),
    ],
)
def test_what_is_shown_unasked(asked: str, sql: str, more: bool, clinic: OfflineEngine) -> None:
    assert shows_unasked(parse(sql, clinic.planner), clinic.link(Question(asked))) is more
