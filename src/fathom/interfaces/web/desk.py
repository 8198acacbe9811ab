"""Where people's work is done: its file, their queries, and the machine that settles behind their backs."""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.records import Person
from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.config import Settings
from fathom.errors import FathomError

log = logging.getLogger("fathom.web")


class Desk:
    """The file of people's work, opened when it is first needed. Safe to use from threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.bench = Workbench(settings)
        self._reviews: Reviews | None = None
        self._lock = Lock()
        self._machine = ThreadPoolExecutor(1, "review")
        self._queued: set[str] = set()

    @property
    def reviews(self) -> Reviews:
        """The file. Raises `ConfigError` where it can't be used."""
        with self._lock:
            if self._reviews is None:
                self._reviews = Reviews(self._settings.review)
            return self._reviews

    @property
    def is_used(self) -> bool:
        """True if there is any such work."""
        return self._reviews is not None or self._settings.review.exists()

    def person_of(self, token: str) -> Person | None:
        """Whose token this is."""
        return self.reviews.person_of(token) if self.is_used else None

    def logged_in(self, secret: str) -> Person | None:
        """Who is logged in with the secret of a cookie."""
        return self.reviews.logged_in(secret) if self.is_used else None

    def begin(self) -> None:
        """Go on with what waited when the server ended."""
        if self.is_used:
            self.advance([project.id for project in self.reviews.projects()])

    def advance(self, projects: Sequence[str]) -> None:
        """Settle what people have spoken on, soon: whoever has just said something needn't wait for it."""
        for project in projects:
            with self._lock:
                if project in self._queued:
                    continue
                self._queued.add(project)
            self._machine.submit(self._advance, project)

    def _advance(self, project: str) -> None:
        with self._lock:
            self._queued.discard(project)
        try:
            advance(self.reviews, self.bench, self.reviews.project(project))
        except FathomError as error:  # the next time, or `fathom review export`, tries again
            log.warning("the items of %s can't be settled now: %s", project, error)
        except Exception:
            log.exception("the items of %s can't be settled", project)

    def close(self) -> None:
        """Finish what is being settled, and close the file."""
        self._machine.shutdown(cancel_futures=True)
        self.bench.close()
        if self._reviews is not None:
            self._reviews.close()
