"""The agent loop: a model thinks, acts and sees what came of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from fathom.errors import did_you_mean
from fathom.llm import Message, Model, Sampling
from fathom.nl2sql.replies import json_object

UNREADABLE = (
    "This reply can't be read. Reply with one JSON object that has the keys thought, action and action_input."
)


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation after an action, in words for the model; `done` ends the loop."""

    words: str
    done: bool = False


Act = Callable[[str], Awaitable[Observed]]
"""An action: it takes its input and gives an observation."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the model: what it thought and did, and what it was told of it."""

    thought: str
    action: str
    action_input: str
    observed: Observed

    def as_json(self) -> dict[str, str]:
        """The turn for the trace."""
        return {
            "thought": self.thought,
            "action": self.action,
            "action_input": self.action_input,
            "observation": self.observed.words,
        }


async def act(
    model: Model,
    opening: Sequence[Message],
    actions: Mapping[str, Act],
    *,
    turns: int,
    sampling: Sampling,
    tell: Callable[[str], str] = str,
) -> list[Turn]:
    """Let a model act for at most `turns` turns, one conversation, until an act is done.

    Each reply is JSON with a thought, an action and its input; what can't be read and actions that aren't
    there cost a turn and are told. `tell` makes an observation's words ready for the prompt, as data.
    Raises what `Model.ask` raises.
    """
    messages, taken = list(opening), list[Turn]()
    for _ in range(turns):
        reply = await model.ask(messages, sampling=sampling)
        turn = await _taken(reply.text, actions)
        taken.append(turn)
        if turn.observed.done:
            break
        messages += (Message("assistant", reply.text), Message("user", tell(turn.observed.words)))
    return taken


async def _taken(reply: str, actions: Mapping[str, Act]) -> Turn:
    said = json_object(reply)
    thought, name, given = (_text(said.get(k)) for k in ("thought", "action", "action_input"))
    chosen = actions.get(name.casefold())
    if chosen is not None:
        return Turn(thought, name, given, await chosen(given))
    problem = f"There is no action {name!r}.{did_you_mean(name, list(actions))}" if name else UNREADABLE
    return Turn(thought, name, given, Observed(problem))


def _text(value: object) -> str:
    """A text, or the only text of an object that a model puts around it."""
    if isinstance(value, Mapping) and len(value) == 1:
        (value,) = value.values()
    return value.strip() if isinstance(value, str) else ""
