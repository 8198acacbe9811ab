"""Every registered step has its strategies, and methods have those of their steps."""

import pytest

from fathom import registry
from fathom.methods import Method, find_method
from fathom.methods.registered_steps import find_step, registered_steps
from fathom.nl2sql.strategies import STRATEGIES, strategies_by_module, strategies_of

STEPS = tuple(registered_steps())


@pytest.mark.parametrize("name", STEPS)
def test_every_step_has_strategies_that_are_explained(name: str) -> None:
    step = find_step(name)
    tags = strategies_of(step)
    assert tags, f"{step.name} has none"
    assert not set(tags) - set(STRATEGIES)


def test_every_strategy_is_some_steps() -> None:
    methods = [m for n in registry.names("methods") if isinstance(m := registry.load("methods", n), Method)]
    steps = [*registered_steps().values()] + [s for m in methods for s in m.steps]
    assert {t for s in steps for t in strategies_of(s)} == set(STRATEGIES)


@pytest.mark.parametrize(
    ("method", "module", "tags"),
    [
        ("ta-sql", "selection", ("preliminary SQL",)),
        ("ta-sql", "generation", ("intermediate form", "reasoning")),
        ("dail-sql-sc", "revision", ("self-consistency",)),
        ("mac-sql", "revision", ("execution feedback",)),
        ("offline", "generation", ("grammar", "several candidates")),
        ("baseline", "generation", ("zero-shot",)),
        ("3-shot", "generation", ("few-shot",)),
    ],
)
def test_methods_have_those_of_their_steps(method: str, module: str, tags: tuple[str, ...]) -> None:
    assert strategies_by_module(find_method(method))[module] == tags  # type: ignore[index]


def test_without_shots_nothing_is_few_shot() -> None:
    dail = find_method("dail-sql")
    names = {s.shots for s in dail.steps if s.shots}
    without = dail.using(**dict.fromkeys(names, 0))
    assert "few-shot" in strategies_by_module(dail)["generation"]
    assert "few-shot" not in strategies_by_module(without)["generation"]
