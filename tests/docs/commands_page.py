"""The reference of commands, written from their help: `make docs` writes it anew."""

from fathom.interfaces.cli import __doc__ as about
from fathom.interfaces.cli import make_app
from tests.data import ROOT

PAGE = ROOT / "docs" / "commands.md"


def text() -> str:
    """The page as it should be."""
    exit_codes = (about or "").partition("Exit codes:")[2].strip().replace("\n", " ")
    made = make_app().generate_docs(output_format="markdown", recursive=True)
    listed = made.partition("**Commands**:")[2].strip()
    return (
        "# Commands\n\nWritten from the help of each command by `make docs`. "
        f"Exit codes: {exit_codes}\n\n{listed}\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
