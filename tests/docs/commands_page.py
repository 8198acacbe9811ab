"""The reference of commands, written from their help: `make docs` writes it anew."""

import sys
from unittest.mock import patch

from fathom.interfaces.cli import __doc__ as about
from fathom.interfaces.cli import make_app
from tests.data import ROOT

PAGE = ROOT / "docs" / "commands.md"


def text() -> str:
    """The page as it should be."""
    exit_codes = (about or "").partition("Exit codes:")[2].strip().replace("\n", " ")
    # The usage of commands below commands would say by which program this page was written.
    with patch.object(sys, "argv", ["fathom"]):
        made = make_app().generate_docs(output_format="markdown", recursive=True)
    listed = made.partition("**Commands**:")[2].strip()
    return (
        "# Commands\n\nWritten from the help of each command by `make docs`. "
        f"Exit codes: {exit_codes}\n\n{listed}\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
