"""The wheel as people get it: built, installed into a clean environment, and asked, away from the source.

Once with the newest versions of what it depends on, once with the lowest that pyproject.toml allows.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.data import ROOT
from tests.environments import PIP, installed
from tests.interfaces.test_demo import SHOWN
from tests.packaging.what_travels import FOLDERS, KINDS, MADE_FOR_THE_DEMO, NAMED_ALIKE, PARTS, STAYS

from fathom.databases import connect
from fathom.interfaces.cli.demo import QUESTIONS, TOOL_QUESTIONS

QUESTION = "How many drugs are approved?"
ANSWER = "191 drugs"
CALLS = ("get_phenotype_by_gene", "get_ld_region", "get_sequence_by_id")
"""What the demo's questions to APIs call in the end."""
DEMO = """
import atexit, json, runpy, sys
program, told = sys.argv[1:]
atexit.register(lambda: json.dump([m for m in sys.modules if m.startswith("fathom.")], open(told, "w")))
sys.argv, sys.stderr = [program, "demo"], sys.stdout
runpy.run_path(program, run_name="__main__")
"""
"""Runs the installed command itself, and tells at its end which modules that took."""
LOWEST_EXTRAS = ("web", "postgres", "mysql", "analysis")
"""The extras tried at their lowest; clients of models and MCP bring lower bounds of their own, above ours."""
PARTS_OF_THE_SUITE = (
    *("tests/databases/test_sqlite.py", "tests/databases/test_duckdb.py", "tests/retrieval/test_values.py"),
    *("tests/answering/test_pipeline.py", "tests/evaluation/comparisons", "tests/text"),
)
SLOWEST = 1_800
"""Seconds: an environment takes two minutes to install, on a busy machine ten."""


def run(*words: str | Path, folder: Path, cache: Path | None = None) -> str:
    """Run a program without this process's Python settings; gives its output, and fails with its errors."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "FATHOM_", "COV_"))}
    if "FATHOM_DATA" in os.environ:
        kept["FATHOM_DATA"] = os.environ["FATHOM_DATA"]
    if cache is not None:
        kept |= {"FATHOM_CACHE": str(cache), "FATHOM_CONFIG": str(cache / "config.toml")}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, *PIP, "wheel", "-q", "--no-deps", "-w", folder, ROOT, folder=folder)
    (built,) = folder.glob("askfathom-*.whl")
    return built


def asked(programs: Path, folder: Path) -> str:
    """What the installed command answers from an empty folder."""
    empty = folder / "empty"
    empty.mkdir()
    told = run(programs / "fathom", "ask", "demo:biomed", QUESTION, folder=empty, cache=folder / "cache")
    assert list(empty.iterdir()) == []
    return told


def lowest(requirements: Sequence[str]) -> list[str]:
    """Requirements, each at the lowest version that it allows."""
    return [re.sub(r"^([\w.-]+(?:\[[^\]]*\])?)>=([\w.]+).*$", r"\1==\2", r) for r in requirements]


def test_the_wheel_holds_what_is_needed_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"fathom", next(t for t in tops if t.endswith(".dist-info"))}
    for part in ("py.typed", "interfaces/web/static/", "interfaces/notebook/templates/", "text/english.toml"):
        assert any(name.startswith(f"fathom/{part}") for name in names), part
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert sum(i.compress_size for i in zipfile.ZipFile(wheel).infolist()) < 12_000_000


def test_only_what_is_listed_travels(wheel: Path) -> None:
    names = [n.removeprefix("fathom/") for n in zipfile.ZipFile(wheel).namelist() if n.startswith("fathom/")]
    assert {name.split("/")[0] for name in names} == set(PARTS)
    for part, folders in FOLDERS.items():
        assert {n.split("/")[1] for n in names if n.startswith(f"{part}/") and n.count("/") > 1} == folders
    assert {n.rpartition(".")[2] for n in names} - set(KINDS) == {"offline/weights/NOTICE", "text/NOTICE"}
    alike = [name for name in names if STAYS.search(name)]
    assert [name for name in alike if not name.startswith(tuple(NAMED_ALIKE))] == []
    assert [known for known in NAMED_ALIKE if not any(name.startswith(known) for name in alike)] == []
    with zipfile.ZipFile(wheel) as held:
        servers = [n for n in names if n.endswith(".py") and b"http.server" in held.read(f"fathom/{n}")]
    assert servers == ["biotools/loopback/server.py"]


def modules_of(wheel: Path, package: str) -> set[str]:
    """The modules of one of Fathom's packages as they travel."""
    names = (n.removesuffix(".py").replace("/", ".") for n in zipfile.ZipFile(wheel).namelist())
    found = {n.removesuffix(".__init__").removeprefix("fathom.") for n in names}
    return {n for n in found if f"{n}.".startswith(f"{package}.") and not n.endswith((".csv", ".toml"))}


@pytest.mark.whole
@pytest.mark.timeout(SLOWEST)
def test_an_installed_wheel_gives_the_demo(wheel: Path, tmp_path: Path) -> None:
    programs = installed(tmp_path / "clean", f"{wheel}[web]")
    empty, loaded = tmp_path / "empty", tmp_path / "loaded.json"
    empty.mkdir()
    words = ("-I", "-c", DEMO, programs / "fathom", loaded)
    told = run(programs / "python", *words, folder=empty, cache=tmp_path / "cache")
    assert list(empty.iterdir()) == []
    sections = re.split(r"^\? ", told, flags=re.MULTILINE)[1:]
    of_data = sections[: -len(TOOL_QUESTIONS)]
    asked = [(name, question) for name, questions in QUESTIONS.items() for question in questions]
    for section, (name, question) in zip(of_data, asked, strict=True):
        assert section.startswith(question)
        sql = SHOWN[name][question]
        assert ("I don't know." in section) == (sql is None)
        with connect(name) as database:
            rows = database.run(sql).rows if sql else ()
        values = {f"{v:,.2f}" if isinstance(v, float) else str(v) for row in rows for v in row}
        assert not [v for v in values if not re.search(rf"\b{re.escape(v)}\b", section)], section
    for section, question, called in zip(sections[len(asked) :], TOOL_QUESTIONS, CALLS, strict=True):
        assert " ".join(section.split()).startswith(question)
        assert re.search(rf"Call( \d of \d)?: {called} ", section)
        assert "Answered by http://127.0.0.1" in section
    modules = {m.removeprefix("fathom.") for m in json.loads(loaded.read_text())}
    for package in MADE_FOR_THE_DEMO:
        assert modules_of(wheel, package) - modules == set()
    assert "Usage: fathom serve" in run(programs / "fathom", "serve", "--help", folder=tmp_path)


@pytest.mark.whole(unless_changed="pyproject.toml")
@pytest.mark.timeout(SLOWEST)
def test_the_lowest_versions_work(wheel: Path, tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    least = lowest([*project["dependencies"], *(r for e in LOWEST_EXTRAS for r in extras[e])])
    assert all("==" in requirement for requirement in least), least
    tools = ("pytest>=8.4", "pytest-timeout", "psutil", "hypothesis")
    programs = installed(tmp_path / "lowest", wheel, *least, *tools)
    assert ANSWER in asked(programs, tmp_path)
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", tmp_path / "tests")
    told = run(programs / "python", *words, *PARTS_OF_THE_SUITE, folder=ROOT, cache=tmp_path / "cache")
    assert " passed" in told
    assert "failed" not in told
