"""`fathom ask` on a terminal: what it says where it declines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

UNSURE = "Which zebra has the most frequent flyer miles per gallon?"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))


def test_a_declined_question_says_how_to_see_the_guess(fathom: Callable[..., Any], genes: Path) -> None:
    done = fathom("ask", genes, UNSURE)
    assert done.code == 3
    assert "--explain" in done.out
    assert "SELECT" not in done.out


def test_explained_it_shows_guess_confidence_and_what_was_not_understood(
    fathom: Callable[..., Any], genes: Path
) -> None:
    told = json.loads(fathom("ask", genes, UNSURE, "--json").out)
    done = fathom("ask", genes, UNSURE, "--explain")
    assert done.code == 3
    assert "add --explain" not in done.out
    guess = next(s["found"]["sql"] for s in reversed(told["trace"]["steps"]) if s["found"].get("sql"))
    shown, _, _ = done.out.partition("How it was found")
    assert " ".join(guess.split()) in " ".join(shown.split())
    assert f"confidence {told['confidence']:.0%}" in shown
    assert "“zebra”" in shown


def test_an_answer_offers_no_guess(fathom: Callable[..., Any], genes: Path) -> None:
    done = fathom("ask", genes, "How many genes are there?", "--explain")
    assert done.code == 0
    assert "My best guess" not in done.out
