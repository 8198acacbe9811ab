"""The scheduler: asks saved questions when they are due, and sends what their schedules wait for."""

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic
from urllib.parse import urlsplit

from fathom.answering.saved_queries import query_of
from fathom.answering.store import KeptAnswer, Origin, Saved
from fathom.answering.store.schedules import Schedule, Sending
from fathom.errors import FathomError
from fathom.interfaces.web.delivery import DeliveryFailed, DeliveryUnknown, Letter, deliver, is_mail
from fathom.interfaces.web.jobs import Jobs
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.work import AnswerJob, work_on
from fathom.records import Answer, Ending, Question
from fathom.text import without_secrets

log = logging.getLogger("fathom.web")
_EVERY = 2.0
"""Seconds between two looks at what is due."""
_FINISHING = 5.0
"""Seconds that a server which ends waits for what is being sent."""
_PATIENCE = 600.0
"""Seconds until an answer is given up; what a query may take is much less."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Scheduler:
    """Works off what is due, one after the other. Several servers over one store share the work."""

    def __init__(self, site: Site, jobs: Jobs[Answer]) -> None:
        self._site, self._jobs, self._schedules = site, jobs, site.store.schedules
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def begin(self) -> None:
        """Look for what is due from here on, where the settings name a destination."""
        if self._site.settings.destinations:
            self._task = asyncio.create_task(self._keep_looking())

    async def close(self) -> None:
        """Look no more: finish what is being sent, and leave the rest to the next server."""
        self._ending.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_FINISHING)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_looking(self) -> None:
        while not self._ending.is_set():
            try:
                await asyncio.to_thread(self._schedules.make_due, datetime.now(UTC))
                while not self._ending.is_set() and (sending := await asyncio.to_thread(self._claimed)):
                    await self._work(sending)
            except Exception:  # were the loop to end, nothing would be sent until the next start, unnoticed
                log.exception("what is due can't be sent now")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _EVERY)

    def _claimed(self) -> Sending | None:
        return self._schedules.claim(datetime.now(UTC))

    async def _work(self, sending: Sending) -> None:
        """Bring a sending of ours to an end, or put it off."""
        schedule = self._schedules.get(sending.schedule)
        if schedule is None:
            return
        try:
            await self._send(schedule, sending)
        except DeliveryUnknown as error:
            self._schedules.end(sending.key, "unknown", str(error))
        except DeliveryFailed as error:
            if error.retryable:
                self._schedules.put_off(sending, str(error))
            else:
                self._schedules.end(sending.key, "failed", str(error))
        except FathomError as error:
            self._schedules.put_off(sending, without_secrets(str(error)), anew=True)
        except Exception:  # a fault of one answer must not hold up the others behind it
            log.exception("%s can't be sent", sending.key)
            why = "Something went wrong here. The log of the server tells more."
            self._schedules.put_off(sending, why, anew=True)

    async def _send(self, schedule: Schedule, sending: Sending) -> None:
        address = self._site.settings.destinations.get(schedule.destination)
        if address is None:
            why = f"The settings name no destination {schedule.destination!r} any more."
            raise DeliveryFailed(why, retryable=False)
        if sending.state == "sending" and is_mail(address):
            raise DeliveryUnknown("Fathom ended while the mail was sent: it may have arrived.")
        saved = self._site.store.saved(schedule.saved)
        kept = await self._answered(saved, sending)
        if kept.answer is None or kept.answer.ending is not Ending.SURE:
            raise FathomError(f"There was no answer: {kept.says}")
        if not is_met(schedule, kept.answer):
            self._schedules.end(sending.key, "quiet")
            return
        letter = Letter(sending.key, saved.title, kept.answer, self._address(kept))

        def handing_over() -> None:
            if not self._schedules.begin_sending(sending.key):
                raise DeliveryFailed("It was removed, or another server has it.", retryable=False)

        await asyncio.to_thread(deliver, letter, address, self._site.settings, handing_over)
        self._schedules.end(sending.key, "sent")

    async def _answered(self, saved: Saved, sending: Sending) -> KeptAnswer:
        """The answer that a sending is about: one that was found before its process ended, or a new one."""
        store = self._site.store
        entry = store.find(sending.answer) if sending.answer else None
        if entry is None:
            database = await asyncio.to_thread(self._site.database, saved.entry.database)
            sql = query_of(saved, database.dialect)
            key = f"{sending.key} {sending.attempt}"
            asked = AnswerJob(sql, client="schedule")
            entry, is_new = store.begin(
                Question(saved.title), saved.entry.database, origin=Origin.EDITED, sql=sql, key=key
            )
            self._schedules.answered(sending.key, entry.id)
            if is_new:
                begun = entry
                self._jobs.start(
                    entry.id, lambda watch: work_on(self._site, asked, begun, watch), behind=True
                )
        until = monotonic() + _PATIENCE
        while not (kept := store.get(entry.id)).is_finished:
            if monotonic() > until:
                raise FathomError("There was no answer in time.")
            await asyncio.sleep(0.05)
        return kept

    def _address(self, kept: KeptAnswer) -> str:
        """The address of an answer where others can open it; "" where the server has none."""
        public = (o for o in sorted(self._site.rules.origins) if urlsplit(o).hostname not in _LOOPBACK)
        return next((f"{origin}/a/{kept.id}" for origin in public), "")


def is_met(schedule: Schedule, answer: Answer) -> bool:
    """True if an answer has what its schedule waits for: rows, or a number over or under a bound."""
    rows = answer.shown or answer.result
    if schedule.needs == "always" or rows is None:
        return schedule.needs == "always"
    if schedule.needs == "rows":
        return bool(rows.rows)
    places = [i for i, name in enumerate(rows.columns) if schedule.heading in ("", name)]
    numbers = [
        row[i] for row in rows.rows for i in places
        if not isinstance(row[i], bool) and hasattr(row[i], "__float__")
    ]  # fmt: skip
    over = schedule.needs == "over"
    return any((float(n) > schedule.bound) if over else (float(n) < schedule.bound) for n in numbers)
