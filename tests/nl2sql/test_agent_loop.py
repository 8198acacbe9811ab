import asyncio
import json

from fathom.llm import Message, Sampling, ScriptedModel
from fathom.nl2sql.agent_loop import Observed, Turn, act

OPENING = [Message("user", "Find it.")]


async def look(given: str) -> Observed:
    return Observed(f"looked at {given}")


async def end(given: str) -> Observed:
    return Observed(given, done=True)


def said(action: str, action_input: object) -> str:
    return json.dumps({"thought": "hm", "action": action, "action_input": action_input})


def run(*replies: str, turns: int = 5) -> tuple[list[Turn], ScriptedModel]:
    model = ScriptedModel.of(*replies)
    acted = act(
        model,
        OPENING,
        {"look": look, "end": end},
        turns=turns,
        sampling=Sampling(temperature=0.2),
        tell=lambda words: f"seen: {words}",
    )
    return asyncio.run(acted), model


def test_turns_see_what_came_of_them_until_one_is_done() -> None:
    turns, model = run(said("look", "genes"), said("End", {"answer": "three"}))
    assert [t.observed.words for t in turns] == ["looked at genes", "three"]
    assert [m.text for m in model.script.requests[1].messages] == [
        "Find it.",
        said("look", "genes"),
        "seen: looked at genes",
    ]


def test_bad_replies_cost_a_turn_and_are_told() -> None:
    turns, model = run("no JSON", said("lok", "x"), said("end", ["odd"]), turns=3)
    assert "can't be read" in turns[0].observed.words
    assert "Did you mean 'look'?" in turns[1].observed.words
    assert "Did you mean 'look'?" in model.prompts[2]
    assert turns[2].action_input == ""


def test_the_number_of_turns_is_bounded() -> None:
    turns, model = run(*[said("look", "again")] * 9, turns=4)
    assert len(turns) == len(model.prompts) == 4
