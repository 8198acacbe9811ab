"""Runs the coverage page's commands, each once and only when its row is checked, with what they rest on."""

import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from fathom.interfaces.cli import main
from fathom.interfaces.cli.display import console
from tests.data import ROOT
from tests.docs.coverage.made_files import MADE
from tests.docs.coverage.people_work import fill_queue, work_on

PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
NOT_RUN = "†"
WIDTH = 160
_WRITES = {"-o", "--out", "--chart", "--queue", "--cassette", "--details"}


def rows(paper: str) -> list[tuple[str, str, str]]:
    """The rows of a paper's table: the part, the command, and what is to be looked for."""
    section = PAGE.split(f"\n## {paper}\n")[1].split("\n## ")[0]
    table = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(part, command, shown) for part, command, shown in table[1:]]


def first_runs() -> list[str]:
    """The commands that make what others read."""
    section = PAGE.split("\n## First")[1].split("\n## ")[0].replace("\\\n", " ")
    return [re.sub(r" +", " ", c) for c in re.findall(r"^ {4}(fathom .+)$", section, re.MULTILINE)]


def page_files() -> dict[str, str]:
    """The files that the page shows, by name."""
    shown = re.findall(r"^`([\w.-]+)`,[^\n]*\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return dict(shown)


class PageCommands:
    """Gives what each command printed and wrote. What it reads is made first, as the page says how."""

    def __init__(self, model: str) -> None:
        self._names = {"MODEL": model, "EMBEDDER": model.replace("#own", "#embed")}
        self._shown: dict[str, str] = {}
        named = re.findall(r"`(fathom [^`]+)`", PAGE.split("\n## First")[1])
        self._makers: dict[str, list[str]] = {}
        for command in dict.fromkeys([*first_runs(), *named]):
            self._makers.setdefault(_target(command), []).append(command)

    def named(self, text: str) -> str:
        """A text with the served model in the place of the page's names for models."""
        return re.sub("MODEL|EMBEDDER", lambda found: self._names[found[0]], text)

    def shown(self, command: str) -> str:
        """What a command printed, and the text of the files that it wrote."""
        if command not in self._shown:
            target = _target(command)
            for word in shlex.split(command)[2:]:
                for place in (word, *map(str, Path(word).parents)):
                    if place != target and place in self._makers:
                        self._make(self._makers[place])
                if word in MADE and not Path(word).exists():
                    MADE[word](self.shown)
            earlier = self._makers.get(target, [])
            self._make(earlier[: earlier.index(command)] if command in earlier else [])
            self._shown[command] = self._run(command)
        return self._shown[command]

    def rests_on_nothing(self, command: str) -> bool:
        """True if a command reads nothing that another one makes."""
        places = (p for w in shlex.split(command)[2:] for p in (w, *map(str, Path(w).parents)))
        return not any(p in self._makers or p in MADE for p in places)

    def _make(self, commands: list[str]) -> None:
        for command in commands:
            self.shown(command)

    def _run(self, command: str) -> str:
        words = [self.named(w) for w in shlex.split(command)[1:]]
        said = StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
            patch.setattr(console, "_width", WIDTH)  # read once, by whichever test came first
            with pytest.raises(SystemExit) as ended:
                main(words)
        assert not ended.value.code, f"{command} ended with {ended.value.code}: {said.getvalue()}"
        if project := re.match(r"fathom review new ([\w-]+)", command):
            work_on(project[1])
        elif queue := re.search(r"--queue (\w+)\.jsonl", command):
            fill_queue(queue[1])
        made = [Path(words[n + 1]) for n, w in enumerate(words) if w in _WRITES]
        files = [f for o in made for f in ([o] if o.is_file() else sorted(o.rglob("*"))) if f.is_file()]
        told = (f"{f}\n{f.read_text(encoding='utf-8', errors='replace')}" for f in files)
        return "\n".join([said.getvalue(), *told])


def _target(command: str) -> str:
    """What a command makes or adds to: what it writes, a project of people, or the run that it judges."""
    words = shlex.split(command)
    if found := next((words[n + 1] for n, w in enumerate(words) if w in _WRITES), ""):
        return found
    if words[1:3] in (["review", "new"], ["author", "knowledge-base"]):
        return words[3]
    return words[3] if words[1] in ("judge", "ves") else command
