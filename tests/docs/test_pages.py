"""What the pages show must work: Python blocks run, `$ fathom` commands print what stands below them.

A block of kind `python` runs, all of one page in one namespace; `python no-run` doesn't. In a `console` block
each line under a command must be printed in that order; `...` in it stands for anything. Commands anywhere
else aren't run, but their words must be ones that the command line takes. `toml settings` must be readable.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import CycloptsError, MissingArgumentError

from fathom.config import read_settings
from fathom.interfaces.cli import USAGE, main, make_app
from tests.data import ROOT
from tests.docs import commands_page

PAGES = sorted(p.relative_to(ROOT).as_posix() for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
OWN_TESTS = {"docs/knowledge-packs.md"}  # shows what goes wrong as well, so it has a test beside its package


def blocks(page: str, kind: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Each `$ fathom` command of a page, with the lines that it is shown to print."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.replace("\\\n", " ").splitlines()
            if command.startswith("fathom "):
                yield command, [line.rstrip() for line in shown if line.strip()]


def mentioned(page: str) -> list[str]:
    """Each `fathom` command of a page with its arguments: on a line of its own, or in the text."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^(?:\$ | {4})(fathom .+)$", text, re.MULTILINE)
    return [c for c in (*lines, *re.findall(r"`(fathom [^`]+)`", text)) if len(c.split()) > 2]


SHOWN = [(page, command, shown) for page in PAGES for command, shown in commands(page)]


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and one cache for all pages: the sample database is made once."""
    cache = tmp_path_factory.getbasetemp().parent / "docs-cache"
    monkeypatch.setenv("FATHOM_CACHE", str(cache))
    monkeypatch.setenv("FATHOM_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if p not in OWN_TESTS and blocks(p, "python")])
def test_python_runs(page: str, folder: Path) -> None:
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), names)


@pytest.mark.parametrize(("page", "command", "shown"), SHOWN, ids=[f"{p}: {c}"[:80] for p, c, _ in SHOWN])
def test_commands_print_what_is_shown(
    page: str, command: str, shown: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    said = capsys.readouterr()
    assert ended.value.code != USAGE, said.err
    printed = iter([line.rstrip() for line in (said.out + said.err).splitlines()])
    for line in shown:
        pattern = ".*".join(re.escape(piece) for piece in line.split("..."))
        assert any(re.fullmatch(pattern, p) for p in printed), f"not printed, or not in this order: {line}"


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_one_that_the_command_line_takes(page: str) -> None:
    for command in mentioned(page):
        try:
            make_app().parse_args(shlex.split(command)[1:], exit_on_error=False, print_error=False)
        except MissingArgumentError:  # the text names an option and leaves the rest out
            continue
        except CycloptsError as error:
            pytest.fail(f"{command}: {error}")


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, place in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)", text):
        file = (ROOT / page).parent / target if target else ROOT / page
        assert file.exists(), target
        assert not place or place in anchors(file), f"{target}#{place}"


def anchors(page: Path) -> set[str]:
    """The places in a page that a link may name: its headings, as GitHub spells them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "toml settings")])
def test_settings_can_be_read(page: str, tmp_path: Path) -> None:
    for written in blocks(page, "toml settings"):
        file = tmp_path / "config.toml"
        file.write_text(written, encoding="utf-8")
        settings = read_settings({"FATHOM_CONFIG": str(file)})
        assert settings.databases
        assert settings.packs.keys() <= settings.databases.keys()


def test_the_reference_of_commands_is_up_to_date() -> None:
    assert commands_page.PAGE.read_text(encoding="utf-8") == commands_page.text(), "run: make docs"
