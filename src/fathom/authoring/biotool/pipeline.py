"""BioTool's steps as a maker."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from fathom.authoring.biotool.dataset import publish
from fathom.authoring.biotool.execution_filter import execution
from fathom.authoring.biotool.questions import judged, questions_for, shortened
from fathom.authoring.biotool.sampling import Seeds, sample
from fathom.authoring.biotool.worth_filter import worthwhile
from fathom.authoring.journal import Item
from fathom.authoring.maker import ItemStep, Made, Maker, PeopleStep, WholeStep, by_rule
from fathom.biotools.catalogue import endpoint, endpoints
from fathom.biotools.client import Client
from fathom.errors import InputError
from fathom.llm import Model


@dataclass(frozen=True)
class MakingPlan:
    """A plan: `count` candidates an endpoint, of all but the extras unless named, from `seeds`.

    `model` writes and judges questions; `reviewed_only` publishes only what people decided to keep.
    """

    names: tuple[str, ...] = ()
    count: int = 10
    seeds: Seeds | None = None
    seed: int = 0
    model: Model | None = None
    reviewed_only: bool = False


@contextmanager
def biotool_maker(plan: MakingPlan, client: Client | None = None) -> Iterator[Maker]:
    """A maker of questions for calls. Asking without a model raises `InputError` that names the option."""
    wanted = [endpoint(name).name for name in plan.names] or [
        n for n, e in endpoints().items() if not e.extra
    ]
    asked_by = plan.model.name if plan.model else "nobody"

    async def ask(call: Item) -> Made:
        return await questions_for(call, _model(plan))

    async def judge(asked: Item) -> Made:
        return [await judged(asked, _model(plan))]

    with ExitStack() as opened:

        def run(item: Item) -> Made:
            # A client is opened only where something is called.
            if "execute" not in known:
                known["execute"] = execution(client or opened.enter_context(Client()))
            made: Made = known["execute"](item)
            return made

        known: dict[str, Any] = {}
        yield Maker(
            kind="biotool",
            sources=[{"id": name, "endpoint": name} for name in wanted],
            steps=(
                ItemStep("sample", by_rule(lambda one: _sampled(one, plan)), by="the catalogue"),
                ItemStep("run", by_rule(run), by="the services"),
                WholeStep("filter", worthwhile),
                ItemStep("ask", ask, by=asked_by),
                ItemStep("judge", judge, by=asked_by),
                PeopleStep("review", _shown),
            ),
            publish=publish,
            settings={"count": plan.count, "seed": plan.seed},
            reviewed_only=plan.reviewed_only,
        )


def _sampled(one: Item, plan: MakingPlan) -> Made:
    return list(sample([one["endpoint"]], plan.count, seeds=plan.seeds or {}, seed=plan.seed))


def _shown(item: Item) -> dict[str, Any]:
    shown = {name: item[name] for name in ("endpoint", "arguments", "verdict")}
    return {**shown, "observation": shortened(item["observation"])}


def _model(plan: MakingPlan) -> Model:
    if plan.model is None:
        raise InputError(
            "Writing and judging questions needs a language model: name one, --model openai:NAME."
        )
    return plan.model
