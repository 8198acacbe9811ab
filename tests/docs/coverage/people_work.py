"""People's work for the coverage page: what each project is given, done through the commands."""

import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from fathom.interfaces.cli import main

PEOPLE = ("Ann", "Ben")
SALES = {
    "How many sales are there?": "SELECT COUNT(*) FROM sale",
    "Who buys?": "SELECT DISTINCT buyer FROM sale",
    "Which sale is the last?": "SELECT MAX(id) FROM sale",
}
"""Questions about `sales.sqlite` with gold."""
WRITTEN = {
    "Ann": ("SELECT COUNT(id) FROM sale", "SELECT buyer FROM sale GROUP BY buyer", "SELECT 40"),
    "Ben": tuple(SALES.values()),
}
"""The queries of two people; Ann's last is right by luck, which a changed copy shows."""
RATED = {
    f"Question {n}?": {"question": 1 + n % 3, "knowledge": 1 + n // 4, "data": 1, "sql": 1 + n // 5}
    for n in range(10)
}
"""Ten questions as both people rate how hard they are."""
PREFERRED = {
    "anna": ("left", "right", "both_good", "left"),
    "ben": ("left", "left", "both_good", "left"),
}
"""What two people say of four pairs of answers, in the order of their queues."""
DROPPED = 3
"""Both people drop a maker's question where this divides its length."""


def _review(*words: str) -> str:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said), pytest.raises(SystemExit) as ended:
        main(["review", *words, "--store", "people.sqlite"])
    assert not ended.value.code, (words, said.getvalue())
    return said.getvalue()


def _done(project: str, answered: Callable[[str, Mapping[str, Any]], Mapping[str, Any]]) -> None:
    """Have both people take everything, fill it in and submit it."""
    for person in PEOPLE:
        work = Path(f"{project}-{person}.jsonl")
        _review("take", project, "--by", person, "--out", str(work), "--count", "100")
        told = [json.loads(line) for line in work.read_text(encoding="utf-8").splitlines()]
        filled = [t | {"response": {**t["response"], **answered(person, t)}} for t in told]
        work.write_text("\n".join(map(json.dumps, filled)), encoding="utf-8")
        _review("submit", str(work), "--by", person)


def work_on(project: str) -> None:
    """Give a project its items, and have people do them."""
    if not (registered := Path("people-registered")).exists():
        for name in PEOPLE:
            _review("person", name)
        registered.touch()
    items = Path(f"{project}-items.jsonl")
    if project in ("shop", "exam"):
        told = [{"id": f"s{n}", "question": q, "gold": [sql]} for n, (q, sql) in enumerate(SALES.items())]
        if project == "shop":
            told = [{k: v for k, v in one.items() if k != "gold"} for one in told]
        items.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
        _review("add", project, str(items))
        order = list(SALES)
        _done(project, lambda person, t: {"sql": WRITTEN[person][order.index(t["question"])]})
    elif project == "ratings":
        told = [{"id": q.split()[1], "question": q} for q in RATED]
        items.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
        _review("add", project, str(items))
        _done(project, lambda _, t: {"difficulty": RATED[t["question"]]})
    elif project in ("readers", "triple-readers"):
        folder = {"readers": "business", "triple-readers": "triples"}[project]
        _review("add", project, folder, "--from", "maker")
        _done(project, lambda _, t: _read(t["question"]))


def _read(question: str) -> dict[str, str]:
    """What both people say of a maker's question."""
    is_dropped = len(question) % DROPPED == 0
    return {"decision": "drop", "note": "It is too long."} if is_dropped else {"decision": "keep"}


def fill_queue(person: str) -> None:
    """Write what a person says of each pair into their queue."""
    file = Path(f"{person}.jsonl")
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    filled = [json.dumps(t | {"verdict": v}) for t, v in zip(told, PREFERRED[person], strict=True)]
    file.write_text("\n".join(filled), encoding="utf-8")
