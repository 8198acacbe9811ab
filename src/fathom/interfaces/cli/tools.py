"""`fathom tools`: the endpoints of the biomedical APIs: list, search, explain, export."""

import threading
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter as Option

from fathom.biotools.catalogue import (
    Endpoint,
    Parameter,
    check,
    endpoint,
    endpoints,
    export,
    request_for,
    search,
)
from fathom.errors import InputError, did_you_mean
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending

ACTIONS = ("list", "search", "show", "export", "export-training", "answer", "verify", "serve")


def tools(
    action: str = "list",
    /,
    *words: str,
    out: Annotated[Path | None, Option(name=["--out", "-o"])] = None,
    split: str | None = None,
    fraction: float = 1.0,
    model: str | None = None,
    seen: str = "nothing",
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    json: bool = False,
) -> int:
    """Look at the endpoints of NCBI, UniProt and Ensembl that Fathom can call.

    `fathom tools` lists them, `fathom tools search linkage` finds some, `fathom tools show get_ld_region`
    explains one, `fathom tools export` prints all as JSON Schema for function calling. `fathom tools verify`
    calls the example of each (or of those named) at the real services and prints how it went;
    `fathom tools serve` serves all of them on this machine, with made records, to try things out.
    `fathom tools export-training PAIRS.json --out FOLDER` writes files to tune a model on.
    `fathom tools answer PAIRS.json --model NAME --out FILE` has a model answer the questions in words,
    without tools or shown what a call returned, for `fathom prefer`.

    Parameters
    ----------
    action
        list, search, show, export, export-training, answer, verify or serve.
    words
        What to search for, the endpoint to show, those to verify, or the file of questions with their calls.
    out
        With export-training: the folder to write to. With answer: the file of answers; the same command
        goes on where it was stopped.
    split
        With export-training: random (a fifth of the calls is kept for testing; the default), unseen (a fifth
        of the endpoints) or all. With answer: which questions (default: all).
    fraction
        With export-training: write so much of the part for training, from 0 to 1; a greater fraction holds
        a smaller one.
    model
        With answer: who answers, as provider:name.
    seen
        With answer: nothing (no tools), gold (what the gold call returns), or the folder of a run of
        `fathom evaluate-calls biotool:PAIRS.json` (what its call returns).
    json
        Print JSON.
    """
    match action:
        case "list":
            _list(endpoints().values(), json)
            if not json:
                tools = {(e.provider, e.tool) for e in endpoints().values()}
                notices.print(f"{len(endpoints())} endpoints in {len(tools)} tools.")
        case "search":
            _list(_found(" ".join(words)), json)
        case "show":
            _show(endpoint(_one(words)), json)
        case "export":
            print_json(export())
        case "export-training":
            from fathom.interfaces.cli.training_export import export_training  # noqa: PLC0415, rarely needed

            export_training(words, out, split or "random", fraction)
        case "answer":
            from fathom.interfaces.cli.answer_pairs import answer_pairs  # noqa: PLC0415, likewise

            return answer_pairs(
                words, out, model, seen, split or "all", recording=recording, spending=spending
            )
        case "verify":
            return _verify(words)
        case "serve":
            _serve()
        case _:
            meant = did_you_mean(action, ACTIONS)
            raise InputError(f"fathom tools has no {action!r}.{meant} An endpoint: fathom tools show NAME")
    return 0


def _verify(names: tuple[str, ...]) -> int:
    """Call every example and print a line for each; 1 when any isn't answered."""
    from fathom.biotools.client import Client  # noqa: PLC0415, the other actions need no client
    from fathom.biotools.verification import verify  # noqa: PLC0415

    chosen = [endpoint(name).name for name in names]
    failed = 0
    with Client() as client:
        asked = dict.fromkeys(endpoints()[name].service for name in chosen or endpoints())
        for stand_in in filter(None, map(client.stand_in, asked)):
            notices.print(plain(stand_in), soft_wrap=True)
        for verdict in verify(client, chosen):
            failed += not verdict.answered
            mark = "ok    " if verdict.answered else "FAILED"
            line = (
                f"{mark} {verdict.provider:8} {verdict.endpoint:36} {verdict.seconds:6.2f} s  {verdict.told}"
            )
            console.print(plain(line), soft_wrap=True)
    console.print(f"{failed} of {len(chosen or endpoints())} endpoints failed.")
    return int(failed > 0)


def _serve() -> None:
    """Serve made records until interrupted, and tell how to use them."""
    from fathom.biotools.loopback import Loopback  # noqa: PLC0415

    with Loopback() as server:
        notices.print("Made records, not science. In another shell:", style="bold")
        for service, base in server.bases.items():
            console.print(plain(f"export FATHOM_BASE_{service.upper()}={base}"))
        notices.print("Ctrl-C ends.")
        threading.Event().wait()


def _found(words: str) -> list[Endpoint]:
    if not words.strip():
        raise InputError("Say what to look for, such as: fathom tools search linkage")
    found = search(words)
    if not found:
        raise InputError(f"No endpoint fits {words!r}. `fathom tools` lists all of them.")
    return found


def _one(words: tuple[str, ...]) -> str:
    if len(words) != 1:
        raise InputError("Name one endpoint, such as: fathom tools show get_ld_region")
    return words[0]


def _list(shown: Iterable[Endpoint], as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "provider": e.provider, "tool": e.tool, "summary": e.summary} for e in shown]
        print_json(rows)
        return
    for (provider, tool), group in groupby(shown, key=lambda e: (e.provider, e.tool)):
        console.print(plain(f"{provider} · {tool}"), style="bold")
        for one in group:
            console.print(plain(f"  {one.name:36} {one.summary}"), soft_wrap=True)


def _show(shown: Endpoint, as_json: bool) -> None:
    call = check(shown.name, shown.example)
    url = request_for(call).url()
    if as_json:
        schema = next(s["function"] for s in export() if s["function"]["name"] == shown.name)
        print_json({**schema, "provider": shown.provider, "tool": shown.tool, "example": url})
        return
    console.print(plain(shown.name), style="bold")
    console.print(plain(f"{shown.summary}\n{shown.provider}, {shown.tool}: {shown.method} {shown.path}\n"))
    table = bare_table()
    for heading in ("parameter", "takes", "what"):
        table.add_column(heading, overflow="fold")
    for parameter in shown.callable_parameters.values():
        name = f"{parameter.name} (needed)" if parameter.required else parameter.name
        table.add_row(plain(name), plain(_takes(parameter)), plain(parameter.description))
    console.print(table)
    arguments = " ".join(f"{k}={str(v)!r}" for k, v in shown.example.items())
    console.print(plain(f"For example:\n  fathom call {shown.name} {arguments}\n  {url}"), soft_wrap=True)


def _takes(parameter: Parameter) -> str:
    told = parameter.type
    if parameter.enum:
        told = " | ".join(str(v) for v in parameter.enum)
    elif parameter.kind:
        told = parameter.kind.replace("_", " ")
    elif parameter.items_enum:
        told = "list of " + ", ".join(parameter.items_enum)
    if parameter.minimum is not None or parameter.maximum is not None:
        low = "" if parameter.minimum is None else f"{parameter.minimum:g}"
        high = "" if parameter.maximum is None else f"{parameter.maximum:g}"
        told += f", {low}..{high}"
    return told if parameter.default is None else f"{told}; {parameter.default} unless set"
