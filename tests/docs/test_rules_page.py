from fathom.offline.rules import ROOMS
from tests.docs.rules_page import PAGE, TABLES, text


def test_the_tables_of_rules_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run: make docs"


def test_every_room_is_described() -> None:
    prose = PAGE.read_text(encoding="utf-8").partition(TABLES)[0]
    assert all(f"| `{room}` | " in prose for room in ROOMS)
