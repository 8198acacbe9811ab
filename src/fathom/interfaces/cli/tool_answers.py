"""How an answer from biomedical APIs looks on a terminal."""

from typing import Any

from fathom.answering.calls import AnswerCall, ToolAnswer, call
from fathom.biotools.callers.chain import MOST_CALLS
from fathom.biotools.client import Client
from fathom.interfaces.cli import DECLINED
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.llm import Model
from fathom.llm.exchange import usage_json


def show_tool_question(
    question: str,
    *,
    caller: str | None = None,
    model: Model | None = None,
    limit: int = MOST_CALLS,
    as_json: bool,
) -> int:
    """Ask the APIs and print the answer; 0 when there is one, 3 when it was declined."""
    with Client() as client:
        given = call(
            question,
            caller=caller,
            model=model,
            client=client,
            limit=limit,
            progress=lambda told: notices.print(plain(told)),
        )
    if as_json:
        print_json(_as_json(given))
    else:
        show_tool_answer(given)
    return DECLINED if given.refusal else 0


def show_tool_answer(given: ToolAnswer) -> None:
    """Print an answer, and below it every call with its address and citation."""
    console.print(plain(given.text), soft_wrap=True)
    lines = [*_calls(given.calls), *given.notes]
    if not given.refusal:
        lines.append(f"Confidence {given.confidence:.0%}.")
    if given.usage.calls:
        tokens = given.usage.prompt_tokens + given.usage.completion_tokens
        lines.append(f"Model: {given.usage.calls} requests, {tokens:,} tokens")
    if lines:
        console.print()
    for line in lines:
        notices.print(plain(line), style="dim", soft_wrap=True)


def _calls(calls: tuple[AnswerCall, ...]) -> list[str]:
    lines = []
    for number, one in enumerate(calls, 1):
        told = " ".join(f"{name}={value}" for name, value in one.arguments.items())
        which = f"Call {number} of {len(calls)}" if len(calls) > 1 else "Call"
        lines += [f"{which}: {one.endpoint} {told}", f"Check it at: {one.url}"]
        if one.problem:
            lines.append(f"It failed: {one.problem}")
        elif number < len(calls):
            lines += [f"It gave: {fact.text.strip()}" for fact in one.facts[:2]]
        lines += [f"Assumed: {name} {value}" for name, value in one.assumed.items()]
        cut = one.observation.left_out if one.observation else ()
        lines += [f"{line}; `fathom call {one.endpoint} ... --raw` prints all" for line in cut]
    return lines + [
        f"Cite: {citation}" for citation in dict.fromkeys(one.citation for one in calls) if citation
    ]


def _as_json(given: ToolAnswer) -> dict[str, Any]:
    return {
        "status": "declined" if given.refusal else "answered",
        "answer": given.text,
        "caller": given.caller,
        "endpoint": given.endpoint,
        "confidence": given.confidence,
        "calls": [_call_json(one) for one in given.calls],
        "notes": list(given.notes),
        "usage": usage_json(given.usage),
    }


def _call_json(one: AnswerCall) -> dict[str, Any]:
    return {
        "endpoint": one.endpoint,
        "arguments": dict(one.arguments),
        "assumed": dict(one.assumed),
        "facts": [{"place": list(f.place), "text": f.text} for f in one.facts],
        "observation": one.observation.content if one.observation else None,
        "problem": one.problem,
        "url": one.url,
        "citation": one.citation,
    }
