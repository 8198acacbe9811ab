"""Several questions in a row: follow-ups edit the query before, or complete its question; choices count."""

import asyncio
from dataclasses import replace

from fathom.answering.asking import Asking, answer
from fathom.answering.followup import completions, edit_follow_up
from fathom.records import Answer, Assumption, Question, Reading


class Conversation:
    """Asks one database, and remembers what was asked.

    A follow-up edits the query that answered the question before, or else completes that question's words;
    what the answer took it to mean is the first of its assumptions.
    """

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.answers: list[Answer] = []
        self._whole: Question | None = None

    async def ask(self, text: str, *, evidence: str = "") -> Answer:
        """Answer the next question; the number of a reading chooses it where the last answer asked back."""
        given = await self._choice(text) or await self._edited(text)
        if given is None:
            given = await self._follow_up(text, evidence)
            given = given or await answer(Question(text, evidence=evidence), self.asking)
            self._whole = given.question if given.refusal is None else self._whole
        self.answers.append(given)
        return given

    async def _choice(self, text: str) -> Answer | None:
        readings = self.answers[-1].readings if self.answers else ()
        chosen = text.strip().strip("().")
        if not (chosen.isdecimal() and 1 <= int(chosen) <= len(readings)):
            return None
        return await answer(self.answers[-1].question, self.asking, reading=readings[int(chosen) - 1])

    async def _edited(self, text: str) -> Answer | None:
        """The query before, edited as the text says; what the edit came to is told first."""
        previous = next((a for a in reversed(self.answers) if a.sql and not a.refusal), None)
        if previous is None or previous.sql is None:
            return None
        context = self.asking.context
        made = await asyncio.to_thread(
            edit_follow_up, text, previous.sql, context.database, context.knowledge, context.cache
        )
        if made is None:
            return None
        given = await answer(Question(text), self.asking, reading=Reading(made.told, made.sql))
        if given.refusal is not None:
            return None
        taken = Assumption("default", f"I took this as: {made.told}.")
        return replace(given, assumptions=(taken, *given.assumptions))

    async def _follow_up(self, text: str, evidence: str) -> Answer | None:
        previous = self._whole
        whole = completions(text, previous.text) if previous else ()
        tried = [await answer(Question(w, evidence=evidence), self.asking) for w in whole]
        answered = [a for a in tried if a.refusal is None]
        if not answered:
            return None
        best = max(answered, key=lambda a: a.confidence or 0.0)
        read_as = Assumption("default", f"Read as a follow-up: {best.question.text!r}.")
        return replace(best, assumptions=(read_as, *best.assumptions))
