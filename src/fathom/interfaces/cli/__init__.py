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
    "ask": "Answer a question from a database, with its evidence.",
    "ask-tools": "Answer a question from NCBI, UniProt or Ensembl, with the address to check it at.",
    "audit": "Find gold queries that are suspect, with the evidence.",
    "audit-log": "Show who asked what; verify, export or purge the log of it.",
    "author": "Make a benchmark: business questions, questions from templates, questions for tools.",
    "benchmarks": "List the benchmarks and what each needs; check the gold of one.",
    "call": "Call an endpoint of NCBI, UniProt or Ensembl with given arguments.",
    "compare": "Set runs side by side, with paired tests and what moved.",
    "demo": "Ask questions of the sample database and of made APIs: no key, no network.",
    "evaluate": "Measure a method on a benchmark; stopped or killed, it goes on where it was.",
    "evaluate-calls": "Measure a caller of NCBI, UniProt and Ensembl on questions with their calls.",
    "evaluate-grid": "Measure methods, models and benchmarks all together, from a file.",
    "export": "Write a run as BIRD, NL2SQLBench or JSONL files.",
    "history": "Show one method's runs through time, and which run lost what.",
    "index": "Index the values of a database ahead of the first question.",
    "inspect": "Show what a database holds: tables, columns, keys, values.",
    "judge": "Judge answers in words: a run's by gold answers, anybody's against the database.",
    "mcp": "Serve databases to assistants over the Model Context Protocol.",
    "methods": "List the methods, draw one, list the steps to compose one of.",
    "models": "Show which language models can be asked, and check one.",
    "prefer": "Tell which of two systems' answers in words are preferred, by a model or by people.",
    "report": "Write runs as one HTML page, or as Markdown, CSV or JSON; or print all their tables.",
    "review": "Have people annotate, rate and settle, each blind to the others; measure how far they agree.",
    "rewrite": "Find a faster form of a query, with the same result.",
    "rights": "Check a file of who may see what, and show what a user sees.",
    "score": "Score anybody's predictions against a benchmark.",
    "serve": "Ask in a browser: databases, history, knowledge, tools and runs as pages.",
    "sql": "Run one reading query, with the same guard and limits as every answer.",
    "suggest-indexes": "Suggest indexes that measurably help given queries; none is made.",
    "teach": "Teach Fathom something about a database, tried before it is kept; list and undo it.",
    "tools": "Look at the endpoints of NCBI, UniProt and Ensembl: list, search, show, verify.",
    "ves": "Measure how fast the right answers of a run are beside gold.",
}
"""Each command and its line in the help; module `fathom.interfaces.cli.NAME` holds the function `NAME`,
with `_` for `-`.
"""

ERROR, USAGE, DECLINED, INTERRUPTED = 1, 2, 3, 130
_PYTHON_FORM = warnings.showwarning


def make_app() -> "App":
    """The command line as a Cyclopts application."""
    from cyclopts import App, Parameter

    app = App(
        name="fathom",
        help="Ask your databases in plain language; measure how far each answer can be trusted.",
        help_format="plaintext",  # a Markdown renderer would double the time that help takes
        default_parameter=Parameter(negative=""),  # a flag is off unless it is given
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
