"""The command `fathom`. One file per command, imported only when that command is called.

Exit codes: 0 done; 1 an error, told without a traceback; 2 wrong usage; 3 `ask` isn't sure, or doesn't know;
130 interrupted.
"""

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from fathom.errors import AccountWarning, FathomError

if TYPE_CHECKING:
    from cyclopts import App

COMMANDS = {
    "ask": "Ask a database a question in plain language.",
    "ask-tools": "Ask NCBI, UniProt or Ensembl a question; the answer has an address to check it at.",
    "audit": "Find gold queries that may be wrong, with the evidence.",
    "audit-log": "Show who asked what; verify, export or purge the audit log.",
    "author": "Make a benchmark of business, template or tool questions.",
    "benchmarks": "List the benchmarks and what each needs; check the gold queries of one.",
    "call": "Call an endpoint of NCBI, UniProt or Ensembl.",
    "compare": "Compare runs, with paired tests and the questions that changed.",
    "demo": "Ask questions of sample databases and made-up APIs, without a key or a network.",
    "evaluate": "Measure a method on a benchmark; repeat the command to continue an interrupted run.",
    "evaluate-calls": "Measure how well questions to NCBI, UniProt and Ensembl become calls.",
    "evaluate-grid": "Measure all combinations of methods, models and benchmarks in a file.",
    "export": "Write a run as BIRD, NL2SQLBench or JSONL files.",
    "history": "Show a method's runs over time, and which run lost which questions.",
    "index": "Index the values of a database before the first question.",
    "inspect": "Show the tables, columns, keys and values of a database.",
    "judge": "Judge answers in words, against gold answers or the database.",
    "mcp": "Serve databases to AI assistants over the Model Context Protocol.",
    "methods": "List the methods, draw one, or list the steps to build your own.",
    "models": "Show which language models you can use, and check one.",
    "prefer": "Compare two systems' answers in words, judged by a model or by people.",
    "report": "Report on runs as an HTML page, Markdown, CSV, JSON, or printed tables.",
    "review": "Have people annotate and rate independently; measure how far they agree.",
    "rewrite": "Find a faster form of a query, with the same result.",
    "rights": "Check a rights file, and show what a user can see.",
    "score": "Score a file of predictions against a benchmark.",
    "serve": "Ask in a browser.",
    "sql": "Run your own SQL query, read-only and within limits.",
    "suggest-indexes": "Suggest indexes that measurably speed up queries; creates none.",
    "teach": "Teach Fathom a question, a word or a rule; list and undo lessons.",
    "tools": "List, search, show and verify the endpoints of NCBI, UniProt and Ensembl.",
    "ves": "Measure how fast a run's right queries are compared with gold.",
}
"""Each command and its line in the help; module `fathom.interfaces.cli.NAME` holds the function `NAME`,
with `_` for `-`.
"""

ERROR, USAGE, DECLINED, INTERRUPTED = 1, 2, 3, 130
_PYTHON_FORM = warnings.showwarning


def make_app() -> "App":
    """The command line as a Cyclopts application."""
    from cyclopts import App

    from fathom.interfaces.cli.options import USUAL

    app = App(
        name="fathom",
        help="Ask your databases in plain language, and measure how often answers are right.",
        help_format="plaintext",  # a Markdown renderer would double the time that help takes
        default_parameter=USUAL,
        version=_version,
        version_flags=["--version"],
    )
    for name, line in COMMANDS.items():
        module = name.replace("-", "_")
        app.command(f"{__name__}.{module}:{module}", name=name, help=line)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    _print_any_text()
    warnings.showwarning = _show_warning
    try:
        code = _run(words)
    except FathomError as error:
        _tell("\n".join((f"Error: {error}", *getattr(error, "__notes__", ()))))
        code = ERROR
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:  # a full disk, a folder that can't be written to
        _tell(f"Error: {error}")
        code = ERROR
    except Exception as error:
        from fathom.answering.faults import kept_fault

        _tell(f"Error: {kept_fault(error, during=' '.join(words))}")
        code = ERROR
    if arguments is None:
        # The interpreter looks for garbage once more at its end: a fifth of an answer, for memory that the
        # system takes back anyway.
        gc.freeze()
    sys.exit(code or 0)


def _tell(error: str) -> None:
    """Print an error, which may quote data, SQL or a path."""
    from fathom.text.terminal import visible

    print(visible(error), file=sys.stderr)


def _show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Print what Fathom warns of as a note; Python's own form is for programmers."""
    if issubclass(category, AccountWarning):
        _tell(f"Note: {message}")
    else:
        _PYTHON_FORM(message, category, *where, **more)


def _print_any_text() -> None:
    """Show what the output's encoding lacks as its code (`\\u5317`), instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> int:
    # Looking for garbage among what is only being imported takes a tenth of an answer.
    gc.set_threshold(50_000)
    from cyclopts import CycloptsError

    try:
        return make_app()(words, exit_on_error=False, result_action="return_value") or 0
    except CycloptsError:  # told already, with the usage
        return USAGE


def _version() -> str:
    from importlib.metadata import version

    from fathom.config import read_settings

    settings = read_settings()
    return f"fathom {version('askfathom')}\nsettings: {settings.file}\ncache:    {settings.cache}"
