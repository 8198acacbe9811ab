"""CONTRIBUTING.md names places that are there, and all of those that a change has to touch."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from fathom import registry
from tests.data import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "fathom"
CHANGES = (
    "database engine", "metric", "model provider", "published method", "a time", "kind of column",
    "web page", "layout", "a word", "follow-up", "chart", "error message",
)  # fmt: skip


def section(heading: str) -> str:
    return PAGE.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]


def paths(text: str) -> set[str]:
    """The files and folders that a text names."""
    return {p for p in re.findall(r"`([\w./-]+)`", text) if "/" in p or p.endswith((".py", ".toml", ".md"))}


def holding(constant: str) -> set[str]:
    """The modules of the package that hold a text as a constant or use it as a name."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if constant in text and any(
            constant
            in (
                getattr(n, "value", None),
                getattr(n, "id", None),
                getattr(n, "attr", None),
                getattr(n, "name", None),
            )
            for n in ast.walk(ast.parse(text))
        ):
            found.add(file.relative_to(PACKAGE).as_posix())
    return found


def test_each_of_the_twelve_changes_has_one_row() -> None:
    rows = [line for line in section("## Where does X belong").splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(CHANGES)
    for change, row in zip(CHANGES, rows, strict=True):
        assert change in row.split(" | ")[0], row


@pytest.mark.parametrize("path", sorted(p for p in paths(PAGE) if "NAME" not in p))
def test_every_place_is_there(path: str) -> None:
    assert (PACKAGE / path).exists() or (ROOT / path).exists()


def test_everything_that_knows_engines_is_named() -> None:
    named = paths(section("### An engine")) - paths(section("### An engine").partition("Then an extra")[2])
    assert {p for p in named if "NAME" not in p} | {"databases/databricks.py"} == holding("databricks")
    assert (PACKAGE / "databases/guard/names/databricks.toml").exists()


def test_everything_that_knows_a_metric_is_named() -> None:
    named = {p for p in paths(section("### A metric")) if p.endswith(".py")}
    assert named == holding("soft_f1")


def test_names_in_code_are_there() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| a kind of column"))
    schema = (PACKAGE / "records/schema.py").read_text(encoding="utf-8")
    assert all(f"\n{name}" in schema for name in re.findall(r"`([A-Z]\w+)`", row))
    assert "\n_KEYS = " in (PACKAGE / "interfaces/web/chart.py").read_text(encoding="utf-8")
    words = tomllib.loads((PACKAGE / "offline/linking/words.toml").read_text(encoding="utf-8"))
    assert set(re.findall(r"`\[(\w+)\]`", section("### A word"))) <= words.keys()
    assert all(registry.names(kind) for kind in re.findall(r"`fathom\.(\w+)`", PAGE))


def test_the_layers_are_those_that_are_checked() -> None:
    drawn = section("## The house").split("```text\n")[1].split("```")[0]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [set(re.findall(r"\((\w+)\)", layer)) for layer in contracts[0]["layers"]]
    lines = [set(re.findall(r"\w+", line.partition("#")[0])) for line in drawn.splitlines()]
    for line in lines[:-1]:
        assert line in layers, line
    assert [layers.index(line) for line in lines[:-1]] == sorted(layers.index(line) for line in lines[:-1])
    assert lines[-1] <= {name for layer in layers[len(lines) - 1 :] for name in layer}


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        path, _, place = target.partition("#")
        assert not path or (ROOT / path).exists(), target
        assert path or f"### {place.replace('-', ' ').capitalize()}" in PAGE, target


def test_it_stays_two_pages() -> None:
    assert len(PAGE.splitlines()) < 130


def test_kinds_of_columns_are_named_once() -> None:
    pattern = re.compile(r"[({]\"date\", \"datetime\"")
    others = {
        f.relative_to(PACKAGE).as_posix()
        for f in PACKAGE.rglob("*.py")
        if pattern.search(Path(f).read_text())
    }
    assert "records/schema.py" in others
    assert others <= {
        "records/schema.py",
        "offline/followups/follow_up_words.py",
        "offline/grammars/periods.py",
        "offline/linking/implied_mentions.py",
    }
