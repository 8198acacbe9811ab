"""The wheel as people get it: built, installed into a clean environment, and asked, away from the source.

Once with the newest versions of what it depends on, once with the lowest that pyproject.toml allows.
"""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.data import ROOT

QUESTION = "How many drugs are approved?"
ANSWER = "191 drugs"
LOWEST_EXTRAS = ("web", "postgres", "mysql", "analysis")
"""The extras tried at their lowest; clients of models and MCP bring lower bounds of their own, above ours."""
PARTS_OF_THE_SUITE = (
    *("tests/databases/test_sqlite.py", "tests/databases/test_duckdb.py", "tests/retrieval/test_values.py"),
    *("tests/answering/test_pipeline.py", "tests/evaluation/comparisons", "tests/text"),
)
SLOWEST = 1_800
"""Seconds: an environment takes two minutes to install, on a busy machine ten."""
PIP = ("-m", "pip", "--disable-pip-version-check", "install", "-q")


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
    words = ("-m", "pip", "--disable-pip-version-check", "wheel", "-q", "--no-deps", "-w", folder, ROOT)
    run(sys.executable, *words, folder=folder)
    (built,) = folder.glob("askfathom-*.whl")
    return built


def installed(folder: Path, *requirements: str | Path) -> Path:
    """A clean environment with these requirements; gives its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    run(programs / "python", *PIP, *requirements, folder=folder)
    return programs


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
    assert not [n for n in names if "training/" in n and "/export" not in n]
    assert sum(i.compress_size for i in zipfile.ZipFile(wheel).infolist()) < 12_000_000


@pytest.mark.timeout(SLOWEST)
def test_an_installed_wheel_answers(wheel: Path, tmp_path: Path) -> None:
    programs = installed(tmp_path / "clean", f"{wheel}[web]")
    assert ANSWER in asked(programs, tmp_path)
    assert "Usage: fathom serve" in run(programs / "fathom", "serve", "--help", folder=tmp_path)


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
