import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from fathom.offline.engine import OfflineEngine
from fathom.offline.filters import FILTERS
from fathom.offline.rules import ROOMS
from fathom.records import Question
from tests.docs.rules_page import PAGE, TABLES, text
from tests.docs.test_pages import blocks
from tests.offline.asked_databases import opened
from tests.offline.asked_files import Case, read
from tests.offline.test_asked import LOOKS, Asked


def test_the_tables_of_rules_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run: make docs"


def test_every_room_is_described() -> None:
    prose = PAGE.read_text(encoding="utf-8").partition(TABLES)[0]
    assert all(f"| `{room}` | " in prose for room in ROOMS)


def questions_of_the_page(folder: Path) -> tuple[Case, ...]:
    page = PAGE.read_text(encoding="utf-8")
    [written] = re.findall(r"^ +```yaml\n(.*?)^ +```$", page, re.MULTILINE | re.DOTALL)
    file = folder / "page.yaml"
    file.write_text(dedent(written), encoding="utf-8")
    return read(file)


def test_its_rule_answers_the_questions_that_it_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {}
    exec(blocks("docs/rules.md", "python")[0], names)
    monkeypatch.setattr(OfflineEngine.filter_reading, "__defaults__", ((*FILTERS, names["RULE"]),))
    cases = questions_of_the_page(tmp_path)
    assert len(cases) == 2
    assert cases[0].given is not None
    with opened(cases[0].given, tmp_path) as database:
        for case in cases:
            [(word, value)] = case.expected.items()
            LOOKS[word](Asked(Question(case.question), database), value)


def test_without_its_rule_they_end_otherwise(tmp_path: Path) -> None:
    case = questions_of_the_page(tmp_path)[0]
    assert case.given is not None
    with opened(case.given, tmp_path) as database, pytest.raises(AssertionError):
        LOOKS["rows"](Asked(Question(case.question), database), case.expected["rows"])
