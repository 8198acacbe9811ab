"""The command `fathom`. One file per command, imported only when that command is called.

Exit codes: 0 done; 1 an error, told without a traceback; 2 wrong usage; 3 `ask` declined; 4 `ask` asks back;
130 interrupted.
"""

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from fathom.errors import FathomError

if TYPE_CHECKING:
    from cyclopts import App

COMMANDS = {
    "ask": "Answer a question from a database, with its evidence.",
    "audit": "Find gold queries that are suspect, with the evidence.",
    "author": "Make questions for calls of biomedical APIs, step by step.",
    "benchmarks": "List the benchmarks and what each needs; check the gold of one.",
    "call": "Call an endpoint of NCBI, UniProt or Ensembl with given arguments.",
    "compare": "Set runs side by side, with paired tests and what moved.",
    "demo": "Ask questions of the sample database and of made APIs: no key, no network.",
    "evaluate": "Measure a method on a benchmark; stopped or killed, it goes on where it was.",
    "export": "Write a run as BIRD, NL2SQLBench or JSONL files.",
    "index": "Index the values of a database ahead of the first question.",
    "inspect": "Show what a database holds: tables, columns, keys, values.",
    "judge": "Let a model judge the answers in words of a run by the gold answers.",
    "methods": "List the methods, draw one, list the steps to compose one of.",
    "models": "Show which language models can be asked, and check one.",
    "prefer": "Tell which of two systems' answers in words are preferred, by a model or by people.",
    "report": "Write runs as one HTML page, or as Markdown, CSV or JSON.",
    "rewrite": "Find a faster form of a query, with the same result.",
    "score": "Score anybody's predictions against a benchmark.",
    "sql": "Run one reading query, with the same guard and limits as every answer.",
    "suggest-indexes": "Suggest indexes that measurably help given queries; none is made.",
    "tools": "Look at the endpoints of NCBI, UniProt and Ensembl: list, search, show, verify.",
    "ves": "Measure how fast the right answers of a run are beside gold.",
}
"""Each command and its line in the help; module `fathom.interfaces.cli.NAME` holds the function `NAME`,
with `_` for `-`.
"""

ERROR, USAGE, DECLINED, ASKS_BACK, INTERRUPTED = 1, 2, 3, 4, 130


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
    try:
        code = _run(words)
    except FathomError as error:
        print("\n".join((f"Error: {error}", *getattr(error, "__notes__", ()))), file=sys.stderr)
        code = ERROR
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:  # a full disk, a folder that can't be written to
        print(f"Error: {error}", file=sys.stderr)
        code = ERROR
    sys.exit(code or 0)


def _print_any_text() -> None:
    """Show what the output's encoding lacks as its code (`\\u5317`), instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> int:
    if words[:1] == ["score"]:
        # Scoring counts its start-up: importing Cyclopts takes as long as a thousand questions, and looking
        # for garbage among what is only being imported a tenth of it.
        gc.set_threshold(50_000)
        from fathom.interfaces.cli.score_run import plain_arguments, run_score

        if found := plain_arguments(words[1:]):
            return run_score(**found)
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
