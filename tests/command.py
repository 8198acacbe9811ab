"""The command line, run in this process."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from fathom.interfaces.cli import main


class Done(NamedTuple):
    """What came of a command: its exit code, and what it printed."""

    code: int
    out: str
    err: str


Fathom = Callable[..., Done]
"""The fixture `fathom`: takes the arguments of a command, each as its text."""


def run_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> Done:
    """Run `fathom` with these arguments."""
    with pytest.raises(SystemExit) as exited:
        main([str(a) for a in arguments])
    said = capsys.readouterr()
    return Done(int(exited.value.code or 0), said.out, said.err)
