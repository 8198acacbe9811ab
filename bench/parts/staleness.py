"""Which stored figures are older than the code that they measure, told from the repository's history.

What a measurement measures is read from its imports: the packages of Fathom that it, or a module of `bench`
that it imports, names, also in code that it hands to another process; those of the methods that it or a
module of Fathom that it names asks by name; all of Fathom where it runs the command line. A commit may say
which figures alone it can change: `Changes-figures: NAME, ...` at the end of its message, `none` where it
changes none. One that names what is no measurement counts for all.
"""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import figures

METHODS = {"offline": ("fathom.offline",), "adaptive": ("fathom.nl2sql", "fathom.offline")}
"""The packages of methods that are found by their names, so that no import tells of them."""
_IN_TEXT = re.compile(r"^(?:from|import) (fathom(?:\.\w+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Staleness:
    """How old the figures of one measurement are.

    `commit` is the code's that was measured: as stored, or else the one that stored them. `later` are the
    subjects of commits to what is measured since, newest first, and `others` of those that say they change
    other figures alone; `changed` says that the code had changes that weren't committed.
    """

    name: str
    commit: str
    later: tuple[str, ...]
    changed: bool
    others: tuple[str, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether the figures may not be those of the code as it is."""
        return bool(self.later) or self.changed or not self.commit

    def __str__(self) -> str:
        if not self.commit:
            return f"{self.name}: never stored in the repository"
        if self.later:
            return f"{self.name}: {len(self.later)} commits since {self.commit}, last: {self.later[0]}"
        if self.changed:
            return f"{self.name}: measured at {self.commit} with changes that weren't committed"
        since = (
            f", {len(self.others)} commits since say that they change other figures" if self.others else ""
        )
        return f"{self.name}: up to date ({self.commit}{since})"


def staleness(name: str) -> Staleness:
    """How old the stored figures of a measurement are."""
    file = figures.RESULTS / f"{name}.json"
    told = json.loads(file.read_text(encoding="utf-8")).get("commit") or "" if file.is_file() else ""
    commit = told.split(" ")[0]
    if not commit or not _git("cat-file", "-t", commit):
        # Kept before commits were, or at one that was rebased since: the one that stored it is near.
        commit = _git("log", "-1", "--format=%h", "--", str(file))
    since = list(_commits(name, commit)) if commit else []
    later = tuple(subject for subject, named in since if not named or name in named)
    others = tuple(subject for subject, named in since if named and name not in named)
    return Staleness(name, commit, later, told.endswith("with changes"), others)


def _commits(name: str, after: str) -> Iterator[tuple[str, set[str]]]:
    """The subject of each commit to what is measured, newest first, and the figures that it alone changes.

    One that names these figures is among them wherever it is: imports of imports aren't followed.
    """
    known = {"none", *(file.stem for file in (figures.ROOT / "bench").glob("*.py"))}
    told = "%h%x01%s%x01%(trailers:key=Changes-figures,valueonly,separator=%x2C)%x00"
    touching = _git("log", "--format=%h", f"{after}..HEAD", "--", *measured_code(name)).split()
    for one in _git("log", f"--format={told}", f"{after}..HEAD").split("\0")[:-1]:
        commit, subject, words = one.strip().split("\1")
        named = set(words.replace(",", " ").split())
        if commit in touching or name in named:
            yield subject, named if named <= known else set()


def measured_code(name: str) -> tuple[str, ...]:
    """The files and folders that a measurement measures, with its own, relative to the repository."""
    found: set[str] = set()
    left = [figures.ROOT / "bench" / f"{name}.py"]
    seen: set[Path] = set()
    while left:
        file = left.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        found.add(file.relative_to(figures.ROOT).as_posix())
        for module in _imported(ast.parse(file.read_text(encoding="utf-8"))):
            first, *rest = module.split(".")
            if first == "bench" and rest != ["figures"]:
                left += _files(figures.ROOT / "bench", rest)
            elif first == "fathom":
                found.add(_package(rest))
                found |= {_package(p.split(".")[1:]) for p in _asked_by(rest)}
    if "src/fathom" in found:
        found = {f for f in found if not f.startswith("src/fathom/")}
    return tuple(sorted(found))


def _imported(tree: ast.Module) -> Iterator[str]:
    """Modules that are imported anywhere in a file, or found by a method's name; `fathom` where its command
    is run.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module.partition(".")[0] == "bench":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and node.value == "fathom":
            yield "fathom"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from METHODS.get(node.value, ())
            yield from _IN_TEXT.findall(node.value)


def _asked_by(parts: list[str]) -> Iterator[str]:
    """The packages of the methods that a module of Fathom asks by name."""
    file = figures.ROOT.joinpath("src", "fathom", *parts).with_suffix(".py")
    if parts and file.is_file():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from METHODS.get(node.value, ())


def _files(folder: Path, parts: list[str]) -> list[Path]:
    place = folder.joinpath(*parts)
    return [place.with_suffix(".py"), place / "__init__.py"]


def _package(parts: list[str]) -> str:
    """The package below Fathom that a module belongs to: the first name says what is measured."""
    if not parts:
        return "src/fathom"
    place = figures.ROOT / "src" / "fathom" / parts[0]
    return f"src/fathom/{parts[0]}" if place.is_dir() else f"src/fathom/{parts[0]}.py"


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(figures.ROOT), *words], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if not done.returncode else ""
