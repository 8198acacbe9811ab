"""`fathom models`: which language models can be asked, and whether one answers."""

import asyncio
from typing import Any

from fathom.errors import ModelError, ModelFailed, sentences
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json
from fathom.llm import Pace, Reply, open_model
from fathom.llm.keys import redact_error
from fathom.llm.providers import PROVIDERS, Provider

PROMPT = "Reply with the one word: ready"


def models(
    *,
    check: tuple[str, ...] = (),
    seconds: float = 60.0,
    json: bool = False,
) -> None:
    """Show which providers of language models are configured; keys are read from the environment alone.

    Parameters
    ----------
    check
        Send a tiny request to this model: provider:name, or http://host:port/v1#name; may be repeated.
    seconds
        Time that a checked model has to answer in.
    json
        Print one JSON object: providers, or checks.
    """
    if check:
        _check(check, seconds, json)
    elif json:
        print_json({"providers": [_described(p) for p in PROVIDERS.values()]})
    else:
        _show()


def _described(provider: Provider) -> dict[str, Any]:
    return {
        "name": provider.name,
        "title": provider.title,
        "key": provider.key_variable(),
        "address": redact_error(provider.address()) or None,
        "missing": list(provider.missing()),
    }


def _show() -> None:
    grid = bare_table()
    for heading in ("provider", "", "state"):
        grid.add_column(heading, overflow="fold")
    for provider in PROVIDERS.values():
        grid.add_row(*map(plain, (provider.name, provider.title, _state(provider))))
    console.print(grid)
    console.print(
        "Name a model as PROVIDER:NAME, or one on any OpenAI-compatible server as\n"
        "http://HOST:PORT/v1#NAME (its key, if it takes one, in FATHOM_MODEL_KEY).\n"
        "fathom models --check PROVIDER:NAME asks one.",
        style="dim",
        markup=False,
    )


def _state(provider: Provider) -> str:
    told = _described(provider)
    if told["missing"]:
        return f"set {' and '.join(told['missing'])}"
    key = f"key in {told['key']}" if told["key"] else ""
    return "\n".join(filter(None, (told["address"], key))) or "by the credentials of AWS"


def _check(names: tuple[str, ...], seconds: float, json: bool) -> None:
    checks: list[dict[str, Any]] = []
    for name in names:
        checks.append(_asked(name, seconds))
        if not json:
            _tell(checks[-1])
    if json:
        print_json({"checks": checks})
    if failed := [c["model"] for c in checks if not c["answered"]]:
        raise ModelError(f"{len(failed)} of {len(names)} did not answer: {', '.join(failed)}")


def _asked(name: str, seconds: float) -> dict[str, Any]:
    shown = redact_error(name)
    try:
        with (
            notices.status(f"Asking {plain(shown)} ..."),
            open_model(name, pace=Pace(attempts=1, seconds=seconds)) as model,
        ):
            reply = asyncio.run(model.ask(PROMPT))
    except ModelFailed as error:
        advice = error.advice + (" Give --seconds more." if error.reason == "timeout" else "")
        return {"model": shown, "answered": False, "problem": error.problem, "advice": advice}
    except ModelError as error:
        return {"model": shown, "answered": False, "problem": str(error), "advice": ""}
    return {"model": shown, "answered": True, **_facts(reply)}


def _facts(reply: Reply) -> dict[str, Any]:
    used = reply.usage
    measured = not used.unmeasured_calls
    return {
        "reply": reply.text,
        "calls_itself": reply.model,
        "seconds": round(used.model_seconds, 3),
        "prompt_tokens": used.prompt_tokens if measured else None,
        "completion_tokens": used.completion_tokens if measured else None,
        "cost_usd": used.cost_usd,
    }


def _tell(found: dict[str, Any]) -> None:
    if not found["answered"]:
        notices.print(
            plain(f"{found['model']}: {sentences(found['problem'], found['advice'])}"), soft_wrap=True
        )
        return
    tokens = "tokens not told"
    if found["prompt_tokens"] is not None:
        tokens = f"{found['prompt_tokens']} + {found['completion_tokens']} tokens"
    cost = "price not known" if found["cost_usd"] is None else f"{found['cost_usd']} dollars"
    said = found["reply"].strip() or "(no words)"
    line = f"{found['model']} answered {said!r} in {found['seconds']:.2f} s: {tokens}, {cost}"
    console.print(plain(line), soft_wrap=True)
