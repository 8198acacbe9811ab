"""The frame itself: steps that are killed, repeated, done alone, and what people decide."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.authoring.journal import InUse, Item, entries, lock, rejected
from fathom.authoring.maker import (
    ItemStep,
    Made,
    Maker,
    PeopleStep,
    Production,
    SpreadStep,
    WholeStep,
    by_rule,
    make,
)
from fathom.authoring.publication import DataCard, DataSource, write_card, write_lines
from fathom.errors import InputError


def halves(item: Item) -> Made:
    if item["n"] == 3:
        return [rejected(item, "three: bad luck")]
    return [{"id": f"{item['id']}{half}", "n": item["n"], "question": f"{item['n']}{half}?"} for half in "ab"]


def first_of_each(items: Iterator[Item]) -> Iterator[Item]:
    seen: set[int] = set()
    for item in items:
        yield item if item["n"] not in seen else rejected(item, f"the same number: {item['n']}")
        seen.add(item["n"])


def publish(production: Production) -> Mapping[str, Any]:
    kept = write_lines(production.folder / "questions.jsonl", production.finished())
    card = DataCard("Numbers", "Halves.", [DataSource("the | numbers", "all of them", "free")], {}, "make it")
    write_card(production, card)
    return {"questions": kept, "steps": production.counts()}


def maker(count: int = 6, **more: Any) -> Maker:
    steps: tuple[Any, ...] = (
        ItemStep("halve", by_rule(halves), by="a knife"),
        WholeStep("thin", first_of_each),
        PeopleStep("review", lambda item: {"half": item["id"]}),
    )
    given = {"sources": [{"id": str(n), "n": n} for n in range(count)], "settings": {"seed": 1}, **more}
    return Maker(**{"kind": "numbers", "steps": steps, "publish": publish, **given})


def made(folder: Path, *steps: str, of: Maker | None = None) -> Any:
    return asyncio.run(make(of or maker(), folder, steps))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_each_step_keeps_what_went_in_what_came_out_who_made_it_and_why(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert found["steps"] == {"halve": {"given": 11, "kept": 10}, "thin": {"given": 10, "kept": 5},
                              "review": {"given": 5, "kept": 5}}  # fmt: skip
    by_input = dict(entries(tmp_path / "halve.jsonl"))
    assert [i["id"] for i in by_input["4"]] == ["4a", "4b"]
    assert {i["by"] for items in by_input.values() for i in items} == {"a knife"}
    assert [(i["step"], i["rejected"]) for i in lines(tmp_path / "rejected.jsonl")][:2] == [
        ("halve", "three: bad luck"),
        ("thin", "the same number: 0"),
    ]
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| halve | a knife | 11 | 10 | three (1) |" in card
    assert "| thin | rule | 10 | 5 | the same number (5) |" in card
    assert r"**the \| numbers**: all of them. Licence: free." in card


def test_each_step_can_be_done_alone_and_is_done_once(tmp_path: Path) -> None:
    assert made(tmp_path, "halve") == {}
    assert not (tmp_path / "thin.jsonl").exists()
    before = (tmp_path / "halve.jsonl").read_bytes()
    assert made(tmp_path, "thin", "publish")["questions"] == 5
    assert (tmp_path / "halve.jsonl").read_bytes() == before
    with pytest.raises(InputError, match=r"no step 'slice'\. There is: halve, thin, review, publish"):
        made(tmp_path, "slice")


def test_more_sources_add_and_fewer_leave_nothing_stale(tmp_path: Path) -> None:
    made(tmp_path)
    assert made(tmp_path, of=maker(8))["questions"] == 7
    assert made(tmp_path, of=maker(2))["questions"] == 2


def test_other_settings_need_another_folder(tmp_path: Path) -> None:
    made(tmp_path)
    with pytest.raises(InputError, match="another seed; choose another folder"):
        made(tmp_path, of=maker(settings={"seed": 2}))
    with pytest.raises(InputError, match="by 'numbers'"):
        made(tmp_path, of=maker(kind="letters"))


def test_what_cant_be_done_now_is_tried_again(tmp_path: Path) -> None:
    def down(item: Item) -> Made:
        return None if item["n"] == 1 else halves(item)

    steps = (ItemStep("halve", by_rule(down)),)
    assert made(tmp_path, of=maker(steps=steps))["questions"] == 8
    assert made(tmp_path, of=maker(steps=(ItemStep("halve", by_rule(halves)),)))["questions"] == 10


def test_a_step_that_fails_keeps_what_was_done_before(tmp_path: Path) -> None:
    async def failing(item: Item) -> Made:
        await asyncio.sleep(0.01 * item["n"])
        if item["n"] == 4:
            raise InputError("enough")
        return halves(item)

    steps = (ItemStep("halve", failing),)
    with pytest.raises(InputError, match="enough"):
        made(tmp_path, of=maker(steps=steps))
    assert [done for done, _ in entries(tmp_path / "halve.jsonl")] == ["0", "1", "2", "3"]


def test_a_spread_step_keeps_the_order_of_the_items_as_far_as_they_are_done(tmp_path: Path) -> None:
    held: list[tuple[str, list[str]]] = []

    def spread(items: Iterator[Item]) -> Iterator[tuple[str, Made]]:
        given = list(items)
        for place in (1, 0, 4, 3, 2, 5):
            if place < len(given):
                one = given[place]
                yield str(one["id"]), None if one["n"] == 9 else halves(one)
                held.append((str(one["id"]), [done for done, _ in entries(tmp_path / "halve.jsonl")]))

    sources = [{"id": str(n), "n": n} for n in (7, 8, 9, 10, 11)]
    steps = (SpreadStep("halve", spread, by="knives"), WholeStep("thin", first_of_each))
    made(tmp_path, of=maker(sources=sources, steps=steps))
    # What couldn't be done now has no entry, and is the only one that is tried again.
    assert held == [("8", []), ("7", ["7", "8"]), ("11", ["7", "8"]), ("10", ["7", "8"]),
                    ("9", ["7", "8", "10", "11"])]  # fmt: skip
    assert {i["by"] for _, items in entries(tmp_path / "halve.jsonl") for i in items} == {"knives"}
    del held[:]
    made(tmp_path, of=maker(sources=sources, steps=steps))
    assert [done for done, _ in held] == ["9"]


def stopping(item: Item) -> Made:
    if item["n"] == 2:
        signal.raise_signal(signal.SIGINT)
    return halves(item)


@pytest.mark.parametrize(
    "step",
    [
        ItemStep("halve", by_rule(stopping)),
        SpreadStep("halve", lambda items: ((str(item["id"]), stopping(item)) for item in items)),
    ],
)
def test_ctrl_c_stops_a_step_that_waits_for_nobody(step: ItemStep | SpreadStep, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs behind a shell ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            made(tmp_path, of=maker(steps=(step, WholeStep("thin", first_of_each))))
    finally:
        signal.signal(signal.SIGINT, before)
    assert [done for done, _ in entries(tmp_path / "halve.jsonl")] == ["0", "1", "2"]


def test_progress_counts_what_is_there_already(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    made(tmp_path, of=maker(3))
    asyncio.run(make(maker(), tmp_path, ["halve"], tell=lambda *now: told.append(now)))
    assert told == [("halve", done, 6) for done in (3, 4, 5, 6)]


KILLED = """
    import asyncio, sys, time
    from pathlib import Path
    from fathom.authoring.maker import ItemStep, make
    from tests.authoring.test_maker import halves, maker

    async def slow(item):
        await asyncio.sleep(0.01)
        return halves(item)

    steps = (ItemStep("halve", slow),)
    asyncio.run(make(maker(400, steps=steps), Path(sys.argv[1])))
"""


def test_a_killed_process_loses_nothing_finished(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)])
    file = tmp_path / "halve.jsonl"
    while not (file.exists() and file.read_bytes().count(b"\n") > 5):
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = [done for done, _ in entries(file)]
    with file.open("ab") as stream:
        stream.write(b'{"id": "tor')
    asked: list[str] = []

    def noting(item: Item) -> Made:
        asked.append(str(item["id"]))
        return halves(item)

    found = made(tmp_path, of=maker(400, steps=(ItemStep("halve", by_rule(noting)),)))
    assert found["questions"] == 798
    assert len(before) + len(asked) == 400
    assert not {*before} & {*asked}


def test_two_processes_dont_write_one_file(tmp_path: Path) -> None:
    held = lock(tmp_path / "halve.jsonl")
    with pytest.raises(InUse, match="Another process"):
        made(tmp_path)
    held.release()
    made(tmp_path)


def decide(folder: Path, *changes: Mapping[str, Any]) -> None:
    found = lines(folder / "review.jsonl")
    for number, change in enumerate(changes):
        found[number] |= change
    written = "\n".join(json.dumps(line) for line in found)  # as editors leave it, without an end
    (folder / "review.jsonl").write_text(written, encoding="utf-8")


def published(folder: Path) -> Sequence[dict[str, Any]]:
    made(folder)
    return lines(folder / "questions.jsonl")


def test_people_keep_drop_and_correct_and_their_lines_stay(tmp_path: Path) -> None:
    made(tmp_path)
    decide(tmp_path, {"decision": "keep", "reviewer": "ada", "question": " Better? ", "n": 99},
           {"decision": "drop", "note": "odd"}, {}, {}, {"question": "Unsure?"})  # fmt: skip
    first, *rest = published(tmp_path)
    assert (first["question"], first["n"], first["by"]) == ("Better?", 0, "people: ada")
    assert [item["reviewed"] for item in (first, *rest)] == [True, False, False, False]
    assert [item["question"] for item in rest] == ["2a?", "4a?", "Unsure?"]
    assert len(lines(tmp_path / "review.jsonl")) == 5
    assert made(tmp_path, of=maker(reviewed_only=True))["questions"] == 1
    assert "dropped in review: odd" in (tmp_path / "rejected.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"decision": "maybe"}, '"maybe" is no decision'), ({"question": " "}, "the question is empty"),
     ({"question": 7}, "the question is empty"), ({"id": 7}, "not an item to review")],
)  # fmt: skip
def test_a_line_that_cant_be_read_is_told(change: Mapping[str, Any], problem: str, tmp_path: Path) -> None:
    made(tmp_path)
    decide(tmp_path, change)
    with pytest.raises(InputError, match=problem):
        made(tmp_path, "publish")


def test_a_damaged_journal_is_told_by_its_line(tmp_path: Path) -> None:
    made(tmp_path)
    file = tmp_path / "halve.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"items"', '"things"', 1), encoding="utf-8")
    with pytest.raises(InputError, match="line 1: is not an entry"):
        made(tmp_path)
