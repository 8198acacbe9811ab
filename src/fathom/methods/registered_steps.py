"""The steps that are registered, by name: an entry point names a module, and each step in it counts."""

from collections.abc import Mapping
from functools import cache
from types import ModuleType

from fathom import registry
from fathom.errors import UnknownName
from fathom.methods.method import MethodStep


@cache
def registered_steps() -> Mapping[str, MethodStep]:
    """Every registered step by its name, sorted; all their modules are imported for it.

    An entry point of the group `fathom.steps` names a module, for all steps that are made in it, or one step.
    """
    found: dict[str, MethodStep] = {}
    for entry in registry.names("steps"):
        loaded = registry.load("steps", entry)
        if isinstance(loaded, MethodStep):
            found[loaded.name] = loaded
        elif isinstance(loaded, ModuleType):
            found |= {s.name: s for s in vars(loaded).values() if _is_made_in(s, loaded)}
    return dict(sorted(found.items()))


def _is_made_in(value: object, module: ModuleType) -> bool:
    return isinstance(value, MethodStep) and value.function.__module__ == module.__name__


def find_step(name: str) -> MethodStep:
    """The step that is registered under a name. Raises `UnknownName` with the nearest one."""
    known = registered_steps()
    if name not in known:
        raise UnknownName("step", name, known)
    return known[name]
