"""Every error of the package is in the one tree, under a name of its own."""

import importlib
import inspect
import pkgutil
from collections import defaultdict

import fathom
from fathom.errors import FathomError

WARNINGS = {"AccountWarning"}


def error_classes() -> dict[str, list[type[Exception]]]:
    found: dict[str, list[type[Exception]]] = defaultdict(list)
    for module in pkgutil.walk_packages(fathom.__path__, "fathom."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            own = inspect.isclass(value) and value.__module__ == module.name
            if own and issubclass(value, Exception):  # Ctrl-C is no error
                found[name].append(value)
    return found


def test_errors_are_in_one_tree_and_each_name_is_there_once() -> None:
    classes = error_classes()
    assert len(classes) > 40
    assert {name: kinds for name, kinds in classes.items() if len(kinds) > 1} == {}
    outside = {n for n, (kind,) in classes.items() if not issubclass(kind, FathomError)}
    assert outside == WARNINGS
