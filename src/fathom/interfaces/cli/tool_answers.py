"""How an answer from a biomedical API looks on a terminal."""

from fathom.answering.calling import ToolAnswer, call
from fathom.biotools.client import Client
from fathom.interfaces.cli.showing import console, notices, plain, print_json

DECLINED = 3


def ask_tools(question: str, *, as_json: bool) -> int:
    """Ask the APIs and print the answer; 0 when there is one, 3 when it was declined."""
    with Client() as client:
        given = call(question, client=client, progress=lambda told: notices.print(plain(told)))
    if as_json:
        print_json(_as_json(given))
    elif given.refusal:
        console.print(plain(given.text), soft_wrap=True)
    else:
        _show(given)
    return DECLINED if given.refusal else 0


def _show(given: ToolAnswer) -> None:
    console.print(plain(given.text), soft_wrap=True)
    console.print()
    told = " ".join(f"{name}={value}" for name, value in given.arguments.items())
    lines = [f"Call: {given.endpoint} {told}", f"Check it at: {given.url}", f"Cite: {given.citation}"]
    lines += [f"Assumed: {name} {value}" for name, value in given.assumed.items()]
    lines.append(f"Confidence: {given.confidence:.0%}")
    for line in lines:
        notices.print(plain(line), style="dim", soft_wrap=True)
    for line in given.observation.left_out if given.observation else ():
        notices.print(
            plain(f"{line}; `fathom call {given.endpoint} ... --raw` prints all"), style="dim", soft_wrap=True
        )


def _as_json(given: ToolAnswer) -> dict[str, object]:
    return {
        "status": "declined" if given.refusal else "answered",
        "answer": given.text,
        "endpoint": given.endpoint,
        "arguments": dict(given.arguments),
        "assumed": dict(given.assumed),
        "confidence": given.confidence,
        "facts": [{"place": list(f.place), "text": f.text} for f in given.facts],
        "observation": given.observation.content if given.observation else None,
        "url": given.url,
        "citation": given.citation,
    }
