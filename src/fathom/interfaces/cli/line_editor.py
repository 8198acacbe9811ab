"""Typing at the prompt: line editing, history, and completion of commands and of names in the database."""

import os
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from fathom.answering import Conversation
from fathom.retrieval import ValueIndex

SHORTEST, MOST = 2, 12
"""Letters before names are offered, and how many: a list longer than half a screen isn't read."""


def edited_lines(talk: Conversation, commands: Collection[str]) -> Iterator[str]:
    """Give a person's lines as they are typed, until Ctrl-D. Ctrl-C clears the line."""
    session: PromptSession[str] = PromptSession(
        "? ",
        history=_history(talk.asking.context.cache),
        completer=ThreadedCompleter(NameCompleter(talk, commands)),
        complete_while_typing=False,  # a menu over every question is in the way; Tab opens it
        reserve_space_for_menu=4,
        enable_history_search=True,
    )
    while True:
        try:
            print()
            yield session.prompt().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _history(folder: Path | None) -> History:
    """Earlier lines, for the owner's eyes alone; those of this time where no folder can be written."""
    if folder is None:
        return InMemoryHistory()
    file = folder / "history"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)


class NameCompleter(Completer):
    """Completes commands at the beginning of a line, and tables, columns and values anywhere."""

    def __init__(self, talk: Conversation, commands: Collection[str]) -> None:
        self.talk = talk
        self.commands = (*sorted(commands), "exit")

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Complete the word before the cursor: commands and names of the schema come before values."""
        before = document.text_before_cursor
        letters = before.rpartition(" ")[2]
        begun = letters.casefold()
        offered: dict[str, str] = {}
        if letters == before:
            offered |= {c: "command" for c in self.commands if c.startswith(begun)}
        if before.startswith("show "):
            offered |= {t: "table" for t in self.tables if t.casefold().startswith(begun)}
        elif len(letters) >= SHORTEST:
            names = self.tables | self.columns
            offered |= {n: kind for n, kind in names.items() if n.casefold().startswith(begun)}
            offered |= {v: "value" for v in self._values(letters) if v not in offered}
        for text, kind in list(offered.items())[:MOST]:
            yield Completion(text, start_position=-len(letters), display_meta=kind)

    @cached_property
    def tables(self) -> dict[str, str]:
        """The names of tables, each with what it is."""
        return {t.name: "table" for t in self.talk.asking.database.schema.tables}

    @cached_property
    def columns(self) -> dict[str, str]:
        """The names of columns, each with its first table."""
        found: dict[str, str] = {}
        for table in self.talk.asking.database.schema.tables:
            for column in table.columns:
                found.setdefault(column.name, f"column of {table.name}")
        return found

    def _values(self, letters: str) -> Iterable[str]:
        """Values that begin so, where an index of them is at hand: none is built while a person types."""
        known = self.talk.asking.context
        if known.cache is None:
            return
        index = ValueIndex.kept(known.database, known.cache)
        if index is not None:
            with index:
                yield from (v for v in index.beginning(letters, limit=MOST) if v.isprintable())
