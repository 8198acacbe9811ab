import asyncio
import logging
import random
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import BaseModel

from fathom.errors import ModelFailed
from fathom.llm import Budget, Model, Pace, Reply, Tool, open_model
from fathom.llm.replies import find_json
from fathom.llm.sender import Unanswered
from fathom.records import Usage
from tests.llm.hostile import OPENAI_KEY, TROUBLES, Books, Server

KEYS = {"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": "sk-ant-test-abcdef-9876543210"}
MODELS = {"openai": "openai:gpt-4o-mini", "anthropic": "anthropic:claude-haiku-4-5"}
CONCURRENCY = 12
PACE = Pace(concurrency=CONCURRENCY, attempts=6, seconds=1.5, first_wait=0.02, longest_wait=2.0)
PATIENT = replace(PACE, seconds=8.0)
"""Where what the server reports is counted: on a busy machine a reply may come after a second and a half."""


class Said(BaseModel):
    said: str


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    with Server() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.openai)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.bare)
        yield running


LAST = {"none": "stop", "no_usage": "stop", "filtered": "content_filter", "refused": "content_filter"}
FINAL = {
    "limit_day": ("rate_limit", 429),
    "bad_key": ("authentication", 401),
    "bad_request": ("rejected", 400),
    "no_model": ("no_such_model", 404),
    "too_large": ("http_error", 413),
}
SLOW = ("silence", "limit_second", "limit_date")
ANSWERED = {"wrong_tool", "telltale"}
RECOVERED = sorted(set(TROUBLES) - set(LAST) - set(FINAL) - ANSWERED)


@pytest.mark.parametrize("protocol", MODELS)
def test_every_trouble_ends_as_it_should(server: Server, protocol: str) -> None:
    """Those that pass are asked again, those that don't are told at once, with what to know."""

    troubles = sorted(TROUBLES, key=lambda t: t not in SLOW)

    async def ask_all(model: Model) -> dict[str, Reply | BaseException]:
        asked = [model.ask(f"Question {i} [trouble {t}]") for i, t in enumerate(troubles)]
        return dict(zip(troubles, await asyncio.gather(*asked, return_exceptions=True), strict=True))

    with open_model(MODELS[protocol], pace=PACE) as model:
        found = asyncio.run(ask_all(model))
    for number, (trouble, reply) in enumerate(found.items()):
        if trouble in FINAL:
            assert isinstance(reply, ModelFailed), trouble
            assert (reply.reason, reply.status) == FINAL[trouble]
            assert reply.attempts == 1
        elif isinstance(reply, Reply):
            # Anthropic's stream of events can't be read without its usage.
            last = trouble in LAST and (protocol, trouble) != ("anthropic", "no_usage")
            assert reply.attempts == (1 if last or trouble in ANSWERED else 2), trouble
            assert reply.finish == LAST.get(trouble, "stop")
            said = "The key is [key removed]." if trouble == "telltale" else f"Answer {number}"
            assert reply.withheld or reply.text == said
        else:
            raise reply
    assert "asks to wait 86400 s" in str(found["limit_day"])
    assert "has no model of that name" in str(found["no_model"])
    assert "Incorrect API key provided: [key removed]" in str(found["bad_key"])


def troubles_of(rng: random.Random, protocol: str, *, typed: bool) -> str:
    chosen = rng.sample([t for t in RECOVERED if t not in SLOW], rng.choice([0, 0, 0, 1, 1, 2, 3]))
    if typed:
        return " ".join([*chosen, *(["wrong_tool"] if rng.random() < 0.4 else [])])
    last = rng.choice(
        ["none", "none", "none", *(t for t in LAST if (protocol, t) != ("anthropic", "no_usage"))]
    )
    return " ".join([*chosen, last])


def ask_thousand(models: dict[str, Model], meters: dict[str, list[Usage]]) -> dict[int, Reply | Said]:
    """A thousand questions over both protocols, from several threads, each with a loop of its own."""
    rng = random.Random(4)
    answers: dict[int, Reply | Said] = {}
    jobs: list[list[tuple[int, Model, str, bool]]] = [[] for _ in range(4)]
    for number in range(1000):
        protocol, typed = ("openai", "anthropic")[number % 2], number % 5 == 0
        slow = SLOW[number // 2 % 300 // 100] if number // 2 % 100 == 7 and number < 600 else ""
        troubles = f"{slow} {troubles_of(rng, protocol, typed=typed)}"
        model = models[protocol].metered(meters[protocol].append)
        jobs[number % 4].append((number, model, f"Question {number} [trouble {troubles}]", typed))

    async def one(number: int, model: Model, prompt: str, typed: bool) -> None:
        answers[number] = await (model.typed(prompt, Said) if typed else model.ask(prompt))

    async def several(mine: list[tuple[int, Model, str, bool]]) -> None:
        await asyncio.gather(*(one(*job) for job in mine))

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(asyncio.run, several(mine)) for mine in jobs]:
            done.result()
    return answers


def told_as_booked(used: Usage, books: Books) -> None:
    assert used.prompt_tokens == books.prompt_tokens
    assert used.completion_tokens == books.completion_tokens
    assert used.cached_tokens == books.cached_tokens
    assert used.unmeasured_calls == books.unmeasured


def test_a_thousand_questions_lose_nothing(
    server: Server,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    budgets = {p: Budget() for p in MODELS}
    meters: dict[str, list[Usage]] = {p: [] for p in MODELS}
    files = {p: tmp_path / f"{p}.jsonl" for p in MODELS}
    opened = {p: open_model(name, pace=PATIENT, cassette=files[p]) for p, name in MODELS.items()}
    answers = ask_thousand({p: m.within(budgets[p]) for p, m in opened.items()}, meters)
    for model in opened.values():
        model.close()

    assert sorted(answers) == list(range(1000))
    for number, answer in answers.items():
        said = answer.said if isinstance(answer, Said) else answer.text
        assert said == f"Answer {number}" or (isinstance(answer, Reply) and answer.withheld)
    for protocol in MODELS:
        books = server.books[protocol]
        told_as_booked(sum(meters[protocol], Usage()), books)
        told_as_booked(budgets[protocol].spent, books)
        assert CONCURRENCY / 2 < books.most_under_way <= CONCURRENCY
        assert set(books.keys) == {KEYS[f"{protocol.upper()}_API_KEY"]}
        missing = set(RECOVERED) - set(books.troubles)
        assert not missing, f"{missing} never happened"

    replayed: dict[str, list[Usage]] = {p: [] for p in MODELS}
    tapes = {p: open_model(n, cassette=files[p], replay=True) for p, n in MODELS.items()}
    assert ask_thousand(tapes, replayed) == answers
    for protocol in MODELS:
        assert sum(u.prompt_tokens for u in replayed[protocol]) == server.books[protocol].prompt_tokens

    printed = "".join(capfd.readouterr())
    everything = [printed, caplog.text, *(f.read_text() for f in files.values()), repr(answers)]
    assert "HTTP Request" in caplog.text  # the libraries did log
    for key in KEYS.values():
        assert not [text[:80] for text in everything if key in text]


def test_errors_carry_no_key_however_they_are_printed(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pace = Pace(attempts=2, seconds=1.0, first_wait=0.01)
    for protocol, name in MODELS.items():
        with open_model(name, pace=pace) as model:
            for number, trouble in enumerate(("broken broken", "bad_key", "garbage garbage", "slam slam")):
                with pytest.raises(ModelFailed) as caught:
                    asyncio.run(model.ask(f"Question {number} [trouble {trouble}]"))
                told = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
                assert KEYS[f"{protocol.upper()}_API_KEY"] not in told
                assert caught.value.__cause__ is None
    assert not [key for key in KEYS.values() if key in caplog.text]


def test_an_address_where_nothing_answers_is_given_up_soon() -> None:
    pace = Pace(attempts=6, first_wait=0.01)
    with Server() as stopped:
        address = stopped.openai
    with open_model(f"{address}#own", pace=pace) as model, pytest.raises(ModelFailed) as caught:
        asyncio.run(model.ask("Question 1"))
    assert (caught.value.reason, caught.value.attempts) == ("unreachable", 3)
    assert "Is the server running" in str(caught.value)


def test_a_server_that_went_away_is_given_time_to_come_back(server: Server) -> None:
    pace = Pace(attempts=5, first_wait=0.01)
    with open_model(f"{server.openai}#own", pace=pace) as model:
        asyncio.run(model.ask("Question 1"))
        asyncio.run_coroutine_threadsafe(_stop_listening(server), server._loop).result()
        with pytest.raises(ModelFailed) as caught:
            asyncio.run(model.ask("Question 2"))
    assert caught.value.attempts == 5


async def _stop_listening(server: Server) -> None:
    server._server.close()
    for task in server._tasks:
        task.cancel()


async def until(reached: Callable[[], bool]) -> None:
    """Wait for it, a minute at most."""
    async with asyncio.timeout(60):
        while not reached():
            await asyncio.sleep(0.01)


def test_the_pause_that_a_provider_asks_for_holds_for_all(server: Server) -> None:
    async def ask(model: Model) -> list[Reply]:
        first = asyncio.create_task(model.ask("Question 0 [trouble limit_second]"))
        await until(lambda: server.books["openai"].pauses == 1)
        await asyncio.sleep(0.3)  # for it to arrive
        others = await asyncio.gather(*(model.ask(f"Question {i}") for i in range(1, 20)))
        return [await first, *others]

    with open_model(MODELS["openai"], pace=PACE) as model:
        assert len(asyncio.run(ask(model))) == 20
    assert server.books["openai"].pauses == 1
    assert server.books["openai"].during_pause == 0


@pytest.mark.parametrize(
    "pace", [Pace(requests_per_minute=5, attempts=1), Pace(tokens_per_minute=520, attempts=1)]
)
def test_limits_per_minute_space_requests_out(server: Server, pace: Pace) -> None:
    with open_model(MODELS["openai"], pace=pace) as model:

        async def ask(count: int, seconds: float) -> None:
            prompts = [f"Question {i} ".ljust(400, "x") for i in range(count)]  # a hundred tokens each
            await asyncio.wait_for(asyncio.gather(*map(model.ask, prompts)), seconds)

        asyncio.run(ask(5, seconds=10))
        with pytest.raises(TimeoutError):
            asyncio.run(ask(1, seconds=1))
    assert server.books["openai"].requests == 5


def test_what_is_cancelled_is_given_up(server: Server) -> None:
    async def ask(model: Model) -> None:
        task = asyncio.create_task(model.ask("Question 1 [trouble silence]"))
        await until(lambda: server.books["openai"].under_way == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.books["openai"].under_way == 0)

    with open_model(MODELS["openai"], pace=Pace(seconds=30)) as model:
        asyncio.run(ask(model))


def test_prices_are_known_or_unknown_never_made_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(name: str) -> Decimal | None:
        with open_model(name, pace=PACE) as model:
            return asyncio.run(model.ask("Question 1")).usage.cost_usd

    # gpt-4o-mini: 0.15 $, cached 0.075 $, output 0.60 $ a million tokens
    assert cost("openai:gpt-4o-mini") == Decimal("0.0000153")
    assert cost("openai:no-such-model") is None
    assert cost(f"{server.openai}#gpt-4o-mini") is None  # a server of one's own has its own price


def test_what_failed_attempts_used_is_counted_when_no_reply_comes(server: Server) -> None:
    told: list[Usage] = []
    opened = open_model(MODELS["openai"], pace=Pace(attempts=2, first_wait=0.01))
    with opened as model, pytest.raises(Unanswered, match="2 attempts"):
        asyncio.run(model.metered(told.append).ask("Question 1 [trouble no_choices no_choices]"))
    assert (told[0].calls, told[0].prompt_tokens) == (2, 240)


def test_prompt_caching_is_asked_for_where_the_provider_has_it(server: Server) -> None:
    bodies: list[dict[str, object]] = []
    answer = server._reply

    async def keeping(asked, *rest):  # type: ignore[no-untyped-def]
        bodies.append(asked.body)
        return await answer(asked, *rest)

    server._reply = keeping  # type: ignore[method-assign]
    with open_model(MODELS["anthropic"], pace=PACE) as model:
        asyncio.run(model.ask("Question 1", system="Be brief."))
        asyncio.run(model.samples("Question 2 " + "x" * 5000, 3))
    assert "cache_control" in str(bodies[0]["system"])
    assert "cache_control" not in str(bodies[0]["messages"])
    assert all("cache_control" in str(body) for body in bodies[1:])


@pytest.mark.parametrize("protocol", MODELS)
def test_a_model_chooses_among_tools(server: Server, protocol: str) -> None:
    schema = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
    tools = [Tool("esearch", "Search a database.", schema), Tool("efetch", "Fetch a record.", schema)]
    with open_model(MODELS[protocol], pace=PACE) as model:
        for must_call in (False, True):
            reply = asyncio.run(model.ask("Question 1", tools=tools, must_call=must_call))
            assert [(c.name, find_json(c.arguments)) for c in reply.calls] == [
                ("esearch", {"said": "Answer 1"})
            ]


def test_threads_end_with_their_model(server: Server) -> None:
    def senders() -> list[str]:
        return [t.name for t in threading.enumerate() if t.name == "models"]

    for _ in range(3):
        with open_model(MODELS["openai"], pace=PACE) as model:
            asyncio.run(model.ask("Question 1"))
            assert senders()
    for _ in range(100):
        if not senders():
            return
        time.sleep(0.02)
    raise AssertionError(f"still running: {senders()}")
