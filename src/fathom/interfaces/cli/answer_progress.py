"""A sign of life while an answer is looked for: it may take indexing values, or learning from examples."""

import asyncio
import time

from fathom.answering import Conversation
from fathom.answering.audit_log import logging_as
from fathom.interfaces.cli.display import notices, plain
from fathom.records import Answer
from fathom.watch import Event

LINE_SECONDS = 3.0
"""Between two lines in a pipe or a file: most questions are answered before the first."""
LOOKING = "Looking for the answer; the first question about a database takes longest"


def watched_answer(talk: Conversation, question: str, evidence: str = "") -> Answer:
    """The answer to the next question of a conversation, with the step that it is at shown meanwhile."""
    lines = _Lines()
    with notices.status(f"{LOOKING} ...") as status:

        def show(event: Event) -> None:
            if event.state == "ended":
                return
            if notices.is_terminal:
                status.update(plain(_told(event)))
            else:
                lines.tell(event)

        talk.asking = talk.asking.watched(show)
        with logging_as("command line"):
            return asyncio.run(talk.answer(question, evidence=evidence))


class _Lines:
    """Lines where there is no terminal: one now and then, as long as there is something to wait for."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, event: Event) -> None:
        """Print where the answer is, if the last line was some time ago."""
        if time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            notices.print(plain(_told(event)), soft_wrap=True)


def _told(event: Event) -> str:
    """Where the answer is: the step, and of a long one how far it is."""
    counted = f" ({event.done + 1} of {event.total})" if event.done is not None and event.total else ""
    return f"{LOOKING}: {event.text or event.step}{counted} ..."
