"""The page "What you can ask": each of its questions is answered for sure, with what stands beside it."""

import re
from pathlib import Path

import pytest

import fathom
from fathom.records import Answer, Ending, shown_value
from tests.data import ROOT, needed

PAGE = ROOT / "docs" / "what-you-can-ask.md"
SAMPLES = {"Chinook": "chinook.sqlite", "Northwind": "northwind.sqlite"}


def questions() -> dict[str, list[tuple[str, str]]]:
    """The rows of the page's tables, by the name of the database in the heading above them."""
    found: dict[str, list[tuple[str, str]]] = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = re.findall(r"^\| (?!ask \|)([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
        if rows:
            found[re.split(r":\s", section)[0]] = rows
    return found


def holds(answer: Answer, expected: str) -> bool:
    """Whether the text, or one row, has all that is expected, cell by cell."""
    parts = expected.split(", ")
    told = [[shown_value(c) for c in row] for row in (answer.result.rows if answer.result else ())]
    return all(p in answer.text for p in parts) or any(
        all(any(p in cell for cell in row) for p in parts) for row in told
    )


def test_there_are_forty() -> None:
    assert sum(map(len, questions().values())) >= 40


@pytest.mark.parametrize("name", questions())
def test_every_question_is_answered(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path))
    place = needed("samples", SAMPLES[name]) if name in SAMPLES else name
    with fathom.connect(place) as database:
        for question, expected in questions()[name]:
            answer = fathom.ask(question, database)
            assert answer.ending is Ending.SURE, f"{question}: {answer.text}"
            assert holds(answer, expected), f"{question}: {answer.text}"
