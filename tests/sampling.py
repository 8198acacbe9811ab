"""Which cases of the long sets run: a sample that the commit draws, or all of them.

`pytest` runs all that it is given. With `--sample=head`, as `make test` runs it, the long sets give a part of
their cases. The hash of the commit draws them, so that another commit runs others, and a commit the same each
time. Tests say how they are sampled:

| mark | in a sample |
|---|---|
| `whole` | the test does not run |
| `whole(unless_changed="FILE")` | it runs if the last commit, or work since, changed a file |
| `share(0.3)` | three in ten of the test's cases run, at least one of each `kind` |
| `one_of("database", beside=["SQLite"])` | one value of a parameter runs beside those named |

A test that goes through a set by itself takes its part from the fixture `sample`.
"""

import math
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

import pytest

from tests.data import ROOT

T = TypeVar("T")
HEAD = "head"
NO_COMMIT = "no commit"
"""Draws the sample of a tree without git."""
MARKS = (
    "whole(unless_changed): does not run in a sample, unless the last commit changed that file",
    "share(part, kind): a sample holds that part of the cases, at least one of each kind",
    "one_of(parameter, beside): a sample holds one value of the parameter beside those named",
)


@dataclass(frozen=True)
class Sample:
    """Draws by a key, the same each time; without a key it takes everything."""

    key: str = ""

    def weight(self, name: str) -> str:
        """The place of a name in this sample: the lowest are drawn."""
        return sha256(f"{self.key}\n{name}".encode()).hexdigest()

    def of(self, items: Iterable[T], part: float, about: str = "") -> list[T]:
        """A part of the items, at least one, in their order; `about` makes it another part."""
        listed = list(items)
        if not self.key:
            return listed
        places = sorted(range(len(listed)), key=lambda n: self.weight(f"{about} {n} {listed[n]!r}"))
        return [listed[n] for n in sorted(places[: math.ceil(part * len(listed))])]

    def times(self, number: int, part: float) -> int:
        """How often to do what the whole does a number of times, at least once."""
        return max(1, round(number * part)) if self.key else number


def commit_key() -> str:
    """The hash of the commit that is checked out; a fixed word where there is none."""
    return _git("rev-parse", "HEAD").stdout.strip() or NO_COMMIT


@cache
def changed(file: str) -> bool:
    """True if the last commit or work since changed a file, or if that can't be known."""
    return _git("diff", "--quiet", "HEAD~1", "--", file).returncode != 0


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:  # no git on this machine
        return subprocess.CompletedProcess(words, 128, stdout="", stderr="")


def held(items: Sequence[pytest.Item], sample: Sample) -> list[bool]:
    """For each test, if the sample holds it."""
    dropped = {n for n, item in enumerate(items) if _is_left_out(item)}
    kinds: dict[tuple[str, str], list[int]] = defaultdict(list)
    values: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for n, item in enumerate(items):
        test = item.nodeid.partition("[")[0]
        if mark := item.get_closest_marker("share"):
            kinds[test, mark.kwargs.get("kind", _one_kind)(parameters(item))].append(n)
        if (mark := item.get_closest_marker("one_of")) and (name := mark.args[0]) in parameters(item):
            value = str(parameters(item)[name])
            if value not in mark.kwargs.get("beside", ()):
                values[test, name][value].append(n)
    for places in kinds.values():
        mark = items[places[0]].get_closest_marker("share")
        part = mark.args[0] if mark else 1
        places.sort(key=lambda n: sample.weight(items[n].nodeid))
        dropped.update(places[math.ceil(part * len(places)) :])
    for (test, _), listed in values.items():
        file = test.partition("::")[0]  # tests of a file that share a database get the same one
        one = min(listed, key=lambda value: sample.weight(f"{file} {value}"))
        dropped.update(n for value, places in listed.items() if value != one for n in places)
    return [n not in dropped for n in range(len(items))]


def parameters(item: pytest.Item) -> Mapping[str, Any]:
    """The values that a test is run with, by their names."""
    called = getattr(item, "callspec", None)
    return called.params if called else {}


def _one_kind(_: Mapping[str, Any]) -> str:
    return ""


def _is_left_out(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("whole")
    if mark is None:
        return False
    file = mark.kwargs.get("unless_changed")
    return file is None or not changed(file)
