"""The prompt of `fathom ask`: questions and follow-ups one after the other, and commands between them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fathom.answering import Conversation, wants_chart
from fathom.answering.faults import kept_fault
from fathom.errors import FathomError, InputError, ModelError, did_you_mean
from fathom.interfaces.cli.answer_progress import watched_answer
from fathom.interfaces.cli.answers import save_chart, show_answer, show_guess, show_trace
from fathom.interfaces.cli.bars import show_chart
from fathom.interfaces.cli.display import console, notices, plain, print_sql
from fathom.interfaces.cli.inspect import show_table
from fathom.records import Answer, Table

PROFILE_SECONDS = 5.0
"""Time for `show TABLE` to look at values in, the first time: longer feels stuck."""
PICTURES = frozenset({".json", ".html", ".svg", ".png"})
PAGES = frozenset({".json", ".md"})


@dataclass(frozen=True, slots=True)
class Command:
    """A word that the prompt takes for a command, where what follows it fits.

    `fits` tells by the rest of the line; else the line is a question, unless it begins with a slash.
    """

    run: "Callable[[QuestionPrompt, str], None]"
    argument: str
    help: str
    fits: "Callable[[QuestionPrompt, str], bool]"


class QuestionPrompt:
    """Asks one database in a conversation until the input or the person ends it."""

    def __init__(self, talk: Conversation, *, evidence: str = "") -> None:
        self.talk, self.evidence = talk, evidence
        self.database = talk.asking.database

    def run(self) -> None:
        """Take questions and commands until the end of input, or `exit`."""
        tables = len(self.database.schema.tables)
        opening = (
            f"Asking {self.database.name} ({tables} tables). Follow-ups may be short; help lists commands."
        )
        notices.print(plain(opening), style="dim")
        for line in _lines(self.talk):
            if line.casefold() in {"exit", "quit", "/exit", "/quit"}:
                return
            if line:
                self._take(line)

    def _take(self, line: str) -> None:
        """Do what a line says; what fails is told, and the next line may succeed."""
        try:
            if not self._did(line):
                self._answer(line)
        except ModelError as error:
            if error.lasting:
                raise
            notices.print(plain(f"Error: {error}"), style="red")
        except FathomError as error:
            notices.print(plain(f"Error: {error}"), style="red")
        except Exception as error:  # a command may fail by an error of ours as well, and the talk goes on
            notices.print(plain(f"Error: {kept_fault(error, during=line)}"), style="red")
        except KeyboardInterrupt:
            notices.print("Stopped. Ask on, or leave with exit.", style="yellow")

    def _answer(self, line: str) -> None:
        given = watched_answer(self.talk, line, self.evidence)
        if given.chart is not None and wants_chart(line):
            show_chart(given.chart)
        else:
            show_answer(given)

    def _did(self, line: str) -> bool:
        """True if the line was a command, and is done. Raises `InputError` where it can't be."""
        word, _, rest = line.partition(" ")
        name, rest = word.lstrip("/").casefold(), rest.strip()
        command = COMMANDS.get(name)
        if word.startswith("/"):
            if command is None:
                raise InputError(f"there is no command {name!r}.{did_you_mean(name, tuple(COMMANDS))}")
        elif command is None or not command.fits(self, rest):
            return False
        command.run(self, rest)
        return True

    def table(self, name: str) -> Table | None:
        """The table of that name, in any case."""
        wanted = name.strip("\"'`").casefold()
        return next((t for t in self.database.schema.tables if t.name.casefold() == wanted), None)

    def before(self) -> Answer:
        """The last answer. Raises `InputError` where nothing was asked yet."""
        if self.talk.last is None:
            raise InputError("nothing was asked yet")
        return self.talk.last


def _help(prompt: QuestionPrompt, _: str) -> None:
    console.print(
        "Ask in plain language, then go on: “and in 2010?”, “only those from Brazil”, “by country”."
    )
    width = max(len(f"{name} {c.argument}") for name, c in COMMANDS.items())
    for name, command in COMMANDS.items():
        console.print(
            f"  {f'{name} {command.argument}':{width}}  {command.help}", highlight=False, markup=False
        )
    console.print(f"  {'exit':{width}}  leave; so does Ctrl-D")
    console.print("A slash before a command (/tables) makes sure that it isn't taken for a question.")


def _tables(prompt: QuestionPrompt, _: str) -> None:
    for table in prompt.database.schema.tables:
        rows = "" if table.row_count is None else f"  {table.row_count:,} rows"
        about = " about" if rows and table.rows_estimated else ""
        console.print(plain(f"  {table.name}{about}{rows}"))
    if not prompt.database.schema.tables:
        console.print("The database holds no tables.")


def _show(prompt: QuestionPrompt, name: str) -> None:
    table = prompt.table(name)
    if table is None:
        known = [t.name for t in prompt.database.schema.tables]
        raise InputError(f"there is no table {name!r}.{did_you_mean(name, known)} tables lists them.")
    with notices.status("Looking at the values ..."):
        profile = prompt.database.profile(PROFILE_SECONDS).get(table.name)
    show_table(table, profile)


def _why(prompt: QuestionPrompt, _: str) -> None:
    show_guess(prompt.before(), prompt.database.dialect)
    show_trace(prompt.before())


def _sql(prompt: QuestionPrompt, _: str) -> None:
    answer = prompt.before()
    if answer.sql is None and not answer.readings:
        raise InputError("the last question has no query; why tells what was tried")
    for sql in [answer.sql] if answer.sql else [r.sql for r in answer.readings]:
        print_sql(sql)


def _choose(prompt: QuestionPrompt, number: str) -> None:
    if not number.isdecimal():
        raise InputError("say which reading: choose 1")
    show_answer(prompt.talk.choose(int(number)))


def _chart(prompt: QuestionPrompt, file: str) -> None:
    chart = prompt.before().chart
    if chart is None:
        raise InputError("no chart helps to see the last answer")
    if not file:
        show_chart(chart)
        return
    save_chart(chart, Path(file).expanduser())
    console.print(plain(f"The chart is in {file}."))


def _save(prompt: QuestionPrompt, file: str) -> None:
    if not file:
        raise InputError("say where: save talk.md to read, or save talk.json to go on from")
    prompt.talk.save(Path(file).expanduser())
    console.print(plain(f"The conversation is in {file}."))


def _alone(_: QuestionPrompt, rest: str) -> bool:
    return not rest


def _is_file(endings: Iterable[str]) -> Callable[[QuestionPrompt, str], bool]:
    return lambda _, rest: not rest or Path(rest).suffix.casefold() in endings


COMMANDS = {
    "tables": Command(_tables, "", "the tables, with their rows", _alone),
    "show": Command(
        _show, "TABLE", "a table's columns, and what they hold", lambda p, rest: p.table(rest) is not None
    ),
    "choose": Command(
        _choose, "N", "answer by a reading; so does the number alone", lambda _, r: r.isdecimal()
    ),
    "sql": Command(_sql, "", "the query of the last answer", _alone),
    "why": Command(_why, "", "how the last answer was found", _alone),
    "chart": Command(
        _chart, "[FILE]", "draw the last answer, or write an .html, .svg or .png", _is_file(PICTURES)
    ),
    "save": Command(
        _save, "FILE", "write the conversation: .md to read, .json to go on from", _is_file(PAGES)
    ),
    "help": Command(_help, "", "this list", _alone),
}


def _lines(talk: Conversation) -> Iterator[str]:
    """Give the lines that are typed or piped, until they end."""
    if console.is_terminal and sys.stdin.isatty():
        from fathom.interfaces.cli.line_editor import edited_lines  # noqa: PLC0415, only for people

        yield from edited_lines(talk, COMMANDS)
        return
    for line in sys.stdin:
        yield line.strip()
