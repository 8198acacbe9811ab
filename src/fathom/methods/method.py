"""Methods as tuples of steps, and the one runner that works them through."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fathom import registry
from fathom.methods.context import Context
from fathom.records import Draft, Question, Step, Trace, Usage
from fathom.records.trace import Module

StepFunction = Callable[[Draft, Context], Awaitable[Draft]]


@dataclass(frozen=True, slots=True)
class MethodStep:
    """A step function with its name and the module it belongs to."""

    name: str
    module: Module
    function: StepFunction


@dataclass(frozen=True, slots=True)
class Method:
    """A named sequence of steps. `provenance` says where the method was published."""

    name: str
    steps: tuple[MethodStep, ...]
    summary: str = ""
    provenance: str = ""


def step(module: Module, *, name: str = "") -> Callable[[StepFunction], MethodStep]:
    """Make a step of a function `async (draft, context) -> draft`; its name is the function's."""

    def named(function: StepFunction) -> MethodStep:
        return MethodStep(name or function.__name__.replace("_", " "), module, function)

    return named


def find_method(name: str) -> Method:
    """The method registered under a name. Raises `UnknownName` with the nearest one."""
    method: Method = registry.load("methods", name)
    return method


async def run_method(method: Method, question: Question, context: Context) -> Draft:
    """Work through a method's steps; the draft that comes back holds the whole trace.

    Later steps are left out once a step has refused or asked back without leaving any SQL.
    Raises what a step raises.
    """
    draft = Draft(question)
    for one in method.steps:
        if draft.sql is None and (draft.refusal or draft.readings):
            break
        draft = await _run_step(one, draft, context.for_one_step())
    return draft


async def _run_step(one: MethodStep, draft: Draft, context: Context) -> Draft:
    started = time.perf_counter()
    after = await one.function(replace(draft, notes={}), context)
    spent = time.perf_counter() - started
    used = context.meter.usage
    own = max(0.0, spent - used.database_seconds - used.model_seconds)
    done = Step(
        one.name,
        one.module,
        found={**_changes(draft, after), **after.notes},
        usage=used + Usage(own_seconds=own),
    )
    return replace(after, notes={}, trace=Trace((*draft.trace.steps, done)))


def _changes(before: Draft, after: Draft) -> Mapping[str, Any]:
    """What a step changed, as JSON values: what a reader of the trace wants to see."""
    found: dict[str, Any] = {}
    if after.selection is not None and after.selection != before.selection:
        found["selection"] = {t: list(c) for t, c in after.selection.tables.items()}
    if after.candidates != before.candidates:
        found["candidates"] = [{"sql": c.sql, "score": c.score, "error": c.error} for c in after.candidates]
    if after.sql != before.sql:
        found["sql"] = after.sql
    if after.confidence != before.confidence:
        found["confidence"] = after.confidence
    if after.refusal is not None and after.refusal != before.refusal:
        found["refusal"] = after.refusal.reason
    if after.readings != before.readings:
        found["readings"] = [{"text": r.text, "sql": r.sql} for r in after.readings]
    return found
