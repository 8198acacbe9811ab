"""A model of this machine is one process that its askers share, and that ends with the last of them."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import psutil
import pytest

from fathom.errors import ModelNotConfigured
from fathom.llm import Sampling, open_model
from fathom.llm.local import find_local, running
from fathom.llm.local.connection import LocalConnection, is_read, local_pace
from fathom.llm.local.running import RunningModel
from fathom.llm.sender import PACE
from tests.models import SMALL, small_model

__all__ = ["small_model"]
GRAMMAR = 'root ::= "SELECT " [a-z]{1,12} ";"'
ASKS = """
import sys, time
from fathom.llm.local import find_local
from fathom.llm.local.running import RunningModel
print(RunningModel(find_local(sys.argv[1])).served().port, flush=True)
time.sleep(60)
"""


def servers(folder: str) -> list[psutil.Process]:
    """The processes that run a model of these tests."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if "fathom.llm.local.server" in " ".join(process.info["cmdline"] or ()):
            with_folder = any(folder in f.path for f in process.open_files())
            found += [process] if with_folder else []
    return found


def test_a_grammar_is_kept_and_the_beginning_is_read_once(small_model: str) -> None:
    system = "information " * 120
    how = Sampling(temperature=0.0, max_tokens=20, seed=1, grammar=GRAMMAR, logprobs=True)

    async def both() -> None:
        first = await model.ask("Names of t3?", system=system, sampling=how)
        assert first.text.startswith("SELECT ")
        assert first.text.endswith(";")
        assert first.logprobs
        assert max(first.logprobs) <= 0
        assert first.usage.cost_usd == 0
        second = await model.ask("Names of t5?", system=system, sampling=how)
        assert second.usage.cached_tokens > second.usage.prompt_tokens - 40  # all but the question

    with open_model(small_model) as model:
        asyncio.run(both())
        assert is_read(SMALL, system)
        assert not is_read(SMALL, system + "!")
    with open_model(small_model) as model:  # another process would find it on disk likewise
        reply = asyncio.run(model.ask("Names of t7?", system=system, sampling=how))
        assert reply.usage.cached_tokens > reply.usage.prompt_tokens - 40


def test_askers_share_a_process_that_ends_with_the_last(small_model: str) -> None:
    mine = RunningModel(find_local(SMALL))
    served = mine.served()
    assert RunningModel(find_local(SMALL)).served() == served
    other = subprocess.Popen([sys.executable, "-c", ASKS, SMALL], stdout=subprocess.PIPE, text=True)
    with other:
        assert other.stdout is not None
        assert int(other.stdout.readline()) == served.port
        mine.close()
        other.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and running_at(served.port):
        time.sleep(0.2)
    assert not running_at(served.port)


def running_at(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/health", timeout=2).is_success
    except httpx2.TransportError:
        return False


def test_only_who_knows_the_token_is_answered(small_model: str) -> None:
    with open_model(small_model):
        mine = RunningModel(find_local(SMALL))
        served = mine.served()
        asked = {"prompt": "a", "max_tokens": 1}
        for headers in ({}, {"authorization": "Bearer guessed"}):
            reply = httpx2.post(f"{served.address}/v1/completions", json=asked, headers=headers)
            assert reply.status_code == 401
        kept = Path(os.environ["FATHOM_CACHE"]) / "local-models" / "run" / f"{SMALL}.json"
        assert kept.stat().st_mode & 0o077 == 0
        assert json.loads(kept.read_text())["token"] == served.token
        mine.close()


def test_a_process_that_is_gone_is_started_anew(small_model: str) -> None:
    async def asked() -> None:
        from fathom.llm.exchange import Message, Request

        connection = LocalConnection(SMALL, local_pace(PACE))
        request = Request(SMALL, (Message("user", "Say a."),), Sampling(max_tokens=2, temperature=0.0))
        try:
            await connection(request)
            (process,) = servers(os.environ["FATHOM_CACHE"])
            process.kill()
            process.wait(10)
            assert (await connection(request)).text
        finally:
            await connection.close()

    asyncio.run(asked())


def test_too_little_memory_is_told(small_model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_left_to_container", lambda: 10**8)
    with pytest.raises(ModelNotConfigured, match=r"needs 0\.8 GB of memory, and 0\.1 GB are free"):
        running.check_memory(find_local(SMALL))


def test_a_busy_machine_gives_a_model_one_thread_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)))
    for load, given in ((0.1, 4), (2.0, 3)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert running.threads() == given
    monkeypatch.setenv("FATHOM_MODEL_THREADS", "7")
    assert running.threads() == 7
