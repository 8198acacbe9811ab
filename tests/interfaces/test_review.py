import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.command import Done, Fathom

from fathom.benchmarks import load_benchmark

COUNT, JOINED, CITIES = (
    "SELECT COUNT(*) FROM sale",
    "SELECT COUNT(*) FROM sale AS s JOIN city AS c ON c.id = s.city_id",
    "SELECT COUNT(*) FROM city",
)
Review = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, own_settings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FATHOM_STORE", str(tmp_path / "fathom.sqlite"))
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.sqlite")) as made, made:
        made.execute("CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)")
        made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id))")
        made.executemany("INSERT INTO city VALUES (?, ?)", [(1, "Bern"), (2, "Rome")])
        made.executemany("INSERT INTO sale VALUES (?, ?)", [(i, i % 2 + 1) for i in range(1, 21)])
    questions = ({"id": f"q{i}", "question": f"How many sales, {i}?"} for i in range(4))
    Path("questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in questions))
    return tmp_path


@pytest.fixture
def review(fathom: Fathom, folder: Path) -> Review:
    """`fathom review`, which must succeed."""

    def run(*words: object) -> Done:
        done = fathom("review", *words)
        assert done.code == 0, done.err
        return done

    return run


def filled(file: Path, fill: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(fill(line)) + "\n" for line in lines))


def answering(sql: str, other: str = "") -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Fill in one query, or another for the third question."""

    def fill(line: dict[str, Any]) -> dict[str, Any]:
        said = other if other and line["question"].endswith("3?") else sql
        return {**line, "response": {**line["response"], "sql": said, "difficulty": [1, 2, 1, 3]}}

    return fill


def rating(dimensions: dict[str, int]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Fill in how hard each question is."""
    return lambda line: {**line, "response": {**line["response"], "difficulty": dimensions}}


def test_raters_fill_in_dimensions_by_name(review: Review, fathom: Fathom, folder: Path) -> None:
    review("new", "hard", "difficulty", "--database", "shop=shop.sqlite")
    review("add", "hard", "questions.jsonl")
    given = {"ann": (1, 2, 1, 3), "ben": (1, 3, 2, 3)}
    for name, ratings in given.items():
        review("person", name)
        file = folder / f"{name}.jsonl"
        review("take", "hard", "--by", name, "--out", file)
        asked = json.loads(file.read_text().splitlines()[0])["response"]
        dimensions = ("question", "knowledge", "data", "sql")
        assert asked == {"note": "", "difficulty": dict.fromkeys(dimensions)}
        assert "0 responses" in review("submit", file, "--by", name).out  # nothing is filled in yet
        filled(file, rating(dict(zip(dimensions, ratings, strict=True))))
        assert "4 responses" in review("submit", file, "--by", name).out
        assert "0 responses" in review("submit", file, "--by", name).out  # the same again
    review("export", "hard", "--out", "out")
    ratings = json.loads((folder / "out/difficulty.jsonl").read_text().splitlines()[0])["ratings"]
    assert ratings == {name: sum(g[i] for g in given.values()) / 2 for i, name in enumerate(dimensions)}


def test_the_whole_flow_by_files(review: Review, fathom: Fathom, folder: Path) -> None:
    for name, role in (("ann", "annotator"), ("ben", "annotator"), ("eve", "expert")):
        token = review("person", name, "--role", role).out.strip()
        assert len(token) > 20
    review("new", "shop", "sql", "--database", "shop=shop.sqlite", "--title", "The shop")
    assert "4 items added" in review("add", "shop", "questions.jsonl").out
    assert "4 were there already" in review("add", "shop", "questions.jsonl").out
    for name, fill in (("ann", answering(COUNT)), ("ben", answering(JOINED, CITIES))):
        file = folder / f"{name}.jsonl"
        assert "4 items" in review("take", "shop", "--by", name, "--out", file).out
        before = file.read_text()
        assert "COUNT" not in before
        filled(file, fill)
        told = review("submit", file, "--by", name).out
    assert "3 agreed" in told
    assert "1 conflict" in told
    assert "0 responses" in review("submit", folder / "ben.jsonl", "--by", "ben").out
    assert "nothing left to do" in review("take", "shop", "--by", "ben", "--out", "more.jsonl").out
    shown = review("show", "shop").out
    assert "1 conflict, 3 settled" in shown
    assert "ann: 4 done" in shown
    review("conflicts", "shop", "--out", "conflicts.jsonl")
    asked = json.loads(Path("conflicts.jsonl").read_text())
    assert "ann" not in json.dumps(asked)
    right = next(k for k, r in asked["responses"].items() if r["sql"] == COUNT)
    undecided = fathom("review", "decide", "shop", "conflicts.jsonl", "--by", "eve")
    assert "0 decisions" in undecided.out
    filled(folder / "conflicts.jsonl", lambda line: {**line, "choose": right})
    refused = fathom("review", "decide", "shop", "conflicts.jsonl", "--by", "eve")
    assert refused.code == 1
    assert "needs a reason" in refused.err
    filled(folder / "conflicts.jsonl", lambda line: {**line, "reason": "a sale is no city"})
    assert "1 decisions taken" in review("decide", "shop", "conflicts.jsonl", "--by", "eve").out
    assert "4 items written" in review("export", "shop", "--out", "out").out
    assert len(list(load_benchmark("out/questions.jsonl"))) == 4
    told = review("figures", "out").out
    assert "75.0%" in told
    assert json.loads(review("figures", "out", "--json").out) == json.loads(
        Path("out/agreement.json").read_text()
    )
    review("reopen", "shop", "q3", "--by", "eve", "--reason", "look again")
    assert "1 conflict" in review("show", "shop").out
    assert "conflict" in review("export", "shop", "--out", "out").out
    changed = Path("out/annotations.jsonl").read_text().replace('"equal": false', '"equal": true')
    Path("out/annotations.jsonl").write_text(changed)
    other = fathom("review", "figures", "out")
    assert other.code == 1
    assert "other figures" in other.err


def test_an_exam_comes_first(review: Review, fathom: Fathom, folder: Path) -> None:
    review("person", "ann"), review("person", "olga", "--role", "owner")
    review("new", "exam", "sql", "--database", "shop=shop.sqlite", "--pass-mark", 1)
    Path("exam.jsonl").write_text(json.dumps({"id": 1, "question": "How many sales?", "gold": COUNT}) + "\n")
    review("add", "exam", "exam.jsonl")
    review("new", "work", "sql", "--database", "shop=shop.sqlite", "--exam", "exam")
    review("add", "work", "questions.jsonl")
    refused = fathom("review", "take", "work", "--by", "ann", "--out", "a.jsonl")
    assert refused.code == 1
    assert "Pass the exam" in refused.err
    review("take", "exam", "--by", "ann", "--out", "e.jsonl")
    assert COUNT not in Path("e.jsonl").read_text()
    filled(folder / "e.jsonl", answering(CITIES))
    assert "1 failed" in review("submit", "e.jsonl", "--by", "ann").out
    assert "failed, 0 of 1 right" in review("show", "exam").out
    review("let-pass", "exam", "ann", "--by", "olga")
    assert "4 items" in review("take", "work", "--by", "ann", "--out", "a.jsonl").out


def test_what_is_wrong_is_told_and_the_rest_is_taken(review: Review, fathom: Fathom, folder: Path) -> None:
    assert "no project yet" in review("show").out
    assert "Nobody takes part" in review("person").out
    review("person", "ann"), review("person", "ben")
    review("new", "shop", "sql", "--database", "shop=shop.sqlite")
    review("add", "shop", "questions.jsonl")
    review("take", "shop", "--by", "ann", "--out", "ann.jsonl")
    lines = Path("ann.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    told[0]["response"]["sql"] = COUNT
    told[1]["response"] |= {"sql": COUNT, "unanswerable": "no"}
    Path("ann.jsonl").write_text("".join(json.dumps(line) + "\n" for line in told))
    done = fathom("review", "submit", "ann.jsonl", "--by", "ann")
    assert done.code == 1
    assert "1 responses taken" in done.out
    assert "line 2" in done.err
    assert "one of the three" in done.err
    others = fathom("review", "submit", "ann.jsonl", "--by", "ben")
    assert "There is no piece of work" in others.err
    for words in (
        ("add", "shop"),
        ("add", "nothing", "questions.jsonl"),
        ("add", "shop", "missing.jsonl"),
        ("add", "shop", "a", "b", "--from", "audit"),
        ("take", "shop", "--by", "nobody", "--out", "x.jsonl"),
        ("new", "x", "sql", "--database", "shop.sqlite"),
        ("new", "x", "sql", "--database", "a=missing.sqlite"),
        ("figures", "nothing"),
    ):
        assert fathom("review", *words).code == 1, words
    assert "x" not in [p["id"] for p in json.loads(review("show", "--json").out)["projects"]]
    review("close", "shop")
    assert "closed" in fathom("review", "take", "shop", "--by", "ben", "--out", "x.jsonl").err
    review("close", "shop", "--again")
    first = review("person", "zoe").out.strip()
    assert review("person", "zoe", "--new-token").out.strip() != first
    review("person", "zoe", "--leave")
    assert "zoe: annotator, left" in review("person").out
