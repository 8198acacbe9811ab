"""Imports and declarations agree, and no licence of a dependency forbids what Apache-2.0 allows."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.data import ROOT

LISTED: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("dependencies.toml").read_text(encoding="utf-8")
)
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: Mapping[str, list[str]] = PROJECT["optional-dependencies"]
DECLARED = [Requirement(r) for rs in (PROJECT["dependencies"], *EXTRAS.values()) for r in rs]


def imported(package: Path) -> Iterator[str]:
    """The modules from outside that a package imports, by their first name."""
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            yield from (name.partition(".")[0] for name in names)


def installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def closure() -> dict[str, Distribution]:
    """All that core and extras bring with them, as far as it is installed, by name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = list(DECLARED)
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if (package := installed(name)) is None:
            continue
        found[name] = package
        for extra in {"", *wanted.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                further = map(Requirement, package.requires or ())
                waiting += [r for r in further if r.marker is None or r.marker.evaluate({"extra": extra})]
    return found


def is_allowed(licence: Mapping[str, list[str]]) -> bool:
    """True if a licence, as a package's metadata tells it, is one of those listed."""
    listed = LISTED["licences"]
    if expressions := licence.get("License-Expression"):
        return _allows(expressions[0])
    told = [c.rpartition(" :: ")[2] for c in licence.get("Classifier", ()) if c.startswith("License :: ")]
    named = [c for c in told if c != "OSI Approved"]
    if named:
        return all(c in listed["classifiers"] for c in named)
    lines = [text.strip().splitlines()[0] for text in licence.get("License", ()) if text.strip()]
    return any(line in listed["texts"] + listed["expressions"] for line in lines)


def _allows(expression: str) -> bool:
    """Read an expression of SPDX: all parts of AND, one part of OR."""
    if (
        inner := re.sub(r"\(([^()]*)\)", lambda g: "MIT" if _allows(g[1]) else "other", expression)
    ) != expression:
        return _allows(inner)
    parts = (part.split(" AND ") for part in expression.split(" OR "))
    return any(all(one.strip() in LISTED["licences"]["expressions"] for one in part) for part in parts)


def licence_of(package: Distribution) -> dict[str, list[str]]:
    fields = ("License-Expression", "Classifier", "License")
    return {field: package.metadata.get_all(field) or [] for field in fields}


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ({"License-Expression": ["MIT AND PSF-2.0"]}, True),
        ({"License-Expression": ["GPL-3.0-or-later"]}, False),
        ({"License-Expression": ["MIT AND GPL-2.0-only"]}, False),
        ({"License-Expression": ["GPL-2.0-only OR MIT"]}, True),
        ({"License-Expression": ["MPL-2.0 AND (Apache-2.0 OR MIT)"]}, False),
        ({"License-Expression": ["ISC AND (GPL-2.0-only OR MIT)"]}, True),
        ({"Classifier": ["License :: OSI Approved", "License :: OSI Approved :: BSD License"]}, True),
        ({"Classifier": ["License :: OSI Approved :: GNU General Public License v3 (GPLv3)"]}, False),
        ({"License": ["MIT License\n\nCopyright (c) 2022"]}, True),
        ({"License": ["AGPL"]}, False),
        ({}, False),
    ],
)
def test_a_licence_is_read_from_each_place_where_packages_tell_it(
    licence: Mapping[str, list[str]], allowed: bool
) -> None:
    assert is_allowed(licence) is allowed


def test_no_licence_of_a_dependency_forbids_what_ours_allows() -> None:
    found = closure()
    assert {"numpy", "sqlglot", "markupsafe"} <= found.keys()
    other = {
        name: licence_of(package) for name, package in found.items() if not is_allowed(licence_of(package))
    }
    forbidden = {name: licence for name, licence in other.items() if name not in LISTED["excepted"]}
    assert not forbidden, "take another package, or say in dependencies.toml why it may stay"
    assert all(name in other or installed(name) is None for name in LISTED["excepted"]), "no longer needed"


def test_what_is_imported_is_declared() -> None:
    homes = packages_distributions()
    declared = {canonicalize_name(r.name) for r in DECLARED}
    found = {n for n in imported(ROOT / "src") if n not in sys.stdlib_module_names} - {"fathom", "_typeshed"}
    carried = {n for n, by in LISTED["carried"].items() if canonicalize_name(by) in declared}
    of = {n: {canonicalize_name(d) for d in homes.get(n, [n])} for n in found}
    assert sorted(n for n in found - carried if not of[n] & declared) == []
    assert sorted(carried - found) == []
    used = {name for names in of.values() for name in names}
    assert sorted(declared - used - LISTED["unimported"].keys()) == []
    assert sorted(LISTED["unimported"].keys() - (declared - used)) == []
