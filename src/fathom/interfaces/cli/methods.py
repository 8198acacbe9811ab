"""`fathom methods`: which methods there are, what each is made of, and the steps to compose one of."""

import inspect
from collections.abc import Mapping
from typing import Any, Literal

from rich.tree import Tree

from fathom import registry
from fathom.errors import ConfigError
from fathom.interfaces.cli.display import bare_table, console, plain, print_json
from fathom.methods import Method, MethodStep, find_method
from fathom.methods.registered_steps import registered_steps
from fathom.nl2sql.strategies import STRATEGIES, strategies_by_module, strategies_of
from fathom.records.trace import MODULES

_NO_STEPS: Mapping[str, Any] = {"modules": [], "steps": [], "quirks": {}, "strategies": {}}


def methods(
    action: Literal["list", "show", "steps", "strategies"] = "list",
    name: str | None = None,
    /,
    *,
    json: bool = False,
) -> None:
    """List the methods, draw one, list the steps that methods are composed of, or class methods by strategy.

    Parameters
    ----------
    action
        list (default); show with a name or the TOML file of a composed method; steps; strategies: what each
        method does in each module, in the terms of NL2SQLBench.
    name
        The method to draw.
    json
        Print one JSON object.
    """
    if action == "steps":
        _steps(as_json=json)
    elif action == "strategies":
        _strategies(as_json=json)
    elif action == "show":
        if name is None:
            raise ConfigError("Say which method to draw: fathom methods show NAME")
        _draw(find_method(name), as_json=json)
    else:
        _list(as_json=json)


def _list(*, as_json: bool) -> None:
    found = {name: registry.load("methods", name) for name in registry.names("methods")}
    if as_json:
        print_json({"methods": [{**_described(m), "name": n} for n, m in found.items()]})
        return
    grid = bare_table()
    for heading in ("method", "modules", "calls", "summary"):
        grid.add_column(heading, overflow="fold")
    for name, method in found.items():
        told = _described(method)
        calls = told["calls"] or "none"
        grid.add_row(*map(plain, (name, ", ".join(told["modules"]), calls, _about(told))))
    console.print(grid)
    console.print(
        "Calls are requests to a language model for one question; methods without any need none.\n"
        "fathom methods show NAME draws one; fathom methods steps lists what they are made of.",
        style="dim",
        markup=False,
    )


def _about(told: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (told["summary"], f"({told['provenance']})" if told["provenance"] else "")))


def _described(method: Any) -> dict[str, Any]:
    if not isinstance(method, Method):
        summary = (inspect.getdoc(method) or "").partition("\n")[0]
        return {**dict.fromkeys(("provenance", "departures", "calls"), ""), "summary": summary, **_NO_STEPS}
    asking = [s for s in method.steps if s.asks_model]
    return {
        "name": method.name,
        "summary": method.summary,
        "provenance": method.provenance,
        "departures": method.departures,
        "modules": [m for m in MODULES if any(s.module == m for s in method.steps)],
        "calls": " + ".join(s.calls_shown for s in asking),
        "steps": [_step(s) for s in method.steps],
        "quirks": dict(method.quirks),
        "strategies": {m: list(tags) for m, tags in strategies_by_module(method).items()},
    }


def _step(step: MethodStep) -> dict[str, Any]:
    return {
        "step": step.name,
        "module": step.module,
        "calls": step.calls_shown,
        "settings": dict(step.known_settings),
        "strategies": list(strategies_of(step)),
        "about": (inspect.getdoc(step.function) or "").partition("\n")[0],
    }


def _draw(method: Any, *, as_json: bool) -> None:
    told = _described(method)
    if as_json:
        print_json(told)
        return
    tree = Tree(plain(told.get("name", "") or "method"))
    for module in told["modules"]:
        branch = tree.add(plain(module))
        for step in (s for s in told["steps"] if s["module"] == module):
            calls = "" if step["calls"] == "0" else f" [calls: {step['calls']}]"
            node = branch.add(plain(f"{step['step']}{calls}"))
            node.add(plain(step["about"]))
            if step["strategies"]:
                node.add(plain(f"strategy: {', '.join(step['strategies'])}"))
            if step["settings"]:
                node.add(plain(", ".join(f"{k} = {v!r}" for k, v in step["settings"].items())))
    if about := _about(told):
        console.print(plain(about), soft_wrap=True)
    console.print(tree)
    if told["departures"]:
        console.print("Other than published, on purpose:", style="dim")
        console.print(plain(f"  {told['departures']}"), soft_wrap=True)
    if told["quirks"]:
        console.print(
            plain(f"Faults of the published code, off; {told['name']}+QUIRK switches one on, +quirks all:"),
            style="dim",
        )
        for quirk, does in told["quirks"].items():
            console.print(plain(f"  {quirk}: {does}"), soft_wrap=True)


def _strategies(*, as_json: bool) -> None:
    made = [m for n in registry.names("methods") if isinstance(m := registry.load("methods", n), Method)]
    found = {m.name: strategies_by_module(m) for m in made}
    if as_json:
        print_json({"strategies": dict(STRATEGIES), "methods": found})
        return
    shown = [m for m in MODULES if any(m in of for of in found.values())]
    grid = bare_table()
    for heading in ("method", *shown):
        grid.add_column(heading, overflow="fold")
    for name, of in found.items():
        grid.add_row(*map(plain, (name, *(", ".join(of.get(m, ())) for m in shown))))
    console.print(grid)
    for name, about in STRATEGIES.items():
        console.print(plain(f"{name}: {about}"), style="dim", soft_wrap=True)


def _steps(*, as_json: bool) -> None:
    found = [_step(one) for one in registered_steps().values()]
    if as_json:
        print_json({"steps": found})
        return
    grid = bare_table()
    for heading in ("step", "module", "calls", "what it does, and its settings"):
        grid.add_column(heading, overflow="fold")
    for step in found:
        settings = ", ".join(f"{k} = {v!r}" for k, v in step["settings"].items())
        about = f"{step['about']}\n{settings}" if settings else step["about"]
        grid.add_row(*map(plain, (step["step"], step["module"], step["calls"], about)))
    console.print(grid)
