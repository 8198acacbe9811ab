"""The steps in order, each over what the step before left in the folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.authoring.biotool.asking import judged, questions_for
from fathom.authoring.biotool.executing import execute
from fathom.authoring.biotool.filtering import worthwhile
from fathom.authoring.biotool.journal import Item, Journal
from fathom.authoring.biotool.publishing import publish
from fathom.authoring.biotool.reviewing import decided, queue
from fathom.authoring.biotool.sampling import Seeds, sample
from fathom.biotools.catalogue import endpoint, endpoints
from fathom.biotools.client import Client
from fathom.errors import InputError
from fathom.llm import Model

STEPS = ("sample", "run", "ask", "judge", "review", "publish")


@dataclass(frozen=True)
class Plan:
    """What to make: `count` candidates an endpoint, of all but the extras unless named, from `seeds`.

    `model` writes and judges questions; `undecided` publishes questions that nobody has reviewed yet too.
    """

    folder: Path
    names: tuple[str, ...] = ()
    count: int = 10
    seeds: Seeds | None = None
    seed: int = 0
    model: Model | None = None
    undecided: bool = False

    def file(self, step: str) -> Path:
        """A step's file."""
        return self.folder / f"{step}.jsonl"

    def items(self, step: str) -> list[Item]:
        """What a step left, kept and rejected."""
        return list(Journal.read(self.file(step)).items.values())


async def author(
    plan: Plan,
    steps: Sequence[str],
    *,
    client: Client | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Do these steps in their order; the statistics where they end in publishing.

    What an earlier start did isn't done again. Raises `InputError` where a model is needed and there is none,
    `InUse`, and what the services and the model raise when they give no answer.
    """
    found: dict[str, Any] = {}
    for step in (s for s in STEPS if s in steps):
        match step:
            case "sample":
                _sample(plan)
            case "run":
                _run(plan, client)
            case "ask":
                await _ask(plan, _model(plan))
            case "judge":
                await _judge(plan, _model(plan))
            case "review":
                waiting = queue(plan.items("judge"), plan.file("review"))
                tell(f"review: {waiting:,} to decide in {plan.file('review')}")
                continue
            case _:
                found = _publish(plan)
                continue
        items = plan.items(step)
        kept = sum(not item.get("rejected") for item in items)
        tell(f"{step}: {kept:,} of {len(items):,} kept")
    return found


def _model(plan: Plan) -> Model:
    if plan.model is None:
        raise InputError(
            "Writing and judging questions needs a language model: name one, --model openai:NAME."
        )
    return plan.model


def _sample(plan: Plan) -> None:
    wanted = [endpoint(name).name for name in plan.names] or [
        n for n, e in endpoints().items() if not e.extra
    ]
    with Journal(plan.file("sample")) as journal:
        for item in sample(wanted, plan.count, seeds=plan.seeds or {}, seed=plan.seed):
            journal.add(item)


def _run(plan: Plan, client: Client | None) -> None:
    with Journal(plan.file("run")) as journal:
        candidates = Journal.read(plan.file("sample")).kept
        if client is not None:
            execute(candidates, client, journal)
            return
        with Client() as opened:
            execute(candidates, opened, journal)


def filtered(plan: Plan) -> list[Item]:
    """The executed calls after the heuristics; computed anew, since each depends on those before it."""
    return list(worthwhile(Journal.read(plan.file("run")).kept))


async def _ask(plan: Plan, model: Model) -> None:
    """Two questions a call, on one line, so that a kill never leaves one without the other."""
    with Journal(plan.file("ask")) as journal:
        for call in filtered(plan):
            if not call.get("rejected") and call["id"] not in journal.items:
                made = await questions_for(call, model)
                both = made[0] if made[0].get("rejected") else {"id": call["id"], "questions": made}
                journal.add(both)


async def _judge(plan: Plan, model: Model) -> None:
    with Journal(plan.file("judge")) as journal:
        for call in Journal.read(plan.file("ask")).kept:
            for asked in call["questions"]:
                if asked["id"] not in journal.items:
                    journal.add(await judged(asked, model))


def _publish(plan: Plan) -> dict[str, Any]:
    stages = {step: plan.items(step) for step in ("sample", "run", "ask", "judge")}
    questions = decided(stages["judge"], plan.file("review"), undecided=plan.undecided)
    return publish(questions, {**stages, "filter": filtered(plan)}, plan.folder)
