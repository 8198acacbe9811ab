"""Questions of several servers over one store: seen and stopped from each, taken over from a dead one."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from fathom.answering.store import Origin, Standing, StoredQuestion
from fathom.interfaces.web.jobs import JobProgress, Jobs, StepLine
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.work import asked_again, work_on
from fathom.records import Answer

log = logging.getLogger("fathom.web")
_EVERY = 0.5
"""Seconds between two looks at the store: how late other servers see a step, and a stop is heeded."""
_STILL_HERE = 10.0


class SharedJobs:
    """The questions of a site, whichever server works on them."""

    def __init__(self, site: Site, jobs: Jobs[Answer]) -> None:
        self._site, self._jobs, self._shared = site, jobs, site.store.shared
        self._told: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Take over what a dead server left, and from here on look at the store every half a second."""
        await self._look()
        self._task = asyncio.create_task(self._keep_looking())

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def progress(self, id: str) -> JobProgress | None:
        """Where a question stands that isn't finished; None for others, or where nothing was told yet."""
        if (own := self._jobs.progress(id)) is not None:
            return own
        told = self._shared.told(id)
        if told is None:
            return None
        status, text = told
        if not text:
            return JobProgress(0, status, (), 0.0)
        found: dict[str, Any] = json.loads(text)
        steps = tuple(StepLine(**step) for step in found.pop("steps"))
        return JobProgress(**{**found, "status": status, "steps": steps})

    async def watch(self, id: str, after: int = -1) -> AsyncIterator[JobProgress | None]:
        """As `Jobs.watch`, of a question of any server."""
        if self._jobs.progress(id) is not None:
            async for own in self._jobs.watch(id, after):
                yield own
            return
        last, quiet = None, time.monotonic()
        while (now := await asyncio.to_thread(self.progress, id)) is not None and not now.is_over:
            if now != last:
                last, quiet = now, time.monotonic()
                yield now
            elif time.monotonic() - quiet > _STILL_HERE:
                quiet = time.monotonic()
                yield None
            await asyncio.sleep(_EVERY)

    def cancel(self, id: str) -> bool:
        """Stop work on a question; whether there was any to stop. Another server's heeds it in a second."""
        return self._jobs.cancel(id) or self._shared.stop(id)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            try:
                await self._look()
            except Exception:  # a store that is locked for long is there again later
                log.exception("the store can't be looked at")

    async def _look(self) -> None:
        ids = self._jobs.unfinished()
        if ids:
            for one in await asyncio.to_thread(self._shared.to_stop, ids):
                self._jobs.cancel(one)
            await self._tell(ids)
        self._told = {one: number for one, number in self._told.items() if one in ids}
        for entry in await asyncio.to_thread(self._taken):
            self._go_on(entry)

    async def _tell(self, ids: list[str]) -> None:
        for one in ids:
            now = self._jobs.progress(one)
            if now is not None and not now.is_over and self._told.get(one) != now.number:
                self._told[one] = now.number
                await asyncio.to_thread(self._shared.tell, one, json.dumps(asdict(now)))

    def _taken(self) -> list[StoredQuestion]:
        store = self._site.store
        found = map(store.find, self._shared.take_over(self._site.databases))
        return [entry for entry in found if entry is not None]

    def _go_on(self, entry: StoredQuestion) -> None:
        if (
            entry.origin is Origin.CHOSEN
        ):  # a click on a reading, whose answer stands with the question before
            self._site.store.fail(entry.id, Standing.INTERRUPTED, "Choose the reading again.", seconds=0.0)
            return
        log.warning("answer %s goes on here: its server has ended", entry.id)
        asked = asked_again(self._site, entry)
        self._jobs.start(entry.id, lambda watch: work_on(self._site, asked, entry, watch))
