"""Several questions in a row: follow-ups are completed from the question before, choices taken up."""

from dataclasses import replace

from fathom.answering.asking import Asking, answer
from fathom.answering.followup import completions
from fathom.records import Answer, Assumption, Question


class Conversation:
    """Asks one database, and remembers what was asked.

    Only the last question that was answered, or asked back, counts: a follow-up is completed from its words,
    and what the answer took it to mean is among its assumptions.
    """

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.answers: list[Answer] = []

    async def ask(self, text: str, *, evidence: str = "") -> Answer:
        """Answer the next question; the number of a reading chooses it where the last answer asked back."""
        given = await self._choice(text) or await self._follow_up(text, evidence)
        given = given or await answer(Question(text, evidence=evidence), self.asking)
        self.answers.append(given)
        return given

    async def _choice(self, text: str) -> Answer | None:
        readings = self.answers[-1].readings if self.answers else ()
        chosen = text.strip().strip("().")
        if not (chosen.isdecimal() and 1 <= int(chosen) <= len(readings)):
            return None
        return await answer(self.answers[-1].question, self.asking, reading=readings[int(chosen) - 1])

    async def _follow_up(self, text: str, evidence: str) -> Answer | None:
        previous = next((a.question for a in reversed(self.answers) if not a.refusal), None)
        whole = completions(text, previous.text) if previous else ()
        tried = [await answer(Question(w, evidence=evidence), self.asking) for w in whole]
        answered = [a for a in tried if a.refusal is None]
        if not answered:
            return None
        best = max(answered, key=lambda a: a.confidence or 0.0)
        read_as = Assumption("default", f"Read as a follow-up: {best.question.text!r}.")
        return replace(best, assumptions=(read_as, *best.assumptions))
