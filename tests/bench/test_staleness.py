"""Figures that are older than the code that they measure are told from the repository's history."""

import json
import subprocess
from pathlib import Path

import pytest
from bench.parts.staleness import measured_code, staleness

from bench import figures

WHO = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a measurement of the package `rows`, and a package that it doesn't measure."""
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "RESULTS", tmp_path / "bench" / "results")
    write(tmp_path, "src/fathom/rows/reading.py", "x = 1\n")
    write(tmp_path, "src/fathom/other/code.py", "x = 1\n")
    write(tmp_path, "bench/helper.py", "def run():\n    from fathom.rows.reading import x\n")
    write(tmp_path, "bench/speed.py", "from bench.helper import run\nfrom bench.figures import Figure\n")
    write(tmp_path, "bench/command.py", "run = ['-m', 'fathom', 'score']\n")
    write(tmp_path, "src/fathom/offline/method.py", "x = 1\n")
    write(tmp_path, "bench/asking.py", "def ask(find_method):\n    return find_method('offline')\n")
    commit(tmp_path, "Code")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def commit(root: Path, subject: str) -> str:
    for words in (["init", "-q"], ["add", "."], [*WHO, "commit", "-q", "-m", subject]):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    asked = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def store(root: Path, name: str, stored_at: str) -> None:
    content = {"commit": stored_at} if stored_at else {}
    write(root, f"bench/results/{name}.json", json.dumps(content))


def head(root: Path) -> str:
    return commit_of(root, "HEAD")


def commit_of(root: Path, name: str) -> str:
    asked = ["git", "-C", str(root), "rev-parse", "--short=10", name]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def test_what_is_measured_is_read_from_imports(root: Path) -> None:
    assert measured_code("speed") == ("bench/helper.py", "bench/speed.py", "src/fathom/rows")
    assert measured_code("command") == ("bench/command.py", "src/fathom")
    assert measured_code("asking") == ("bench/asking.py", "src/fathom/offline")


def test_code_of_other_processes_and_methods_of_methods_are_measured_too(root: Path) -> None:
    write(root, "bench/made.py", 'CODE = """\nimport sys\nfrom fathom.rows.reading import x\n"""\n')
    assert measured_code("made") == ("bench/made.py", "src/fathom/rows")
    write(root, "src/fathom/nl2sql/adaptive.py", "x = 1\n")
    write(root, "bench/steps.py", "def ask(find_method):\n    return find_method('adaptive')\n")
    assert measured_code("steps") == ("bench/steps.py", "src/fathom/nl2sql", "src/fathom/offline")
    write(root, "src/fathom/rows/asking.py", "def ask(find_method):\n    return find_method('offline')\n")
    write(root, "bench/audit.py", "from fathom.rows.asking import ask\n")
    assert measured_code("audit") == ("bench/audit.py", "src/fathom/offline", "src/fathom/rows")


def test_only_changes_of_what_is_measured_make_figures_stale(root: Path) -> None:
    store(root, "speed", head(root))
    commit(root, "Figures")
    assert not staleness("speed").is_stale
    write(root, "src/fathom/other/code.py", "x = 2\n")
    commit(root, "Other code")
    assert not staleness("speed").is_stale
    write(root, "src/fathom/rows/reading.py", "x = 2\n")
    commit(root, "Rows are read anew")
    found = staleness("speed")
    assert found.is_stale
    assert found.later == ("Rows are read anew",)
    assert "1 commits since" in str(found)


def test_figures_without_a_commit_are_as_old_as_what_stored_them(root: Path) -> None:
    store(root, "speed", "")
    commit(root, "Figures")
    assert not staleness("speed").is_stale
    store(root, "speed", "0123456789")  # a commit that was rebased away
    commit(root, "Figures again")
    assert staleness("speed").commit == commit_of(root, "HEAD")[:7]
    write(root, "bench/helper.py", "from fathom.rows import reading\n")
    commit(root, "The helper")
    assert staleness("speed").later == ("The helper",)


def test_uncommitted_changes_and_missing_figures_are_stale(root: Path) -> None:
    store(root, "speed", f"{head(root)} with changes")
    commit(root, "Figures")
    assert staleness("speed").changed
    assert staleness("speed").is_stale
    assert staleness("command").is_stale
    assert "never stored" in str(staleness("command"))


def test_a_commit_may_say_which_figures_alone_it_changes(root: Path) -> None:
    store(root, "speed", head(root))
    commit(root, "Figures")
    write(root, "src/fathom/rows/reading.py", "x = 2\n")
    commit(root, "Rows have other names\n\nNothing else.\n\nChanges-figures: none")
    found = staleness("speed")
    assert (found.is_stale, found.others) == (False, ("Rows have other names",))
    assert "1 commits since say" in str(found)
    write(root, "src/fathom/rows/reading.py", "x = 3\n")
    commit(root, "Rows are slow\n\nChanges-figures: command, speed")
    assert staleness("speed").later == ("Rows are slow",)
    write(root, "src/fathom/rows/reading.py", "x = 4\n")
    commit(root, "A slip\n\nChanges-figures: comand")
    assert staleness("speed").later == ("A slip", "Rows are slow")
    write(root, "src/fathom/elsewhere.py", "x = 5\n")
    commit(root, "What rows import is slow\n\nChanges-figures: speed")
    assert staleness("speed").later[0] == "What rows import is slow"
    write(root, "src/fathom/elsewhere.py", "x = 6\n")
    commit(root, "What rows import has another name")
    assert staleness("speed").later[0] == "What rows import is slow"
