"""`fathom teach`: what a person knows about a database, tried before it is kept, and undone at will."""

import asyncio
from dataclasses import dataclass
from getpass import getuser

from cyclopts import Parameter

from fathom.answering import Asking, prepare
from fathom.answering.rehearsal import LessonRehearsal, keep, rehearse, validate
from fathom.config import read_settings
from fathom.databases import connect
from fathom.errors import InputError
from fathom.interfaces.cli import DECLINED
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.options import DatabaseName
from fathom.knowledge.lessons import (
    Lesson,
    LessonFile,
    condition_name,
    convention,
    lesson_file,
    pack_as_yaml,
    pack_of,
    solved,
    synonym,
    value_name,
)
from fathom.records import Question


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Taught:
    """A thing to teach: a solved question, a word, or a rule."""

    question: str = ""
    """A question that --sql answers."""

    sql: str = ""
    """The query that answers --question."""

    word: str = ""
    """A word, explained by --means, or by --condition with --tables."""

    means: str = ""
    """The TABLE or TABLE.COLUMN that --word means."""

    value: str = ""
    """The value of the column in --means that --word means."""

    rule: str = ""
    """A rule in words; give it in SQL with --condition."""

    condition: str = ""
    """The SQL condition of the rule or the word, such as "died_on IS NULL"."""

    tables: tuple[str, ...] = ()
    """A table of the rule or the word; you can repeat this option."""

    only_with: tuple[str, ...] = ()
    """Apply the rule only to questions with this word; you can repeat this option."""

    def lesson(self) -> Lesson | None:
        """The lesson; None where nothing is taught. Raises `InputError` for one that lacks a part."""
        if self.word and self.condition and not (self.rule or self.means or self.question or self.sql):
            _need(tables="".join(self.tables))
            return condition_name(self.word, tables=self.tables, condition=self.condition)
        match (self.question or self.sql, self.word or self.means or self.value, self.rule or self.condition):
            case ("", "", ""):
                return None
            case (_, "", ""):
                _need(question=self.question, sql=self.sql)
                return solved(self.question, self.sql)
            case ("", _, ""):
                _need(word=self.word, means=self.means)
                table, _, column = self.means.rpartition(".") if "." in self.means else (self.means, "", "")
                if self.value:
                    _need(**{"means TABLE.COLUMN": column})
                    return value_name(self.word, table, column, self.value)
                return synonym(self.word, table, column)
            case ("", "", _):
                _need(rule=self.rule, condition=self.condition, tables="".join(self.tables))
                return convention(
                    self.rule, tables=self.tables, condition=self.condition, words=self.only_with
                )
        raise InputError("teach one thing at a time: a question, a word or a rule")


NOTHING = Taught()


def teach(
    database: DatabaseName,
    /,
    *,
    taught: Taught = NOTHING,
    anyway: bool = False,
    dry_run: bool = False,
    undo: str | None = None,
    as_pack: bool = False,
    json: bool = False,
) -> int:
    """Teach Fathom a question, a word or a rule about a database; without one, list what it was taught.

    Fathom first tries a lesson on its own question and on the solved questions of the packs. It keeps the
    lesson if none of them gets worse and no other lesson contradicts it, in a file next to the settings. The
    exit code is 3 if it isn't kept.

    Parameters
    ----------
    anyway
        Keep the lesson even if solved questions get worse or another lesson contradicts it.
    dry_run
        Try the lesson without keeping it.
    undo
        Remove the lesson with this id.
    as_pack
        Print the lessons as a knowledge pack, to paste into your own.
    json
        Print one JSON object: all lessons, or the new one with its effect and whether it is kept.
    """
    settings = read_settings()
    with connect(database, settings=settings) as opened:
        file = lesson_file(opened.known_as or opened.url, settings)
        if undo is not None:
            console.print(plain(f"Undone: {file.remove(undo).text}"))
            return 0
        lesson = taught.lesson()
        if lesson is None:
            _list(file, as_pack=as_pack, json=json)
            return 0
        asking = prepare(opened, settings=settings)
        lesson = lesson.model_copy(update={"by": getuser()})
        tried = _tried(asking, lesson, taught.question, file)
    kept = None if dry_run else keep(file, tried, anyway=anyway)
    if json:
        print_json(_as_json(tried, kept=kept is not None))
    else:
        _show(tried, kept, dry_run=dry_run)
    return 0 if kept or dry_run else DECLINED


def _need(**parts: str) -> None:
    if missing := [name for name, part in parts.items() if not part]:
        raise InputError(f"--{missing[0].replace('_', '-')} is missing")


def _tried(asking: Asking, lesson: Lesson, question: str, file: LessonFile) -> LessonRehearsal:
    async def work() -> LessonRehearsal:
        await validate(asking, lesson)
        asked = Question(question) if question else None
        return await rehearse(asking, lesson, asked, among=file.lessons)

    with notices.status("Asking the solved questions again ..."):
        return asyncio.run(work())


def _list(file: LessonFile, *, as_pack: bool, json: bool) -> None:
    lessons = file.lessons
    if as_pack:
        console.print(plain(pack_as_yaml(pack_of(lessons, file.file))), soft_wrap=True)
    elif json:
        print_json({"lessons": [lesson.model_dump(mode="json") for lesson in lessons]})
    elif not lessons:
        console.print("Nothing was taught about this database yet.")
    else:
        for lesson in lessons:
            by = f", {lesson.by}" if lesson.by else ""
            console.print(plain(f"{lesson.id}  {lesson.text}"), soft_wrap=True)
            console.print(plain(f"          {lesson.kind}, {lesson.taught:%Y-%m-%d}{by}"), style="dim")


def _show(tried: LessonRehearsal, kept: Lesson | None, *, dry_run: bool) -> None:
    console.print(plain(tried.lesson.text), style="bold", soft_wrap=True)
    if tried.before is not None and tried.after is not None:
        console.print(plain(f"before: {tried.before.text}"))
        console.print(plain(f"now:    {tried.after.text}"))
    console.print(f"Answers now: {tried.text}.")
    for retried in tried.broken:
        console.print(plain(f"  broken: {retried.question}"), style="yellow")
    if kept:  # the one from before, where the same was taught already
        console.print(plain(f"Kept; fathom teach DATABASE --undo {kept.id} undoes it."))
    elif not dry_run:
        told = f"Not kept, for {tried.objection}. Add --anyway to keep it all the same."
        console.print(plain(told), soft_wrap=True)


def _as_json(tried: LessonRehearsal, *, kept: bool) -> dict[str, object]:
    return {
        "lesson": tried.lesson.model_dump(mode="json", exclude_defaults=True) | {"id": tried.lesson.id},
        "kept": kept,
        "before": tried.before.text if tried.before else None,
        "after": tried.after.text if tried.after else None,
        "fixed": [r.question for r in tried.fixed],
        "broken": [r.question for r in tried.broken],
        "of": len(tried.retried),
    }
