"""The page "What of the papers' measuring is here": its commands run, and show what it says they show."""

import json
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from fathom.biotools.loopback import Loopback
from fathom.interfaces.cli import main
from tests.data import DATA, ROOT, needed
from tests.docs.coverage_model import served

PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
ROWS = {"NL2SQLBench": 41, "BIRD": 29, "BioTool": 27}
NOT_RUN = "†"


def rows(paper: str) -> list[tuple[str, str, str]]:
    """The rows of a paper's table: the part, the command, and what is to be looked for."""
    section = PAGE.split(f"\n## {paper}\n")[1].split("\n## ")[0]
    table = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(part, command, shown) for part, command, shown in table[1:]]


@pytest.mark.parametrize("paper", ROWS)
def test_every_part_of_the_paper_has_a_row(paper: str) -> None:
    assert len(rows(paper)) == ROWS[paper]
    for part, command, shown in rows(paper):
        assert re.fullmatch(rf"`fathom [^`]+`( {NOT_RUN})?|–", command), part
        assert command != "–" or "not here" in shown, part


class Commands:
    """Runs the page's commands, each once, and keeps what each printed and wrote."""

    def __init__(self, model: str) -> None:
        self._names = {"MODEL": model, "EMBEDDER": model.replace("#own", "#embed")}
        self._shown: dict[str, str] = {}

    def named(self, text: str) -> str:
        return re.sub("MODEL|EMBEDDER", lambda found: self._names[found[0]], text)

    def shown(self, command: str) -> str:
        if command not in self._shown:
            self._shown[command] = self._run(command)
        return self._shown[command]

    def _run(self, command: str) -> str:
        words = [self.named(w) for w in shlex.split(command)[1:]]
        said = StringIO()
        with redirect_stdout(said), redirect_stderr(said), pytest.raises(SystemExit) as ended:
            main(words)
        failed = f"ended with {ended.value.code}: {said.getvalue()}" if ended.value.code else ""
        if failed:
            return failed
        outputs = [
            Path(words[n + 1])
            for n, w in enumerate(words)
            if w in {"-o", "--out", "--chart", "--queue", "--cassette"}
        ]
        files = [f for o in outputs for f in ([o] if o.is_file() else sorted(o.rglob("*"))) if f.is_file()]
        return "\n".join(
            [said.getvalue(), *(f"{f}\n{f.read_text(encoding='utf-8', errors='replace')}" for f in files)]
        )


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    """Commands in a folder that holds what the page speaks of, with a model and the services served here."""
    for variable, value in {
        "FATHOM_CACHE": tmp_path / "cache",
        "FATHOM_CONFIG": tmp_path / "config.toml",
        "FATHOM_DATA": DATA,
        "COLUMNS": 160,
    }.items():
        monkeypatch.setenv(variable, str(value))
    monkeypatch.chdir(tmp_path)
    Path("predictions").symlink_to(needed("bird", "predictions"))
    shutil.copy(needed("samples", "chinook.sqlite"), "chinook.sqlite")
    with closing(sqlite3.connect("sales.sqlite")) as made, made:
        made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, buyer TEXT)")
        made.executemany("INSERT INTO sale VALUES (?, ?)", [(i, f"b{i % 7}") for i in range(1, 41)])
    files = dict(re.findall(r"^`([\w.]+)`,[^\n]*\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    with Loopback() as services, served(json.loads(files["pairs.json"]), monkeypatch) as model:
        for service, base in services.bases.items():
            monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)
        running = Commands(model)
        for name, text in files.items():
            Path(name).write_text(running.named(text), encoding="utf-8")
        yield running


def _first_runs() -> list[str]:
    section = PAGE.split("\n## First")[1].split("\n## ")[0].replace("\\\n", " ")
    return re.findall(r"^ {4}(fathom .+)$", section, re.MULTILINE)


def _people_answer(commands: Commands) -> None:
    """Write the plain and the oracle's answers, and what two people say of them."""
    for seen, file in (("nothing", "plain"), ("gold", "oracle")):
        commands.shown(f"fathom tools answer pairs.json --model MODEL --seen {seen} -o {file}.jsonl")
    for person, verdicts in {
        "anna": ["left", "right", "both_good", "left"],
        "ben": ["left", "left", "both_good", "left"],
    }.items():
        commands.shown(f"fathom prefer oracle.jsonl plain.jsonl --queue {person}.jsonl")
        lines = Path(f"{person}.jsonl").read_text(encoding="utf-8").splitlines()
        told = [
            json.dumps(json.loads(line) | {"verdict": v}) for line, v in zip(lines, verdicts, strict=True)
        ]
        Path(f"{person}.jsonl").write_text("\n".join(told), encoding="utf-8")


@pytest.mark.whole
def test_every_command_shows_what_the_page_says(commands: Commands) -> None:
    for command in _first_runs():
        commands.shown(command)
    missing = []
    for paper in ROWS:
        if paper == "BioTool":
            _people_answer(commands)
        for part, cell, shown in rows(paper):
            if cell == "–" or cell.endswith(NOT_RUN):
                continue
            printed = commands.shown(cell.strip("`"))
            told = re.findall(r"`([^`]+)`", shown.split(";")[0])
            assert told, part
            if gone := [t for t in told if t not in printed]:
                missing.append(f"{paper}, {part}: {gone} not in {printed[:600]}")
    assert not missing, "\n".join(missing)
