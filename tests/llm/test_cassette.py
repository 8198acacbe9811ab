import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from fathom.errors import CassetteError, CassetteMiss
from fathom.llm import Budget, Cassette, Exchange, Model, Reply, Request, Sampling, Script, open_model
from fathom.llm.sender import AttemptFailed, Unanswered
from fathom.records import Usage

REPLY = Reply(
    "SELECT 1 -- Zürich \ud800", usage=Usage(1, 90, 10, 50, Decimal("0.0123"), 0.1 + 0.2), model="m-1"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "cassette.jsonl"


def counting() -> tuple[Script, Exchange]:
    """A model that never says the same thing twice."""
    script = Script(rules={".": lambda request: f"reply {len(script.requests)} to sample {request.sample}"})
    return script, script


async def a_run(model: Model) -> list[Reply]:
    said = [await model.ask("A?"), await model.ask("A?"), await model.ask("B?", system="Be brief.")]
    return [*said, *await model.samples("C?", 5), *await model.samples("C?", 3, first=5)]


def test_a_run_replayed_gives_the_same_bytes(file: Path) -> None:
    script, exchange = counting()
    cassette = Cassette(file)
    first = asyncio.run(a_run(Model("m", cassette.record(exchange))))
    again = asyncio.run(a_run(Model("m", Cassette(file, replay=True).replay)))
    resumed = asyncio.run(a_run(Model("m", Cassette(file).record(exchange))))
    dumped = [json.dumps([r.as_json() for r in run]).encode() for run in (first, again, resumed)]
    assert dumped[0] == dumped[1] == dumped[2]
    assert len(script.requests) == len(cassette) == 10  # what was asked twice was sent once
    assert first[0] == first[1]


def test_a_cassette_is_its_owners_alone(file: Path) -> None:
    before = os.umask(0)
    try:
        Cassette(file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_every_part_of_a_reply_comes_back(file: Path) -> None:
    model = Model("m", Cassette(file).record(Script([REPLY])))
    assert asyncio.run(model.ask("A?")) == REPLY
    assert asyncio.run(Model("m", Cassette(file, replay=True).replay).ask("A?")) == REPLY


def test_budgets_stop_a_replay_where_they_stopped_the_run(file: Path) -> None:
    asyncio.run(a_run(Model("m", Cassette(file).record(counting()[1]))))
    budget = Budget(tokens=20)
    replayed = Model("m", Cassette(file, replay=True).replay).within(budget)
    asyncio.run(replayed.ask("A?"))
    assert budget.spent.calls == 1
    assert budget.spent.prompt_tokens > 0


@pytest.mark.parametrize(
    ("prompt", "sampling", "sample", "told"),
    [
        ("How many genes are on chromosome 20?", Sampling(), 0, "chromosome 19"),
        ("How many genes are on chromosome 19?", Sampling(temperature=0.7), 0, "asked {'temperature': 0.7}"),
        ("How many genes are on chromosome 19?", Sampling(), 3, "sample (recorded 0, asked 3)"),
    ],
)
def test_a_miss_says_what_was_asked_and_what_is_nearest(
    file: Path, prompt: str, sampling: Sampling, sample: int, told: str
) -> None:
    recording = Model("m", Cassette(file).record(counting()[1]))
    asyncio.run(recording.ask("Name every gene."))
    asyncio.run(recording.ask("How many genes are on chromosome 19?"))
    with pytest.raises(CassetteMiss) as caught:
        asyncio.run(
            Model("m", Cassette(file, replay=True).replay).ask(prompt, sampling=sampling, sample=sample)
        )
    assert prompt in str(caught.value)
    assert told in caught.value.nearest


def test_a_miss_names_no_difference_that_is_none(file: Path) -> None:
    sampling = Sampling(temperature=0.0, stop=("--", ";"))
    asyncio.run(Model("m", Cassette(file).record(counting()[1])).ask("How many genes?", sampling=sampling))
    with pytest.raises(CassetteMiss) as caught:
        asyncio.run(Model("m", Cassette(file, replay=True).replay).ask("How many drugs?", sampling=sampling))
    assert "sampling (" not in caught.value.nearest
    assert "its words" in caught.value.nearest


def test_replaying_needs_neither_key_nor_library_nor_network(file: Path) -> None:
    name = "anthropic:claude-sonnet-4-5"
    asyncio.run(Model(name, Cassette(file).record(Script([REPLY]))).ask("A?"))
    code = f"""
import asyncio, sys, socket
socket.socket.connect = None
from fathom.llm import open_model
with open_model({name!r}, cassette={str(file)!r}, replay=True) as model:
    assert asyncio.run(model.ask("A?")).text.startswith("SELECT 1")
assert "pydantic_ai" not in sys.modules and "pydantic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_model_on_a_cassette_says_so(file: Path) -> None:
    name = "http://127.0.0.1:9/v1#some-model"
    with open_model(name) as asked, open_model(name, cassette=file) as recording:
        assert not asked.recorded
        assert recording.recorded
    with open_model(name, cassette=file, replay=True) as replaying:
        assert replaying.within(Budget(calls=1)).recorded


def test_no_cassette_is_said(file: Path, tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match="no cassette"):
        open_model("openai:gpt-4o", cassette=file, replay=True)
    (tmp_path / "runs").write_text("a file, not a folder")
    with pytest.raises(CassetteError, match="can't be opened"):
        Cassette(file)


def test_failures_are_replayed_and_asked_again_when_recording(file: Path) -> None:
    failed = Unanswered(
        "m", AttemptFailed("timeout", "nothing within 1 s", again=True), attempts=3, usage=Usage(1, 7)
    )
    script = Script([failed, "at last"])
    recording = Model("m", Cassette(file).record(script))
    told: list[Usage] = []
    with pytest.raises(Unanswered):
        asyncio.run(recording.ask("A?"))
    with pytest.raises(Unanswered, match=r"3 attempts.*nothing within 1 s"):
        asyncio.run(Model("m", Cassette(file, replay=True).replay).metered(told.append).ask("A?"))
    assert told == [Usage(1, 7)]
    assert asyncio.run(recording.ask("A?")).text == "at last"
    assert asyncio.run(Model("m", Cassette(file, replay=True).replay).ask("A?")).text == "at last"


@pytest.mark.parametrize("cut", [1, 40, 100, -2])
def test_a_torn_last_line_costs_that_exchange_alone(file: Path, cut: int) -> None:
    script, exchange = counting()
    asyncio.run(a_run(Model("m", Cassette(file).record(exchange))))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
    assert len(Cassette(file, replay=True)) == 9
    asyncio.run(a_run(Model("m", Cassette(file).record(exchange))))
    assert len(script.requests) == 11
    assert len(Cassette(file, replay=True)) == 10


def test_lines_longer_than_a_block_are_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.llm.cassette._BLOCK", 64)
    script, exchange = counting()
    recorded = asyncio.run(a_run(Model("m", Cassette(file).record(exchange))))
    with file.open("ab") as stream:
        stream.write(b'{"key":"torn')
    opened = Cassette(file)
    assert len(opened) == 10
    assert asyncio.run(a_run(Model("m", opened.record(exchange)))) == recorded
    asyncio.run(Model("m", opened.record(exchange)).ask("New?"))
    assert len(Cassette(file, replay=True)) == 11
    assert len(script.requests) == 11


def test_the_same_words_asked_at_once_are_sent_once(file: Path) -> None:
    calls = 0

    async def slow(request: Request) -> Reply:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ValueError("the first one fails, for itself alone")
        await asyncio.sleep(0.05)
        return Reply(f"reply {calls}")

    async def at_once() -> list[Reply | BaseException]:
        model = Model("m", Cassette(file).record(slow))
        return await asyncio.gather(*(model.ask("A?") for _ in range(6)), return_exceptions=True)

    said = asyncio.run(at_once())
    assert isinstance(said[0], ValueError)
    assert {r.text for r in said[1:] if isinstance(r, Reply)} == {"reply 2"}
    assert calls == 2


def test_threads_and_their_loops_share_a_cassette(file: Path) -> None:
    script, exchange = counting()
    model = Model("m", Cassette(file).record(exchange))
    runs: list[list[Reply]] = []
    threads = [threading.Thread(target=lambda: runs.append(asyncio.run(a_run(model)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 4
    assert all(run == runs[0] for run in runs)
    assert len(script.requests) == 10


WRITER = """
import asyncio, os, sys
from fathom.llm import Cassette, Model, Script
script = Script(rules={".": lambda request: f"process {os.getpid()} " + "x" * 20_000})
model = Model("m", Cassette(sys.argv[1]).record(script))
for i in range(int(sys.argv[2])):
    reply = asyncio.run(model.ask(f"question {i}"))
    print(i, reply.text.split()[1], flush=True)
"""


def test_processes_record_to_one_file_and_agree(file: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), "40"], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    seen = [process.communicate()[0] for process in started]
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0].splitlines()) == len(Cassette(file)) == 40
    assert file.read_bytes().count(b"\n") == 40


def test_a_killed_writer_loses_nothing_it_was_told(file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), "100000"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(50)]
    time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    lines += process.stdout.read().splitlines(keepends=True)
    process.stdout.close()
    process.wait()
    told = [line for line in lines if line.endswith("\n")]
    replay = Model("m", Cassette(file, replay=True).replay)
    for line in told:
        number, pid = line.split()
        assert asyncio.run(replay.ask(f"question {number}")).text.split()[1] == pid


def test_no_key_gets_onto_a_cassette(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-live-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = Reply(f"your key is {key}")
    asyncio.run(Model("m", Cassette(file).record(Script([said]))).ask(f"Is {key} my key?"))
    assert key.encode() not in file.read_bytes()
    assert asyncio.run(Model("m", Cassette(file, replay=True).replay).ask(f"Is {key} my key?")).text == (
        "your key is [key removed]"
    )
