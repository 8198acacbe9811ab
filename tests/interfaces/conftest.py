import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from fathom.interfaces.cli import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def fathom(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run the command line in this process; gives the exit code and what was printed."""

    def run(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as exited:
            main([str(a) for a in arguments])
        said = capsys.readouterr()
        return Done(int(exited.value.code or 0), said.out, said.err)

    return run


@pytest.fixture
def genes(tmp_path: Path) -> Path:
    path = tmp_path / "genes.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE gene (symbol TEXT, chromosome INTEGER)")
    made.executemany("INSERT INTO gene VALUES (?, ?)", [("APOE", 19), ("BIN1", 2), ("SNCA", 4)])
    made.commit()
    made.close()
    return path
