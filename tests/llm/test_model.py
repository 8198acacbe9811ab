import asyncio
import subprocess
import sys
from decimal import Decimal

import pytest
from pydantic import BaseModel

from fathom.errors import BudgetExceeded, ModelFailed, ModelNotConfigured, ReplyUnusable
from fathom.llm import Budget, Call, Message, Model, Reply, Request, Sampling, ScriptedModel, open_model
from fathom.llm.local import NAME as LOCAL
from fathom.llm.model import THINKING_ROOM
from fathom.llm.providers import LOCAL_ONLY, PROVIDERS
from fathom.llm.scripted import ScriptEnded
from fathom.records import Usage


class Selection(BaseModel):
    table: str
    columns: list[str]


RIGHT = '{"table": "gene", "columns": ["symbol"]}'


def ask_typed(model: Model, repairs: int = 2) -> Selection:
    return asyncio.run(model.typed("Which columns?", Selection, repairs=repairs))


def test_replies_in_order_and_prompts_kept() -> None:
    model = ScriptedModel.of("one", "two")
    first = asyncio.run(model.ask("A?", system="Be brief."))
    second = asyncio.run(model.ask([Message("user", "B?"), Message("assistant", "b"), Message("user", "C?")]))
    assert (first.text, second.text) == ("one", "two")
    assert model.prompts == ["Be brief.\n\nA?", "B?\n\nb\n\nC?"]
    with pytest.raises(ScriptEnded, match=r"after 2 .* D\?"):
        asyncio.run(model.ask("D?"))


def thinks(request: Request) -> Reply:
    """A model that takes 300 tokens to think before it says anything."""
    room = request.sampling.max_tokens or 300
    return Reply("", finish="length", usage=Usage(1, 0, room)) if room < 300 else Reply("SELECT 1")


def test_a_model_that_thinks_its_room_away_gets_more_once() -> None:
    short = Sampling(max_tokens=200)
    model = ScriptedModel.of(rules={"": thinks})
    assert asyncio.run(model.ask("A?", sampling=short)).text == "SELECT 1"
    assert [r.sampling.max_tokens for r in model.script.requests] == [200, THINKING_ROOM]
    assert [r.text for r in asyncio.run(model.samples("B?", 2, sampling=short))] == ["SELECT 1"] * 2
    told = ScriptedModel.of(rules={"": thinks}).drawing(reply_tokens=250)
    assert asyncio.run(told.ask("A?", sampling=short)).finish == "length"
    assert len(told.script.requests) == 1


TOO_LARGE = ModelFailed("m", "rejected", "max_tokens is too large")


@pytest.mark.parametrize("again", [Reply("", finish="length"), TOO_LARGE])
def test_more_room_is_given_no_second_time(again: Reply | Exception) -> None:
    model = ScriptedModel.of(Reply("", finish="length"), again, "never asked")
    assert asyncio.run(model.ask("A?", sampling=Sampling(max_tokens=200))).finish == "length"
    assert len(model.script.requests) == 2


def test_a_reply_that_says_something_is_kept_as_it_is_cut() -> None:
    model = ScriptedModel.of(Reply("SELECT a, b,", finish="length"), "never asked")
    assert asyncio.run(model.ask("A?", sampling=Sampling(max_tokens=9))).text == "SELECT a, b,"


def test_rules_answer_by_what_the_prompt_holds() -> None:
    model = ScriptedModel.of("else", rules={"classify": "EASY", r"repair.*twice": ["first", "then"]})
    said = [
        asyncio.run(model.ask(p)).text for p in ("repair it twice", "classify", "x", *["repair twice"] * 2)
    ]
    assert said == ["first", "EASY", "else", "then", "then"]


def test_samples_are_numbered_and_in_order() -> None:
    model = ScriptedModel.of(rules={".": lambda request: str(request.sample)})
    replies = asyncio.run(model.samples("x" * 5000, 4, sampling=Sampling(temperature=0.7), first=10))
    assert [r.text for r in replies] == ["10", "11", "12", "13"]
    assert {r.sampling.temperature for r in model.script.requests} == {0.7}
    assert len({r.key for r in model.script.requests}) == 4


def test_the_key_covers_what_decides_the_reply_alone() -> None:
    model = ScriptedModel.of(*["x"] * 6)
    for prompt, sampling, sample in (
        ("A?", Sampling(), 0),
        ("A?", Sampling(temperature=0.0), 0),
        ("A?", Sampling(), 1),
        ("B?", Sampling(), 0),
    ):
        asyncio.run(model.ask(prompt, sampling=sampling, sample=sample))
    asyncio.run(model.samples("A?", 2, sampling=Sampling()))
    keys = [r.key for r in model.script.requests]
    assert len(set(keys[:4])) == 4
    assert keys[4:] == [keys[0], keys[2]]  # that they will be repeated changes nothing


@pytest.mark.parametrize(
    "said",
    [
        RIGHT,
        f"Here you are:\n```json\n{RIGHT}\n```\nDone.",
        f"I considered [everything]. {RIGHT} is my choice",
        "{'table': 'gene', 'columns': ['symbol',]}",
    ],
)
def test_typed_values_are_read_from_sloppy_replies(said: str) -> None:
    model = ScriptedModel.of(said)
    if said.startswith("I considered"):  # the first JSON list or object is not what was meant: asked again
        model = ScriptedModel.of(said, RIGHT)
    assert ask_typed(model) == Selection(table="gene", columns=["symbol"])
    assert '"columns"' in model.prompts[0]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I can't say.", "no JSON"),
        ('{"table": "gene", "columns": ["sym', "no JSON"),
        ('{"table": "gene"}', "columns: Field required"),
        ('{"table": 3, "columns": ["a"]}', "table: Input should be a valid string"),
    ],
)
def test_a_malformed_reply_is_mended_once_told_what_is_wrong(said: str, told: str) -> None:
    model = ScriptedModel.of(said, RIGHT)
    assert ask_typed(model).table == "gene"
    assert told in model.prompts[1]
    assert said in model.prompts[1]


def test_a_reply_cut_at_its_length_is_not_read() -> None:
    model = ScriptedModel.of(Reply(RIGHT, finish="length"), RIGHT)
    assert ask_typed(model).table == "gene"
    assert "cut off" in model.prompts[1]


def test_replies_that_stay_malformed_end_in_an_error_with_the_last() -> None:
    model = ScriptedModel.of("no", "never", "not")
    with pytest.raises(ReplyUnusable, match="no JSON") as caught:
        ask_typed(model, repairs=1)
    assert caught.value.reply == "never"
    with pytest.raises(ReplyUnusable, match="content filter"):
        ask_typed(ScriptedModel.of(Reply("", finish="content_filter")))


def test_tool_calls_are_read_under_a_wrong_name_when_they_fit() -> None:
    right = Reply("", calls=(Call("reply", RIGHT),), finish="tool_call")
    for replies in (
        (right,),
        (Reply("", calls=(Call("select", RIGHT),)),),
        (Reply("", calls=(Call("x", "{"),)), right),
    ):
        scripted = ScriptedModel.of(*replies)
        model = Model("scripted", scripted.exchange, tools=True)
        assert ask_typed(model).table == "gene"
        assert scripted.script.requests[0].must_call
    assert "no tool 'x'" in scripted.prompts[1]


def test_values_that_are_no_objects_are_wrapped_for_tools_only() -> None:
    wrapped = ScriptedModel.of(Reply("", calls=(Call("reply", '{"value": ["a", "b"]}'),)))
    asked = Model("scripted", wrapped.exchange, tools=True).typed("Which?", list[str])
    assert asyncio.run(asked) == ["a", "b"]
    assert wrapped.script.requests[0].tools[0].parameters["required"] == ["value"]
    assert asyncio.run(ScriptedModel.of('["a"]').typed("Which?", list[str])) == ["a"]


def test_usage_reaches_every_meter_and_budget() -> None:
    told: list[Usage] = []
    budget = Budget(calls=5, scope="question")
    reply = Reply("x", usage=Usage(1, 100, 20, 50, Decimal("0.01")))
    model = ScriptedModel.of(reply, reply).metered(told.append).within(budget)
    asyncio.run(model.samples("A?", 2))
    assert told == [reply.usage] * 2
    assert budget.spent == Usage(2, 200, 40, 100, Decimal("0.02"))


@pytest.mark.parametrize(
    ("budget", "limit", "answered"),
    [
        (Budget(calls=3), "calls", 3),
        (Budget(tokens=250), "tokens", 3),
        (Budget(tokens=200), "tokens", 2),
        (Budget(dollars=0.02), "dollars", 2),
        (Budget(dollars=Decimal("0.021")), "dollars", 3),
        (Budget(), "", 6),
    ],
)
def test_a_budget_stops_cleanly(budget: Budget, limit: str, answered: int) -> None:
    reply = Reply("x", usage=Usage(1, 90, 10, 0, Decimal("0.01")))
    model = ScriptedModel.of(*[reply] * 6).within(budget)
    for _ in range(answered):
        asyncio.run(model.ask("A?"))
    if limit:
        with pytest.raises(BudgetExceeded) as caught:
            asyncio.run(model.ask("A?"))
        assert caught.value.limit == limit
    assert len(model.script.requests) == answered


def test_calls_never_go_over_their_budget_when_asked_at_once() -> None:
    model = ScriptedModel.of(*["x"] * 20)
    with pytest.raises(BudgetExceeded):
        asyncio.run(model.within(Budget(calls=7)).samples("A?", 20))
    assert len(model.script.requests) == 7


def test_what_one_budget_refuses_is_not_counted_by_another() -> None:
    run, question = Budget(calls=10), Budget(calls=1, scope="question")
    model = ScriptedModel.of(*["x"] * 20).within(run)
    asyncio.run(model.within(question).ask("A?"))
    with pytest.raises(BudgetExceeded, match="this question"):
        asyncio.run(model.within(question).ask("A?"))
    for _ in range(9):
        asyncio.run(model.ask("A?"))
    with pytest.raises(BudgetExceeded, match="this run"):
        asyncio.run(model.ask("A?"))


def test_a_budget_in_dollars_needs_a_price() -> None:
    unpriced = Reply("x", usage=Usage(1, 90, 10, 0, None))
    model = ScriptedModel.of(*[unpriced] * 2).within(Budget(dollars=1))
    asyncio.run(model.ask("A?"))
    with pytest.raises(BudgetExceeded, match=r"price .* isn't known"):
        asyncio.run(model.ask("A?"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gpt-4o", "Write PROVIDER:NAME"),
        ("opnai:gpt-4o", "Did you mean 'openai'"),
        ("anthropic:claude-sonnet-4-5", "set ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("azure:gpt-4o", "AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT"),
        ("http://localhost:8000/v1", "names no model"),
        ("http://example.org/v1#x", "isn't on this machine"),
        ("http://me:secret@localhost/v1#x", "Leave the password out"),
    ],
)
def test_what_is_not_configured_says_what_to_set(name: str, told: str) -> None:
    with pytest.raises(ModelNotConfigured, match=told):
        open_model(name)


def test_no_test_reaches_a_real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key-0000000000")
    with pytest.raises(ModelNotConfigured, match="isn't on this machine"):
        open_model("openai:gpt-4o")


PROVIDED = {
    "OPENAI_API_KEY": "sk-test-0123456789abcdef",
    "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdef",
    "GOOGLE_API_KEY": "AIza-test-0123456789abcdef",
    "AZURE_OPENAI_API_KEY": "0123456789abcdef0123456789abcdef",
    "AZURE_OPENAI_ENDPOINT": "https://example.openai.azure.com/openai/v1/",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "AKIATEST0123456789AB",
    "AWS_SECRET_ACCESS_KEY": "test0123456789test0123456789test01234567",
    "OPENROUTER_API_KEY": "sk-or-test-0123456789abcdef",
}


@pytest.mark.parametrize("provider", sorted(PROVIDERS.keys() - {LOCAL}))  # that one has to be fetched
def test_every_provider_opens_without_asking_anything(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PROVIDED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv(LOCAL_ONLY)
    with open_model(f"{provider}:some-model") as model:
        assert model.name == f"{provider}:some-model"
        assert not any(value in repr(model) for name, value in PROVIDED.items() if "KEY" in name)


def test_nothing_heavy_is_imported_before_a_model_is_opened() -> None:
    heavy = "{'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'tenacity', 'genai_prices', 'numpy'}"
    code = f"import sys, fathom.llm, fathom.llm.providers; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
