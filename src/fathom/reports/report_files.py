"""Writing reports to files."""

from collections.abc import Sequence
from pathlib import Path

from fathom.errors import ConfigError, InputError
from fathom.files import write_whole
from fathom.reports.latex import build_latex
from fathom.reports.page import MOST_QUESTIONS, build_page
from fathom.reports.tables import build_csv, build_json, build_markdown

KINDS = (".html", ".md", ".tex", ".csv", ".json")


def write_report(
    folders: Sequence[Path], out: Path, *, title: str = "", most_questions: int = MOST_QUESTIONS
) -> None:
    """Write a report of runs; the ending of `out` says which kind.

    An earlier file is replaced only when the new one is whole. Raises `ConfigError` for another ending and
    `InputError` for a folder that holds no run or a file that can't be written.
    """
    kind = out.suffix.casefold()
    if kind not in KINDS:
        raise ConfigError(f"{out}: a report's file ends in {', '.join(KINDS)}.")
    if kind == ".html":
        text = build_page(folders, title=title, most_questions=most_questions)
    else:
        made = {".md": build_markdown, ".tex": build_latex, ".csv": build_csv, ".json": build_json}
        text = made[kind](folders)
    try:
        write_whole(out, text, mode=0o644)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=out) from error
