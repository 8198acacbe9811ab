"""Methods as tuples of steps, and the one runner that works them through."""

import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any

from fathom import registry
from fathom.cancellation import Cancellation, current_cancellation
from fathom.errors import BudgetExceeded, ConfigError, did_you_mean
from fathom.methods.context import CUT, Context
from fathom.records import Assumption, Draft, Question, Refusal, Step, Trace, Usage
from fathom.records.trace import Module
from fathom.watch import watching

StepFunction = Callable[..., Coroutine[Any, Any, Draft]]
"""`async (draft, context, *, setting=default, ...) -> draft`."""
NO_CALLS = "0"
ALL_QUIRKS = "quirks"
STOPPED = "stopped early"
"""The finding of a step that the budget of its question cut short."""
CUT_REPLY = "A reply was cut at the most tokens it may have: allow more with --reply-tokens."


@dataclass(frozen=True, slots=True)
class MethodStep:
    """A step function with its name, the module it belongs to, and the settings it runs with.

    `calls` says for people how often it asks a model for one question, such as "1", "0-3" or "{samples}",
    where the name of a setting stands for its value. `shots` names the setting that says how many solved
    questions the step shows a model. `quirks` are the settings, off by default, that bring
    back what is plainly a fault of published code and changes its figures, each with what it does.
    """

    name: str
    module: Module
    function: StepFunction
    settings: Mapping[str, Any] = field(default_factory=dict)
    calls: str = NO_CALLS
    quirks: Mapping[str, str] = field(default_factory=dict)
    shots: str = ""

    @property
    def shows_examples(self) -> bool:
        """True if the step shows a model solved questions, where there are any."""
        return bool(self.shots and self.known_settings[self.shots])

    @property
    def asks_model(self) -> bool:
        """True if the step needs a language model."""
        return self.calls != NO_CALLS

    @property
    def known_settings(self) -> Mapping[str, Any]:
        """Every setting that the step takes, with the value it has."""
        parameters = signature(self.function).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        return {**defaults, **self.settings}

    def using(self, **settings: Any) -> "MethodStep":
        """The same step with other settings. Raises `ConfigError` for one that it doesn't take."""
        known = self.known_settings
        if unknown := sorted(set(settings) - set(known)):
            hint = did_you_mean(unknown[0], sorted(known))
            raise ConfigError(f"The step {self.name!r} has no setting {unknown[0]!r}.{hint}")
        return replace(self, settings={**self.settings, **settings})

    @property
    def calls_shown(self) -> str:
        """The number of calls for one question, in words."""
        return self.calls.format_map(self.known_settings)


@dataclass(frozen=True, slots=True)
class Method:
    """A named sequence of steps. `provenance` says where the method was published, `departures` in what it
    differs on purpose from what was published. One that `needs_examples` is nothing without solved questions.
    """

    name: str
    steps: tuple[MethodStep, ...]
    summary: str = ""
    provenance: str = ""
    departures: str = ""
    needs_examples: bool = False

    @property
    def shows_examples(self) -> bool:
        """True if any step shows a model solved questions, where there are any."""
        return any(s.shows_examples for s in self.steps)

    @property
    def asks_model(self) -> bool:
        """True if any step needs a language model."""
        return any(s.asks_model for s in self.steps)

    @property
    def quirks(self) -> Mapping[str, str]:
        """The quirks of all steps, each with what it does."""
        return {name: about for one in self.steps for name, about in one.quirks.items()}

    def using(self, **settings: Any) -> "Method":
        """The same method, each setting with the steps that take it.

        Raises `ConfigError` for one that no step takes.
        """
        known = {name for one in self.steps for name in one.known_settings}
        if unknown := sorted(set(settings) - known):
            hint = did_you_mean(unknown[0], sorted(known)) or " It has none."
            raise ConfigError(f"The method {self.name!r} has no setting {unknown[0]!r}.{hint}")
        steps = (s.using(**{k: v for k, v in settings.items() if k in s.known_settings}) for s in self.steps)
        return replace(self, steps=tuple(steps))

    def with_quirks(self, *names: str) -> "Method":
        """The same method, named after them, with these quirks switched on; `quirks` stands for all.

        Raises `ConfigError` with the nearest name for one that no step has.
        """
        for name in names:
            if name not in self.quirks and (name != ALL_QUIRKS or not self.quirks):
                known = (ALL_QUIRKS, *self.quirks) if self.quirks else ()
                listed = f" It has: {', '.join(self.quirks)}." if self.quirks else " It has none."
                hint = did_you_mean(name, known) or listed
                raise ConfigError(f"The method {self.name!r} has no quirk {name!r}.{hint}")
        wanted = self.quirks if ALL_QUIRKS in names else names
        steps = tuple(s.using(**{q: True for q in s.quirks if q in wanted}) for s in self.steps)
        return replace(self, name="+".join((self.name, *names)), steps=steps)


def step(
    module: Module,
    *,
    calls: str = NO_CALLS,
    quirks: Mapping[str, str] | None = None,
    shots: str = "",
) -> Callable[[StepFunction], MethodStep]:
    """Make a step of a function `async (draft, context) -> draft`; its name is the function's.

    Keyword-only parameters of the function are the step's settings, `quirks` among them.
    """

    def named(function: StepFunction) -> MethodStep:
        made = MethodStep(function.__name__, module, function, calls=calls, quirks=quirks or {}, shots=shots)
        assert all(made.known_settings.get(q) is False for q in made.quirks)
        return made

    return named


def find_method(name: str) -> Any:
    """Find the method registered under a name, or the method that the TOML file of this path describes.

    A registered object is a `Method`, or a callable that takes a question. `NAME+QUIRK` is a method with that
    quirk of its published code switched on, `NAME+quirks` with all of them. Raises `UnknownName` with the
    nearest name, `ConfigError` for a quirk that it doesn't have, and `InputError` for a file that describes
    no method.
    """
    if name.endswith(".toml"):
        from fathom.methods.method_files import read_method  # noqa: PLC0415 - it needs MethodStep

        return read_method(Path(name))
    name, *quirks = name.split("+")
    found = registry.load("methods", name)
    if not quirks:
        return found
    if not isinstance(found, Method):
        raise ConfigError(
            f"{name!r} is no method made of steps, so it has no quirks: write {name} without +."
        )
    return found.with_quirks(*quirks)


async def run_method(method: Method, question: Question, context: Context) -> Draft:
    """Work through a method's steps; the draft that comes back holds the whole trace.

    Later steps are left out once a step has refused or asked back without leaving any SQL, and once the
    budget of the question is spent: the query that then stands is the answer, and the draft says so.
    Raises `QuestionTooLong`, and what a step raises, the budget of a whole run among it, and `Cancelled`.
    """
    question.check_length()
    draft = Draft(question)
    cancellation = context.cancellation or current_cancellation() or Cancellation()
    with cancellation.covering():
        for one in method.steps:
            cancellation.check()
            if draft.sql is None and (draft.refusal or draft.readings):
                break
            draft = await _run_step(one, draft, context.for_one_step())
            if STOPPED in draft.trace.steps[-1].found:
                break
    return draft


async def _run_step(one: MethodStep, draft: Draft, context: Context) -> Draft:
    started = time.perf_counter()
    try:
        with watching(context.watch, one.name.replace("_", " ")):
            after = await one.function(replace(draft, notes={}), context, **one.settings)
    except BudgetExceeded as error:
        if error.lasting:
            raise
        after = _cut_short(draft, one, str(error))
    if CUT in context.meter.notes and after.refusal is not None and draft.refusal is None:
        reason = f"{after.refusal.reason} {CUT_REPLY}"
        after = replace(after, refusal=replace(after.refusal, reason=reason))
    spent = time.perf_counter() - started
    used = context.meter.usage
    own = max(0.0, spent - used.database_seconds - used.model_seconds)
    done = Step(
        one.name,
        one.module,
        found={**_changes(draft, after), **after.notes, **context.meter.notes},
        usage=used + Usage(own_seconds=own),
    )
    return replace(after, notes={}, trace=Trace((*draft.trace.steps, done)))


def _cut_short(draft: Draft, one: MethodStep, why: str) -> Draft:
    """The draft as it was before a step for which the budget was too small."""
    noted = replace(draft, notes={STOPPED: why})
    if draft.sql is None:
        return replace(noted, refusal=Refusal(why))
    told = Assumption("default", f"The query stands as it was before {one.name!r}. {why}")
    return replace(noted, assumptions=(*draft.assumptions, told))


def _changes(before: Draft, after: Draft) -> Mapping[str, Any]:
    """Give the changes by a step, as JSON values for a reader of the trace."""
    found: dict[str, Any] = {}
    if after.selection is not None and after.selection != before.selection:
        found["selection"] = {t: list(c) for t, c in after.selection.tables.items()}
    if after.candidates != before.candidates:
        found["candidates"] = [{"sql": c.sql, "score": c.score, "error": c.error} for c in after.candidates]
    found |= {k: v for k, v in after.findings.items() if before.findings.get(k) != v}
    if after.sql != before.sql:
        found["sql"] = after.sql
    if after.confidence != before.confidence:
        found["confidence"] = after.confidence
    if after.refusal is not None and after.refusal != before.refusal:
        found["refusal"] = after.refusal.reason
    if after.readings != before.readings:
        found["readings"] = [{"text": r.text, "sql": r.sql} for r in after.readings]
    return found
