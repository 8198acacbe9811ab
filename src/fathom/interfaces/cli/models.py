"""`fathom models`: which language models can be asked, and whether one answers; fetch one to this machine."""

import asyncio
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from fathom.errors import ConfigError, MissingExtra, ModelError, ModelFailed, sentences
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json
from fathom.llm import Pace, Reply, open_model
from fathom.llm.keys import redact_error
from fathom.llm.local import NAME as LOCAL
from fathom.llm.providers import PROVIDERS, Provider

PROMPT = "Reply with the one word: ready"


def models(
    action: Literal["list", "fetch", "remove"] = "list",
    name: str | None = None,
    /,
    *,
    from_: Annotated[str, Parameter(name="--from")] = "",
    check: tuple[str, ...] = (),
    seconds: float = 60.0,
    json: bool = False,
) -> None:
    """Show which language models can be asked, and fetch one to this machine, where it needs no network.

    Keys of providers are read from the environment alone.

    Parameters
    ----------
    action
        list (default); fetch a model to this machine, once; remove one from it.
    name
        The model to fetch or remove, as the list names it; to fetch, the preferred one where left out.
    from_
        Fetch the model's file from this file or address; it is checked like the publisher's.
    check
        Send a tiny request to this model: provider:name, or http://host:port/v1#name; may be repeated.
    seconds
        Time that a checked model has to answer in.
    json
        Print one JSON object: providers and models of this machine, or checks.
    """
    if action != "list":
        _fetch_or_remove(action, name, from_)
    elif check:
        _check(check, seconds, json)
    elif json:
        from fathom.interfaces.cli.local_models import described_models  # noqa: PLC0415, as below

        listed = [_described(p) for p in PROVIDERS.values()]
        print_json({"providers": listed, "models": described_models()})
    else:
        _show()


def _fetch_or_remove(action: str, name: str | None, source: str) -> None:
    try:
        from fathom.interfaces.cli.local_models import fetch_model, remove_model  # noqa: PLC0415, an extra
    except ImportError as error:
        raise MissingExtra("A model on this machine", error.name or "httpx2", LOCAL) from None
    name = name.removeprefix(f"{LOCAL}:") if name else None
    if action == "fetch":
        fetch_model(name, source)
    elif name:
        remove_model(name)
    else:
        raise ConfigError("Say which model to remove: fathom models remove NAME")


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
        if provider.name != LOCAL:
            grid.add_row(*map(plain, (provider.name, provider.title, _state(provider))))
    console.print(grid)
    _show_local()
    console.print(
        "Name a model as PROVIDER:NAME, or one on any OpenAI-compatible server as\n"
        "http://HOST:PORT/v1#NAME (its key, if it takes one, in FATHOM_MODEL_KEY).\n"
        "fathom models --check PROVIDER:NAME asks one.",
        style="dim",
        markup=False,
    )


def _show_local() -> None:
    try:
        from fathom.interfaces.cli.local_models import show_models  # noqa: PLC0415, an extra
    except ImportError as error:
        missing = MissingExtra("A model on this machine", error.name or "httpx2", LOCAL)
        console.print(f"{missing}\n", style="dim", markup=False)
    else:
        show_models()


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
