"""The page "What of the papers' measuring is here": its commands run, and each figure is worked out again."""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from fathom.biotools.loopback import Loopback
from tests.data import DATA, needed
from tests.docs.coverage import bi_bench, biomedsql, biotool, bird, nl2sqlbench_across
from tests.docs.coverage.commands import NOT_RUN, PageCommands, page_files, rows
from tests.docs.coverage_model import served
from tests.sampling import Sample

CHECKS = {
    "BiomedSQL": biomedsql.CHECKS,
    "NL2SQLBench": nl2sqlbench_across.CHECKS,
    "BioTool": biotool.CHECKS,
    "BI-Bench": bi_bench.CHECKS,
    "BIRD": bird.CHECKS,
}
ROWS = {"BiomedSQL": 37, "NL2SQLBench": 41, "BioTool": 27, "BI-Bench": 23, "BIRD": 29}
CHEAP = ("fathom benchmarks", "fathom methods", "fathom score", "fathom tools")
"""Commands that take little; in a sample the rows of others are drawn, of one of the papers."""


@pytest.mark.parametrize("paper", ROWS)
def test_every_part_of_the_paper_has_a_row_and_a_figure(paper: str) -> None:
    told = rows(paper)
    assert len({part for part, _, _ in told}) == len(told) == ROWS[paper]
    for part, command, shown in told:
        assert re.fullmatch(rf"`fathom [^`]+`( {NOT_RUN})?|–", command), part
        assert command != "–" or "not here" in shown, part
    assert set(CHECKS[paper]) == {p for p, c, _ in told if c != "–" and not c.endswith(NOT_RUN)}


@contextmanager
def working(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[PageCommands]:
    """Commands in a folder that holds what the page speaks of, with a model and the services served here."""
    for variable, value in {
        "FATHOM_CACHE": folder / "cache",
        "FATHOM_CONFIG": folder / "config.toml",
        "FATHOM_DATA": DATA,
        "COLUMNS": 160,
    }.items():
        patch.setenv(variable, str(value))
    patch.chdir(folder)
    if not Path("predictions").exists():
        Path("predictions").symlink_to(needed("bird", "predictions"))
    shutil.copy(needed("samples", "chinook.sqlite"), "chinook.sqlite")
    with closing(sqlite3.connect("sales.sqlite")) as made, made:
        made.execute("CREATE TABLE IF NOT EXISTS sale (id INTEGER PRIMARY KEY, buyer TEXT)")
        made.executemany("INSERT OR IGNORE INTO sale VALUES (?, ?)", [(i, f"b{i % 7}") for i in range(1, 41)])
    files = page_files()
    with Loopback() as services, served(json.loads(files["pairs.json"]), patch) as model:
        for service, base in services.bases.items():
            patch.setenv(f"FATHOM_BASE_{service.upper()}", base)
        running = PageCommands(model)
        for name, text in files.items():
            Path(name).write_text(running.named(text), encoding="utf-8")
        yield running


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageCommands]:
    with working(tmp_path, monkeypatch) as running:
        yield running


def check_row(commands: PageCommands, paper: str, part: str, cell: str, shown: str) -> None:
    """Run a row's command; hold the words that it is said to show, and its figure, against what it shows."""
    printed = commands.shown(cell.strip("`"))
    told = re.findall(r"`([^`]+)`", shown.split(";", maxsplit=1)[0])
    assert told, part
    assert not [t for t in told if t not in printed], f"{[t for t in told if t not in printed]} not shown"
    CHECKS[paper][part](printed)


@pytest.mark.parametrize("paper", ROWS)
def test_each_figure_is_what_the_raw_data_say(paper: str, commands: PageCommands, sample: Sample) -> None:
    run = [one for one in rows(paper) if one[1] != "–" and not one[1].endswith(NOT_RUN)]
    told = [(one, one[1].strip("`")) for one in run]
    cheap = [one for one, command in told if command.startswith(CHEAP) and commands.rests_on_nothing(command)]
    is_drawn = paper in sample.of(ROWS, 0.2, about="papers")
    dear = sample.of([one for one in run if one not in cheap], 0.03, about=paper) if is_drawn else []
    for part, cell, shown in [*cheap, *dear]:
        check_row(commands, paper, part, cell, shown)
