"""Python environments of their own for tests, made by the pip of the environment at work."""

import os
import subprocess
import sys
import venv
from pathlib import Path

PIP = ("-m", "pip", "--disable-pip-version-check")
_SECONDS = 1_200  # an environment takes half a minute to install, on a busy machine ten


class NotInstalled(Exception):
    """An environment could not be made."""


def installed(folder: Path, *requirements: str | Path) -> Path:
    """An environment with these requirements, made anew; gives its folder of programs.

    Modules are compiled when they are first imported: few of the thousands are. Raises `NotInstalled` with
    what pip says.
    """
    venv.create(folder, with_pip=False, clear=True)
    programs = folder / "bin"
    words = (*PIP, "--python", programs / "python", "install", "-q", "--no-compile", *requirements)
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode:
        raise NotInstalled(done.stderr[-2000:])
    return programs
