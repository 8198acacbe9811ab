"""Several questions in a row: follow-ups edit the query before, or name the words they can't read."""

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from fathom.answering.audit_log import logged_answer
from fathom.answering.chart import chart_for
from fathom.answering.conversation_file import read_conversation, write_conversation
from fathom.answering.faults import kept_fault
from fathom.answering.followup import completions, edit_follow_up, standing, wants_chart
from fathom.answering.markdown import conversation_as_markdown
from fathom.answering.pipeline import answer
from fathom.answering.preparation import WITHOUT_MODEL, Asking, AskOptions, prepared
from fathom.answering.recall import recalled
from fathom.answering.sync import wait
from fathom.databases import Database
from fathom.errors import ConnectionFailed, FathomError, InputError, RightsError
from fathom.records import Answer, Assumption, Ending, Question, Reading, Refusal
from fathom.records.display import Displayed
from fathom.text.inflection import quoted_list

if TYPE_CHECKING:
    from fathom.offline.followups import FollowedUp

EDITED_RIGHT = 0.8
"""How sure an edit is of itself, on top of the answer that it edits."""


class Conversation(Displayed):
    """Asks one database several questions, and remembers what was asked.

    A follow-up edits the query that answered the question before, and its answer says first how it was read.
    Where no edit accounts for all its words the offline method declines it, and others get a whole question.
    Readings of an unsure answer are chosen by number.
    `answers` are those given so far, the oldest first; `whole` is the question that a short one completes.
    """

    def __init__(
        self,
        database: str | Path | Database | Asking,
        answers: Iterable[Answer] = (),
        **options: Unpack[AskOptions],
    ) -> None:
        """Open the database, as `ask` does, until `close`; one that is open already stays open.

        It goes on after `answers`, if there are any. What `prepare` made takes no options. Raises what
        `prepare` raises, and `ConnectionFailed`.
        """
        self.answers = list(answers)
        self._held = ExitStack()
        if not isinstance(database, Asking):
            database = self._held.enter_context(prepared(database, **options))
        self.asking = database
        self.whole = (self.last.whole or self.last.question.text) if self.last else ""

    @classmethod
    def load(
        cls, file: str | Path, database: str | Path | Database | Asking, **options: Unpack[AskOptions]
    ) -> Self:
        """A conversation that goes on from where `save` wrote it. Raises `InputError` for another file."""
        whole, answers = read_conversation(Path(file))
        talk = cls(database, answers, **options)
        talk.whole = whole
        return talk

    def save(self, file: str | Path) -> None:
        """Write it as the file's ending says: `.json` to go on from with `load`, `.md` to read.

        Raises `InputError` for another ending, or a file that can't be written.
        """
        write_conversation(Path(file), self.asking.database.name, self.whole, self.answers)

    def markdown(self) -> str:
        """All questions and answers as Markdown, with SQL and rows."""
        return conversation_as_markdown(f"Questions to {self.asking.database.name}", self.answers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what was opened for the conversation; its answers stay."""
        self._held.close()

    @property
    def last(self) -> Answer | None:
        """The answer given last."""
        return self.answers[-1] if self.answers else None

    def ask(self, text: str, *, evidence: str = "") -> Answer:
        """Answer the next question, as `answer` does, from code that isn't asynchronous."""
        return wait(self.answer(text, evidence=evidence))

    def choose(self, number: int) -> Answer:
        """The answer by a reading of the last one, counted from 1. Raises `InputError` for no such."""
        if self.last is None:
            raise InputError("nothing was asked yet, so there is nothing to choose")
        return self._added(self.last.choose(number))

    async def answer(self, text: str, *, evidence: str = "") -> Answer:
        """Answer the next question, a follow-up, or the number of a reading of an unsure answer.

        An error that Fathom didn't foresee is told as a refusal with `fault`, its traceback kept in a file;
        the conversation stays as it was. Raises as `ask` does.
        """
        question = Question(text, evidence=evidence)
        question.check_length()
        asking, before = self.asking, (tuple(self.answers), self.whole)
        try:
            return await logged_answer(self._answer(text, evidence), text, asking.database, asking.model_name)
        except BaseException as error:
            self.answers[:], self.whole = before
            if isinstance(error, FathomError) or not isinstance(error, Exception):
                raise
            fault = str(kept_fault(error, during=f"{text!r} of {asking.database.name}"))
            refusal = Refusal(fault, fault=True)
            return Answer(question, fault, refusal=refusal, method=asking.method.name, whole=self.whole)

    async def _answer(self, text: str, evidence: str) -> Answer:
        number = text.strip().strip("().")
        if self.last and self.last.readings and number.isdecimal():
            return self.choose(int(number))
        question = Question(text, evidence=evidence)
        found = None
        with suppress(ConnectionFailed, RightsError):  # `answer` says it
            await asyncio.to_thread(self.asking.database.refresh)
        if self.last is not None and recalled(question, self.asking.context) is None:
            # A question solved so is no follow-up.
            found = self._as_chart(text) or await self._going_on(text, evidence)
        if found is None:
            found = self._alone(text, await answer(question, self.asking))
            self.whole = text
            # A question that has readings of its own is no follow-up for sure: these are shown.
            if found.ending is not Ending.SURE and not found.readings and standing(text) == "may follow":
                found = await self._edited(text) or found
        return self._added(found)

    async def _going_on(self, text: str, evidence: str) -> Answer | None:
        """The answer to a follow-up, or which of its words nothing accounts for; None for a whole question.

        Where no edit reads it, methods other than `offline` get the question before with its words.
        """
        stands = standing(text)
        if stands in {"follows", "rather follows"} and (edited := await self._edited(text)) is not None:
            return edited
        to_edit = self.last is not None and self.last.sql is not None
        if self.asking.method.name != WITHOUT_MODEL or not to_edit:
            return await self._completed(text, evidence)
        if stands != "follows":
            return None
        return await self._unread(text) or await self._completed(text, evidence)

    def _added(self, given: Answer) -> Answer:
        self.answers.append(given)
        return given

    def _as_chart(self, text: str) -> Answer | None:
        """The answer before once more, with the chart that it has."""
        before = self.last
        if before is None or before.shown is None or not wants_chart(text):
            return None
        chart = before.chart or chart_for(before.shown, before.question.text)
        question = Question(text)
        if chart is None:
            reason = (
                "I can't draw these rows as a chart: it needs a number for each of several things or times."
            )
            refusal = Refusal(reason)
            return Answer(question, f"I don't know. {reason}", refusal=refusal, whole=self.whole)
        return replace(before, question=question, chart=chart, whole=self.whole)

    async def _edited(self, text: str) -> Answer | None:
        """The answer by the query before, edited as the text says; what the edit came to is told first."""
        before, made = self.last, await self._edit(text)
        if before is None or made is None or made.sql is None:
            return None
        given = await answer(Question(text), self.asking, reading=Reading(made.told, made.sql))
        if given.ending is not Ending.SURE:
            return None
        taken = Assumption("default", f"I took this as: {made.told}.")
        sure = None if before.confidence is None else before.confidence * EDITED_RIGHT
        assumptions = tuple(dict.fromkeys((taken, *made.assumptions, *given.assumptions)))
        return replace(given, assumptions=assumptions, confidence=sure, whole=self.whole)

    async def _unread(self, text: str) -> Answer | None:
        """That nothing accounts for words of a follow-up; None where the query can't be edited at all."""
        before, made = self.last, await self._edit(text)
        if before is None or made is None or not made.editable:
            return None
        words = quoted_list(made.unread, "or")
        lacks = f"nothing there matches {words}" if words else "I can't tell what to change there"
        reason = (
            f"I took this as a follow-up to “{before.question.text}”, but {lacks}. "
            "Say it in other words, or ask a whole question."
        )
        question, refusal = Question(text), Refusal(reason, made.unread)
        told = f"I don't know. {reason}"
        return Answer(question, told, refusal=refusal, method=before.method, whole=self.whole)

    async def _edit(self, text: str) -> "FollowedUp | None":
        """The query made of the one before; None where there is none."""
        known, before = self.asking.context, self.last
        if before is None or before.sql is None:
            return None
        return await asyncio.to_thread(
            edit_follow_up, text, before.sql, known.database, known.knowledge, known.cache
        )

    async def _completed(self, text: str, evidence: str) -> Answer | None:
        """The question before completed by the text, where that makes a question that is answered."""
        whole = completions(text, self.whole) if self.whole else ()
        tried = [await answer(Question(w, evidence=evidence), self.asking, reasons=False) for w in whole]
        answered = [a for a in tried if a.ending is Ending.SURE]
        if not answered:
            return None
        best = max(answered, key=lambda a: a.confidence or 0.0)
        self.whole = best.question.text
        read_as = Assumption("default", f"Read as a follow-up: “{best.question.text}”.")
        return replace(best, assumptions=(read_as, *best.assumptions))

    def _alone(self, text: str, given: Answer) -> Answer:
        """The answer to a text by itself, where nothing of the answer before it is lost by that.

        Nothing follows a question without an answer: an edit would change an older one, and what points back
        to it isn't answered by itself. Else it is said that nothing of the question before holds.
        """
        before, stands = self.last, standing(text)
        if before is None or stands not in {"follows", "rather follows"}:
            return given
        if before.ending is Ending.SURE:
            if given.ending is not Ending.SURE:
                return given
            told = f"Taken as a new question: nothing of “{before.question.text}” carries over."
            alone = Assumption("default", told)
            return replace(given, assumptions=(alone, *given.assumptions))
        if stands != "follows":
            return given
        hint = "Choose one of its readings first, or ask" if before.readings else "Ask"
        unanswered = f"the question before it, “{before.question.text}”, had no answer."
        told = f"This looks like a follow-up, but {unanswered} {hint} a whole question."
        if given.refusal is None:
            refusal = Refusal(told)
            return Answer(given.question, f"I don't know. {told}", refusal=refusal, method=given.method)
        told = f"{given.refusal.reason} {told}"
        return replace(given, text=f"I don't know. {told}", refusal=replace(given.refusal, reason=told))
