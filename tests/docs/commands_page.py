"""The reference of commands, written from their help: `make docs` writes it anew."""

import re
import sys
from collections import Counter
from unittest.mock import patch

from fathom.interfaces.cli import __doc__ as about
from fathom.interfaces.cli import make_app
from tests.data import ROOT

PAGE = ROOT / "docs" / "commands.md"
SHARED = "Options of several commands"
_SHARED_BY = 3
"""From so many commands on, an option in the same words is described once."""
_ITEM = re.compile(r"^\* `(--[^`]+)`:.*\n(?:    .*\n)*", re.MULTILINE)
_PARAMETERS = re.compile(r"(?<=\*\*Parameters\*\*:\n\n)(?:\* `--[^`]+`:.*\n(?:    .*\n)*)+")


def text() -> str:
    """The page as it should be."""
    exit_codes = (about or "").partition("Exit codes:")[2].strip().replace("\n", " ")
    # The usage of commands below commands would say by which program this page was written.
    with patch.object(sys, "argv", ["fathom"]):
        made = make_app().generate_docs(output_format="markdown", recursive=True)
    listed = made.partition("**Commands**:")[2].strip() + "\n"
    shared = _shared(listed)
    contents, head, commands = listed.partition("## fathom ask\n")
    commands = _PARAMETERS.sub(lambda found: _own(found[0], set(shared)), commands)
    return (
        "# Commands\n\nWritten from the help of each command by `make docs`. "
        f"Exit codes: {exit_codes}\n\n{contents}## {SHARED}\n\n{''.join(shared)}\n{head}{commands}"
    )


def _shared(text: str) -> list[str]:
    """What several commands say of an option in the same words; of two ways to say it, neither is shared."""
    times = Counter((found[1], found[0]) for found in _ITEM.finditer(text))
    often = sorted(item for item, number in times.items() if number >= _SHARED_BY)
    ways = Counter(option for option, _ in often)
    return [described for option, described in often if ways[option] == 1]


def _own(parameters: str, shared: set[str]) -> str:
    """The options of one command: its own, then the names of those that are described for several."""
    own, others = [], []
    for found in _ITEM.finditer(parameters):
        if found[0] in shared:
            others.append(f"`{found[1]}`")
        else:
            own.append(found[0])
    if others:
        own.append(
            f"* Also {', '.join(others)}: [as for other commands](#{SHARED.lower().replace(' ', '-')}).\n"
        )
    return "".join(own)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
