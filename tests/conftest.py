"""What holds for every test: no model outside this machine can be reached, whatever the environment holds."""

import gc
import os
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fathom.llm.keys import is_key_variable
from fathom.llm.providers import LOCAL_ONLY
from tests.command import Fathom, run_command
from tests.sampling import HEAD, MARKS, Sample, commit_key, held
from tests.schedule import spread

for name in [n for n in os.environ if is_key_variable(n)]:
    del os.environ[name]
os.environ[LOCAL_ONLY] = "1"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected alone when looking for garbage.

    Fifteen thousand tests and their modules stay to the end; to look through them again and again took a
    tenth of the time of a part of 800 tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    about = (
        f"run a sample of the long sets, drawn by this text; {HEAD!r} means the commit that is checked out"
    )
    parser.addoption("--sample", default="", metavar="KEY", help=about)


def pytest_configure(config: pytest.Config) -> None:
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("sample") == HEAD:
        config.option.sample = commit_key()  # workers are handed the options: all draw by the same commit


def pytest_report_header(config: pytest.Config) -> str | None:
    key = config.getoption("sample")
    return f"a sample of the long sets; `pytest '--sample={key}'` runs the same one" if key else None


@pytest.fixture(scope="session")
def sample(request: pytest.FixtureRequest) -> Sample:
    """The sample that this run is of, which may be everything."""
    return Sample(request.config.getoption("sample"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the sample; of several workers, each begins with long tests."""
    if key := config.getoption("sample"):
        kept = held(items, Sample(key))
        config.hook.pytest_deselected(
            items=[item for item, is_kept in zip(items, kept, strict=True) if not is_kept]
        )
        items[:] = [item for item, is_kept in zip(items, kept, strict=True) if is_kept]
    if workers := getattr(config, "workerinput", {}).get("workercount"):
        items[:] = [items[place] for place in spread([item.nodeid for item in items], workers)]


@pytest.fixture
def fathom(capsys: pytest.CaptureFixture[str]) -> Fathom:
    """Run the command line in this process; gives the exit code and what was printed."""
    return partial(run_command, capsys)


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and a cache of this test alone."""
    monkeypatch.setenv("FATHOM_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Dask cluster of two workers that stand in another folder."""
    from tests.clusters import two_workers

    with two_workers(tmp_path_factory.mktemp("elsewhere")) as found:
        yield found
