"""Stored figures say which code they were measured on, and so does the page."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from bench.figures import Figure, code_commit, store, write_page
from bench.parts.staleness import Staleness

from bench import __main__, figures


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file below src, and results and page in it."""
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "RESULTS", tmp_path / "bench" / "results")
    monkeypatch.setattr(figures, "PAGE", tmp_path / "figures.md")
    monkeypatch.setattr(figures, "TABLES", tmp_path / "figures")
    (tmp_path / "src").mkdir()
    (tmp_path / "bench").mkdir()
    (tmp_path / "src" / "code.py").write_text("x = 1\n")
    return tmp_path


def commit(folder: Path) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "src"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    asked = ["git", "-C", str(folder), "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def stored(folder: Path, name: str) -> str:
    store(name, f"What {name} costs", [Figure("time", "1 s")], code_commit(), 100.4)
    return str(json.loads((folder / "bench" / "results" / f"{name}.json").read_text())["commit"])


def test_the_commit_is_kept_and_shown(places: Path) -> None:
    head = commit(places)
    assert stored(places, "first") == head
    assert stored(places, "second") == head  # that results were written is no change of the code
    write_page()
    page = places.joinpath("figures", "first.md").read_text()
    assert "`python -m bench first` · " in page
    assert f" · commit {head} · " in page
    assert ", 2 min\n" in page


def test_changed_code_is_told(places: Path) -> None:
    head = commit(places)
    (places / "src" / "code.py").write_text("x = 2\n")
    assert stored(places, "first") == f"{head} with changes"


def test_figures_without_a_commit_say_so(places: Path) -> None:
    assert stored(places, "first") == ""
    file = places / "bench" / "results" / "first.json"
    old = json.loads(file.read_text())
    del old["commit"]
    file.write_text(json.dumps(old))
    write_page()
    assert " · before the commit was kept · " in (places / "figures" / "first.md").read_text()


def test_the_summary_gives_the_first_figure_and_counts_the_marks(places: Path) -> None:
    figures_of = {
        "real": [
            Figure("right", "3 of 4", "2", True),
            Figure("a | b", "9 s", "4 s", False),
            Figure("n", "4"),
        ],
        "": [Figure("rows", "7")],
        "simulated": [Figure("votes", "5", "5", True)],
    }
    for models, some in figures_of.items():
        store(models or "none", f"Title of {models}", some, "1234567", 60, models=models)
    (places / "figures").mkdir()
    (places / "figures" / "gone.md").touch()
    write_page()
    lines = (places / "figures.md").read_text().splitlines()
    shown = [line for line in lines if line.startswith("## ") or "](" in line]
    assert [line.rpartition(" | ")[0] for line in shown] == [
        "",
        "| [Title of real](figures/real.md) | right: 3 of 4 | 1 of 2",
        "",
        "| [Title of ](figures/none.md) | rows: 7 | ",
        "",
        "| [Title of simulated](figures/simulated.md) | votes: 5 | 1 of 1",
    ]
    assert [line for line in shown if line.startswith("#")] == [
        "## With a language model",
        "## Without a language model",
        "## With simulated language models",
    ]
    assert sorted(p.stem for p in (places / "figures").iterdir()) == ["none", "real", "simulated"]
    table = (places / "figures" / "real.md").read_text()
    assert r"| a \| b | 9 s | 4 s | **no** |  |" in table
    assert "| right | 3 of 4 | 2 | yes |  |" in table


def test_figures_say_how_busy_the_machine_was(places: Path) -> None:
    commit(places)
    stored(places, "first")
    content = json.loads((places / "bench" / "results" / "first.json").read_text(encoding="utf-8"))
    assert re.search(r"\d+ cores, Python 3\.\d+\.\d+, load \d+\.\d$", content["machine"])


def measurements(monkeypatch: pytest.MonkeyPatch, **measures: Callable[[], Iterator[Figure]] | None) -> None:
    """Have these measurements and no others; one without a function of its own tells a figure."""

    def told(name: str) -> Iterator[Figure]:
        yield Figure(f"told by {name}", "1 s")

    for name, measure in measures.items():
        module = ModuleType(name)
        module.__dict__.update(TITLE=f"The time of {name}", measure=measure or partial(told, name))
        monkeypatch.setitem(sys.modules, f"bench.{name}", module)
    monkeypatch.setattr(__main__, "_measurements", lambda: [*measures])


def test_a_measurement_that_fails_stops_none_after_it(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> Iterator[Figure]:
        yield Figure("half", "1 s")
        raise OSError("no such database")

    def works() -> Iterator[Figure]:
        yield Figure("whole", "2 s")

    measurements(monkeypatch, fails=fails, works=works)
    monkeypatch.setattr(sys, "argv", ["bench", "all"])
    with pytest.raises(SystemExit, match=r"failed.*: fails"):
        __main__.main()
    assert "no such database" in capsys.readouterr().err
    assert [f.stem for f in (places / "bench" / "results").iterdir()] == ["works"]
    assert "The time of works" in (places / "figures.md").read_text()


def test_all_measures_what_is_older_than_its_code_and_again_the_rest(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measurements(monkeypatch, fresh=None, older=None)
    ages = {"fresh": (), "older": ("Offline: another way",)}
    monkeypatch.setattr(__main__, "staleness", lambda name: Staleness(name, "1234567", ages[name], False))
    for asked, told in (
        (["all"], ["older"]),
        ([], ["older"]),
        (["all", "--again"], ["fresh", "older"]),
        (["fresh"], ["fresh"]),
    ):
        monkeypatch.setattr(sys, "argv", ["bench", *asked])
        __main__.main()
        shown = capsys.readouterr().out
        assert re.findall(r"told by (\w+)", shown) == told
        assert ("1 of 2 measurements are up to date" in shown) == (told == ["older"])


def test_what_is_asked_for_by_name_alone_is_printed_and_not_stored(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measurements(monkeypatch, tool=None, usual=None)
    monkeypatch.setattr(__main__, "ON_REQUEST", frozenset(["tool"]))
    for asked, told in (("all", "told by usual"), ("tool", "told by tool")):
        monkeypatch.setattr(sys, "argv", ["bench", asked])
        __main__.main()
        assert re.findall(r"told by \w+", capsys.readouterr().out) == [told]
    assert [f.stem for f in (places / "bench" / "results").iterdir()] == ["usual"]


def test_a_long_measurement_asks_a_sample_unless_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = range(12)
    assert [*figures.thinned(questions)] == [*questions]
    assert [*figures.thinned(questions, 4)] == [0, 4, 8]
    monkeypatch.setenv(figures.EVERY, "2")
    assert [*figures.thinned(questions, 4)] == [0, 8]
    monkeypatch.setenv(figures.WHOLE, "1")
    assert [*figures.thinned(questions, 4)] == [0, 2, 4, 6, 8, 10]
    assert figures.is_part()


def test_the_page_of_metrics_tells_the_interval_that_was_measured() -> None:
    """`python -m bench clusters` measures it again; another machine's clock may move a question or two."""
    results = figures.ROOT / "bench" / "results" / "clusters.json"
    measured = [one["value"] for one in json.loads(results.read_text(encoding="utf-8"))["figures"]]
    text = " ".join((figures.ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").split())
    (told,) = re.findall(
        r"it is ([\d.]+) to ([\d.]+) % instead of ([\d.]+) to ([\d.]+) %, ([\d.]+) times as wide", text
    )
    clustered, plain, wider = told[:2], told[2:4], told[4]
    for shown, value in ((plain, measured[0]), (clustered, measured[1])):
        assert [float(end) for end in shown] == pytest.approx(
            [float(end) for end in re.findall(r"[\d.]+", value)], abs=2
        )
    assert float(wider) == pytest.approx(float(measured[2]), abs=0.2)
