"""Lessons: what people taught from answers, one by one, in a file of Fathom's own for each database.

An expert's pack is never written to. Read as a pack, the file goes on top of the expert's.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from difflib import unified_diff
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout
from pydantic import Field, TypeAdapter, ValidationError

from fathom.config import Settings
from fathom.errors import ConfigError, FathomError, InputError
from fathom.files import write_whole
from fathom.knowledge.beforehand import taught_in
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.parts import Adds, ColumnNote, Convention, Part, TableNote, Term, When
from fathom.records import SolvedExample
from fathom.text.inflection import plural

LONGEST_WAIT = 10.0
"""Seconds to wait for another process that writes the file: writing takes milliseconds."""
_NOTE = "# What people taught Fathom, one entry each. `fathom teach DATABASE --undo ID` removes one.\n"


class LessonNotFound(FathomError):
    """There is no such lesson, or it was undone before."""

    def __init__(self, id: str) -> None:  # noqa: A002, as it is called everywhere
        self.id = id
        super().__init__(f"There is no lesson {id!r}. `fathom teach DATABASE` lists those that there are.")


class LessonContradicted(FathomError):
    """Something was taught meanwhile that says otherwise."""

    def __init__(self, other: "Lesson") -> None:
        self.other = other
        super().__init__(f"Meanwhile this was taught, which says otherwise: {other.text}. Try it again.")


class LessonKind(StrEnum):
    """The kinds of lessons: a solved question, another word for something, a word for a value or for a
    condition, or a rule.
    """

    EXAMPLE, SYNONYM, VALUE, CONVENTION = "example", "synonym", "value", "convention"
    CONDITION = "condition"


class Lesson(Part):
    """One thing that a person taught about a database.

    `by` is who taught it, and `answer` the id of the answer that it was taught from, where these are known;
    `pack` is what it adds to the knowledge.
    """

    id: str = Field(default_factory=lambda: secrets.token_hex(4))
    kind: LessonKind
    taught: datetime = Field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    by: str = ""
    answer: str = ""
    pack: KnowledgePack

    @property
    def text(self) -> str:  # noqa: PLR0911, a table of kinds reads best as one
        """The lesson in words, on one line."""
        match self.kind:
            case LessonKind.EXAMPLE:
                (example,) = self.pack.examples
                return f"“{example.question}” is answered by: {' '.join(example.sql.split())}"
            case LessonKind.CONVENTION:
                return self.pack.conventions[0].rule
            case LessonKind.VALUE:
                (term,) = self.pack.glossary
                return f"“{term.term}” is the value {term.value!r} of {term.column}"
            case LessonKind.CONDITION:
                (term,) = self.pack.glossary
                return f"“{term.term}”, said of {', '.join(term.tables)}, is {term.condition}"
        for table, note in self.pack.tables.items():
            for column, about in note.columns.items():
                return f"“{about.synonyms[0]}” is {table}.{column}"
            return f"“{note.synonyms[0]}” is {table}"
        return ""

    @property
    def claim(self) -> tuple[str, str]:
        """The lesson's subject, and its statement: two lessons about one subject should state the same."""
        match self.kind:
            case LessonKind.EXAMPLE:
                (example,) = self.pack.examples
                return f"question {_folded(example.question)}", example.sql
            case LessonKind.CONVENTION:
                (rule,) = self.pack.conventions
                return f"rule {_folded(rule.rule)}", repr((rule.when, rule.adds))
            case LessonKind.VALUE:
                (term,) = self.pack.glossary
                return f"word {_folded(term.term)}", repr((term.column, term.value))
            case LessonKind.CONDITION:
                (term,) = self.pack.glossary
                return f"word {_folded(term.term)}", repr((term.tables, term.condition))
        ((table, note),) = self.pack.tables.items()
        for column, about in note.columns.items():
            return f"word {_folded(about.synonyms[0])}", repr((table, column))
        return f"word {_folded(note.synonyms[0])}", repr((table,))

    @property
    def trial(self) -> str:
        """A question with the word of a condition, to try it in; "" for other lessons."""
        if self.kind is not LessonKind.CONDITION:
            return ""
        (term,) = self.pack.glossary
        return f"How many {plural(term.tables[0].replace('_', ' '))} are {term.term}?"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" ?.!")


def contradicted(lessons: Iterable[Lesson], lesson: Lesson) -> tuple[Lesson, ...]:
    """Those that say something else about the same thing than this one does."""
    about, said = lesson.claim
    return tuple(one for one in lessons if one.claim[0] == about and one.claim[1] != said)


def solved(question: str, sql: str) -> Lesson:
    """A question with the query that answers it."""
    example = SolvedExample(question.strip(), sql.strip(), source="taught")
    return Lesson(kind=LessonKind.EXAMPLE, pack=KnowledgePack(examples=(example,)))


def synonym(word: str, table: str, column: str = "") -> Lesson:
    """Another word for a table, or for a column of it."""
    if column:
        note = TableNote(columns={column: ColumnNote(synonyms=(_named(word),))})
    else:
        note = TableNote(synonyms=(_named(word),))
    return Lesson(kind=LessonKind.SYNONYM, pack=KnowledgePack(tables={table: note}))


def value_name(word: str, table: str, column: str, value: str) -> Lesson:
    """A word for one stored value of a column."""
    term = Term(term=_named(word), column=f"{table}.{column}", value=value)
    return Lesson(kind=LessonKind.VALUE, pack=KnowledgePack(glossary=(term,)))


def condition_name(word: str, *, tables: Sequence[str], condition: str) -> Lesson:
    """A word for a condition on the rows of tables. Raises `InputError` for what is no condition."""
    try:
        term = Term(term=_named(word), tables=tuple(tables), condition=condition)
    except ValidationError as error:
        raise InputError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    return Lesson(kind=LessonKind.CONDITION, pack=KnowledgePack(glossary=(term,)))


def convention(rule: str, *, tables: Sequence[str], condition: str, words: Iterable[str] = ()) -> Lesson:
    """A rule in words, and the SQL condition that it adds where one of the tables is asked.

    With `words` only where the question holds one of them. Raises `InputError` for what is no condition.
    """
    try:
        made = Convention(
            name=f"taught-{secrets.token_hex(3)}",
            rule=rule,
            when=When(tables=tuple(tables), words=tuple(words)),
            adds=Adds(conditions=(condition,)),
        )
    except ValidationError as error:
        raise InputError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    return Lesson(kind=LessonKind.CONVENTION, pack=KnowledgePack(conventions=(made,)))


def _named(word: str) -> str:
    if not (named := " ".join(word.split())):
        raise InputError("there is no word to learn")
    return named


class LessonFile:
    """The lessons in a file. Several processes may write to it."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def mark(self) -> tuple[int, int] | None:
        """Another one whenever the file was written anew; None where there is none."""
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """The lessons in the file, the oldest first. Raises `InputError` for a file that is damaged."""
        try:
            content = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(f"the lessons can't be read: {error}", file=self.file) from error
        return read_lessons(content, self.file)

    def add(self, lesson: Lesson, *, known: Collection[str] | None = None) -> Lesson:
        """Keep a lesson, unless one that says the same is kept already; the one that is kept.

        `known` are the ids of those that it was tried with. Raises `LessonContradicted` where another one
        says otherwise, and `ConfigError` where the file can't be written.
        """
        kept = [lesson]

        def with_it(lessons: list[Lesson]) -> list[Lesson]:
            if same := [one for one in lessons if one.claim == lesson.claim]:
                kept[:] = same
                return lessons
            others = [one for one in lessons if known is not None and one.id not in known]
            for other in contradicted(others, lesson):
                raise LessonContradicted(other)
            return [*lessons, lesson]

        self._change(with_it)
        return kept[0]

    def difference(self, lesson: Lesson) -> tuple[str, ...]:
        """The lines that keeping a lesson adds to the file, those around them, and a sign before each."""
        lessons = self.lessons
        before, after = (_as_yaml(some).splitlines() for some in (lessons, [*lessons, lesson]))
        changed = list(unified_diff(before if lessons else [], after, n=3, lineterm=""))[2:]
        return tuple(line for line in changed if not line.startswith("@@"))

    def remove(self, id: str) -> Lesson:  # noqa: A002
        """Undo a lesson. Raises `LessonNotFound`, and `ConfigError` where the file can't be written."""
        found: list[Lesson] = []

        def without(lessons: list[Lesson]) -> list[Lesson]:
            found.extend(lesson for lesson in lessons if lesson.id == id)
            if not found:
                raise LessonNotFound(id)
            return [lesson for lesson in lessons if lesson.id != id]

        self._change(without)
        return found[0]

    def _change(self, change: Callable[[list[Lesson]], list[Lesson]]) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.file}.lock", timeout=LONGEST_WAIT):
                write_whole(self.file, _NOTE + _as_yaml(change(list(self.lessons))))
        except (OSError, Timeout) as error:
            raise ConfigError(f"The lesson can't be kept in {self.file}: {error}.") from error


def lesson_file(database: str, settings: Settings) -> LessonFile:
    """The file of the lessons about a database, by its path, URL or name; it need not be there."""
    return LessonFile(taught_in(database, settings))


def read_lessons(content: Any, file: Path) -> tuple[Lesson, ...]:
    """The lessons in the content of a file. Raises `InputError` where it holds something else."""
    try:
        return TypeAdapter(tuple[Lesson, ...]).validate_python((content or {}).get("lessons", ()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(f"this is no lesson: {first['msg']}", file=file, field=field) from error
    except AttributeError:
        raise InputError("there are no lessons in it", file=file) from None


def pack_of(lessons: Iterable[Lesson], file: Path) -> KnowledgePack:
    """Lessons as one pack, later ones on top."""
    merged = KnowledgePack().merge(*(lesson.pack for lesson in lessons))
    return merged.model_copy(update={"name": file.stem, "sources": (str(file),)})


def _as_yaml(lessons: Sequence[Lesson]) -> str:
    always = {"id", "taught"}  # made when the lesson was, so never the default
    written = [
        lesson.model_dump(mode="json", include=always) | lesson.model_dump(mode="json", exclude_defaults=True)
        for lesson in lessons
    ]
    return _dump({"lessons": written})


def pack_as_yaml(pack: KnowledgePack) -> str:
    """A pack as text to paste into an expert's file."""
    return _dump(pack.model_dump(mode="json", exclude_defaults=True))


def _dump(content: Any) -> str:
    text: str = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=100)
    return text
