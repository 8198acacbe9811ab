"""Readings at the terminal: shown as no answers yet, chosen by number; eight questions in a cold process."""

import io
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import Done, Fathom
from tests.offline.test_readings import SHOP

UNSURE = "purchases customers made in Rome lately"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as made:
        made.executescript(SHOP)
    made.close()
    return path


def readings(fathom: Fathom, shop: Path) -> list[dict[str, str]]:
    given = json.loads(fathom("ask", shop, UNSURE, "--json").out)
    assert given["ending"] == "unsure"
    assert len(given["readings"]) > 1
    found: list[dict[str, str]] = given["readings"]
    return found


def test_readings_are_shown_as_no_answers_yet(fathom: Fathom, shop: Path) -> None:
    known = readings(fathom, shop)
    done = fathom("ask", shop, UNSURE)
    assert done.code == 3
    first, mark, shown = done.out.partition("These are not answers yet. Your question may mean:")
    assert mark
    assert first.startswith("I'm not sure.")
    assert "SELECT" not in first
    blocks = re.split(r"\n\(\d\) ", shown)[1:]
    assert len(blocks) == len(known)
    for block, reading in zip(blocks, known, strict=True):
        said = " ".join(block.split())
        assert said.startswith(reading["text"])
        assert f"[{reading['confidence']:.0%}]" in said
        assert reading["answer"] in said
        assert " ".join(reading["sql"].split()) in said


@pytest.mark.parametrize("number", [1, 2])
def test_a_reading_is_chosen_by_its_number(fathom: Fathom, shop: Path, number: int) -> None:
    wanted = readings(fathom, shop)[number - 1]
    done = fathom("ask", shop, UNSURE, "--choose", number)
    assert done.code == 0
    assert "These are not answers yet" not in done.out
    assert done.out.startswith(wanted["answer"].split("\n")[0])
    assert f"Read as chosen: {wanted['text']}" in " ".join(done.out.split())
    given = json.loads(fathom("ask", shop, UNSURE, "--choose", number, "--json").out)
    assert (given["ending"], given["sql"]) == ("sure", wanted["sql"])


def test_a_reading_that_is_not_there_is_named(fathom: Fathom, shop: Path) -> None:
    count = len(readings(fathom, shop))
    done = fathom("ask", shop, UNSURE, "--choose", count + 1)
    assert done.code == 1
    assert f"there is no reading {count + 1}. There are {count}." in done.err


@pytest.mark.parametrize("typed", ["2", "(2)", "choose 2"])
def test_a_number_at_the_prompt_chooses(
    fathom: Fathom, shop: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    wanted = readings(fathom, shop)[1]

    def type_in(*lines: str) -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return fathom("ask", shop)

    done = type_in(UNSURE, typed)
    _, _, after = done.out.partition("These are not answers yet")
    assert "Read as chosen" not in type_in(UNSURE).out
    assert f"Read as chosen: {wanted['text']}" in " ".join(after.split())
    assert "There are " in type_in(UNSURE, "9").err


EIGHT = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import fathom

path, questions = sys.argv[1], sys.argv[2:]
ready = Barrier(len(questions))

def asked(question):
    ready.wait()
    return fathom.ask(question, path).result.rows

with ThreadPoolExecutor(len(questions)) as threads:
    print(json.dumps(list(threads.map(asked, questions))))
"""


def test_eight_questions_at_once_in_a_cold_process(shop: Path) -> None:
    expected = {
        "How many customers are there?": [[4]],
        "How many purchases are there?": [[4]],
        "How many customers are from Rome?": [[2]],
        "How many customers are from Oslo?": [[1]],
        "How many purchases were made in 2023?": [[3]],
        "How many purchases were made in 2024?": [[1]],
        "How many customers live in Bonn?": [[1]],
        "What is the total amount of purchases?": [[23.0]],
    }
    done = subprocess.run(
        [sys.executable, "-c", EIGHT, shop, *expected], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == list(expected.values())
