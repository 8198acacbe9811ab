"""Progress of a job as server-sent events."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any, Protocol

from fastapi.responses import StreamingResponse

from fathom.interfaces.web.html import rendered
from fathom.interfaces.web.jobs import JobProgress
from fathom.interfaces.web.routes import FAULTS

STREAMED: dict[int | str, dict[str, Any]] = {**FAULTS, 200: {"content": {"text/event-stream": {}}}}
"""How a stream of events is described."""


class Watched(Protocol):
    """Jobs whose progress can be watched."""

    def watch(self, id: str, after: int = -1) -> AsyncIterator[JobProgress | None]:
        """Where a job stands, whenever that changes; None now and then where nothing does."""


def streamed(jobs: Watched, id: str, url: str, *, last_event_id: str, as_data: bool) -> StreamingResponse:
    """The progress of a job from the change after `last_event_id` on, as fragments of a page or as JSON.

    The last event, `over`, gives the `url` of the page that shows what came of it.
    """
    after = int(last_event_id) if last_event_id.isdecimal() and last_event_id.isascii() else -1

    async def stream() -> AsyncIterator[str]:
        async for progress in jobs.watch(id, after):
            if progress is None:
                yield ": still here\n\n"
            elif not progress.is_over:
                told = (
                    json.dumps(asdict(progress)) if as_data else rendered("progress.html", progress=progress)
                )
                yield sent_event("progress", progress.number, told)
        yield sent_event("over", 1_000_000, json.dumps({"url": url}))

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def sent_event(name: str, number: int, data: str) -> str:
    """One server-sent event."""
    lines = "".join(f"data: {line}\n" for line in data.splitlines() if line.strip())
    return f"event: {name}\nid: {number}\n{lines}\n"
