"""`evaluate_calls`: ask a caller a benchmark's tool questions, make its calls, keep each as it is judged."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom import registry
from fathom.benchmarks import Benchmark
from fathom.benchmarks.calls import PREFIX, has_chains, is_of_calls
from fathom.errors import ConfigError
from fathom.evaluation.calls.callers import (
    CallProposer,
    Follow,
    Lessons,
    asking_caller,
    asking_function,
    surviving,
)
from fathom.evaluation.calls.encoders import LEXICAL, Encoder, open_encoder
from fathom.evaluation.calls.judge import CallJudge, Tools
from fathom.evaluation.runs.asker import Ask
from fathom.evaluation.runs.configuration import Configuration
from fathom.evaluation.runs.options import AS_USUAL, RunOptions
from fathom.evaluation.runs.run import Run, conduct
from fathom.evaluation.runs.scorers import InThreads
from fathom.evaluation.runs.subject import drawn_from
from fathom.records import Question

if TYPE_CHECKING:
    from fathom.llm import Model

Subject = str | CallProposer | Callable[[Question], Any]


def evaluate_calls(
    benchmark: str | Path | Benchmark,
    caller: Subject = "offline",
    options: RunOptions = AS_USUAL,
    *,
    examples: int | None = None,
    encoder: str | Encoder = LEXICAL,
    tools: Tools | None = None,
) -> Run:
    """Measure a caller on tool questions and keep the run in a folder; go on where it stopped before.

    `caller` is a registered name, a caller, or any callable from a `Question` to a `ToolCall`, a list of them
    in a row, or None. Where any question takes several calls, callers are followed to their last call.
    With examples a caller named by its name is taught the training questions; where the benchmark has no
    such split, its own questions without those that give the asked one away. `examples` is how many of them.
    Observations of both calls come from `tools` (the three services unless told, which are then closed),
    their similarity from `encoder`, whose name is kept with the run.

    Raises `DifferentRun`, `RunInUse`, `RunStopped` and `BudgetExceeded` as `evaluate` does, `ConfigError` for
    a benchmark that isn't of calls and for options that go with queries, and what the encoder raises. When
    the services don't answer, the run stops.
    """
    loaded = options.load(benchmark)
    if not is_of_calls(loaded):
        raise ConfigError(f"{loaded.name} has no tool questions. Name a file of them as {PREFIX}FILE.")
    options.check_of_calls()
    learning = options.with_examples or examples is not None
    with ExitStack() as stack:
        opened = stack.enter_context(options.opened_model())
        used = tools or stack.enter_context(closing(registry.load("tools", "biotool")()))
        measuring = (
            stack.enter_context(closing(open_encoder(encoder))) if isinstance(encoder, str) else encoder
        )
        lessons = Lessons(loaded, examples) if learning else None
        configuration = Configuration(
            method=options.name or _name(caller),
            model=opened.name if opened else None,
            benchmark=loaded.name,
            split=loaded.split,
            digest=loaded.digest,
            comparison=f"{loaded.comparison} by {measuring.name}",
            settings=_settings(options.settings, used, learning=learning, examples=examples, model=opened)
            | ({"questions": loaded.choice.as_json()} if loaded.choice else {}),
            seed=options.seed or 0,
            limit=options.limit,
        )
        ask = _ask(caller, opened, lessons, used.follow if has_chains(loaded) else None)
        judging, scorers = CallJudge(used, measuring), InThreads(options.workers)
        return conduct(loaded, configuration, surviving(ask), judging, scorers, options=options)


def _ask(caller: Subject, model: "Model | None", lessons: Lessons | None, follow: Follow | None) -> Ask:
    if isinstance(caller, str):
        make = registry.load("callers", caller)
        return asking_caller(lambda solved: make(model, solved), lessons, follow)
    if lessons is not None:
        raise ConfigError("Only a registered caller, named by its name, can be given examples.")
    if isinstance(caller, CallProposer):
        return asking_caller(lambda _: caller, None, follow)
    return asking_function(caller)


def _name(caller: Subject) -> str:
    if isinstance(caller, str):
        return caller
    return str(getattr(caller, "name", None) or getattr(caller, "__qualname__", type(caller).__qualname__))


def _settings(
    given: Mapping[str, Any] | None,
    tools: Tools,
    *,
    learning: bool,
    examples: int | None,
    model: "Model | None",
) -> dict[str, Any]:
    """Collect the settings that decide outcomes, as `run.json` keeps them; unusual services are named."""
    kept = dict(given or {})
    if model is not None and (drawn := drawn_from(model)):
        kept["sampling"] = drawn
    if learning:
        kept["with_examples"] = True
    if examples is not None:
        kept["examples"] = examples
    if tools.about:
        kept["services"] = tools.about
    return kept
