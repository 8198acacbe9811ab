"""What our own code adds to a request: above a script, on a cassette, and over HTTP."""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from bench.figures import Figure
from fathom.llm import Cassette, Exchange, Model, Pace, Reply, Request, Sampling, Script, open_model
from fathom.llm.prompts import parse

TITLE = "What a request to a model costs beside the model"
PROMPT = "Answer with one query.\n" + "CREATE TABLE gene (symbol TEXT, chromosome INTEGER);\n" * 200
REPLY = "```sql\nSELECT symbol FROM gene WHERE chromosome = 19\n```\n" * 8
ROUNDS = 400


def measure() -> Iterable[Figure]:
    script: Exchange = Script(rules={"": REPLY})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cassette.jsonl"
        bare = _microseconds(lambda i: script(Request("m", ())))
        plain = _microseconds(Model("m", script).ask, "")
        yield Figure(
            "ask, above the exchange", f"{plain - bare:.0f} µs", note=f"prompt of {len(PROMPT):,} characters"
        )
        recorded = _microseconds(Model("m", Cassette(file).record(script)).ask, "")
        yield Figure(
            "recording one exchange", f"{recorded - plain:.0f} µs", note="one line appended under a lock"
        )
        replayed = _microseconds(Model("m", Cassette(file, replay=True).replay).ask, "")
        yield Figure("a reply from a cassette", f"{replayed:.0f} µs")
        yield from _large_cassette(Path(folder) / "large.jsonl")
    prompt = parse("p", "---\ndata: schema, question\n---\n$schema\n\n$question")
    started = time.perf_counter()
    for _ in range(ROUNDS):
        prompt.render(schema=PROMPT, question="How many genes are there?")
    yield Figure("rendering a prompt", f"{(time.perf_counter() - started) / ROUNDS * 1e6:.0f} µs")
    yield from _over_http()


def _microseconds(ask: Callable[..., Awaitable[Reply]], *words: str) -> float:
    """The median time of one request, each with words of its own."""

    async def rounds() -> float:
        taken = []
        for i in range(ROUNDS):
            asked = (f"{PROMPT}\nQuestion {i}",) if words else (i,)
            started = time.perf_counter()
            await ask(*asked)
            taken.append(time.perf_counter() - started)
        return statistics.median(taken) * 1e6

    return asyncio.run(rounds())


def _large_cassette(file: Path, count: int = 20_000) -> Iterable[Figure]:
    """Opening a cassette that holds a benchmark's worth of exchanges."""
    cassette = Cassette(file)
    for i in range(count):
        request = Request("m", _turns(f"{PROMPT}\nQuestion {i}"), Sampling(temperature=0.0))
        cassette._append(request, "reply", Reply(REPLY).as_json())
    started = time.perf_counter()
    opened = Cassette(file, replay=True)
    seconds = time.perf_counter() - started
    yield Figure(
        f"opening a cassette of {len(opened):,} exchanges",
        f"{seconds:.2f} s",
        note=f"{file.stat().st_size / 1e6:.0f} MB",
    )


def _turns(text: str) -> Any:
    from fathom.llm import Message

    return (Message("user", text),)


def _over_http() -> Iterable[Figure]:
    """The same requests to a server on loopback, through Fathom and through pydantic-ai alone, turn about."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from tests.llm.hostile import Server

    with Server() as server:
        os.environ |= {"OPENAI_API_KEY": "sk-for-the-bench-alone", "OPENAI_BASE_URL": server.openai}
        library = OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider())

        async def alone(prompt: str) -> Any:
            asked = ModelRequest(parts=[UserPromptPart(prompt)])
            return await library.request([asked], None, ModelRequestParameters())

        with open_model("openai:gpt-4o-mini", pace=Pace(attempts=1)) as model:
            ours, theirs = asyncio.run(_turn_about(model.ask, alone))
    yield Figure(
        "own processor time of a request over HTTP",
        f"{(ours - theirs) * 1e3:.2f} ms",
        "10 ms",
        ours - theirs < 0.010,
        note=f"{ours / theirs:.2f} times pydantic-ai alone ({theirs * 1e3:.1f} ms with the server's own)",
    )


async def _turn_about(*asks: Callable[[str], Awaitable[Any]]) -> list[float]:
    """The processor's seconds for one request of each kind, over all threads: what waits costs nothing."""
    taken: list[list[float]] = [[] for _ in asks]
    for i in range(200):
        for ask, times in zip(asks, taken, strict=True):
            started = time.process_time()
            await ask(f"{PROMPT}\nQuestion {i}")
            times.append(time.process_time() - started)
    return [statistics.median(times) for times in taken]
