"""State that servers over one file share: the progress of questions, requests to stop, and the sessions."""

import hashlib
import time
from collections.abc import Collection, Sequence

from fathom.answering.store.file import StoreFile, sessions_since, stamp
from fathom.answering.store.records import Standing
from fathom.answering.store.workers import WORKER, Workers

UNFINISHED_ROWS = "status IN ('waiting', 'working')"
MOST_RUNS = 2
"""How often work on a question is begun: what ended two processes might end the next one too."""
_ENDED = "Fathom ended before there was an answer. Ask again."
_NOBODY = ("", "mcp")
_MINUTE = 60.0


class SharedWork:
    """The part of the store that several servers share. Safe to use from threads."""

    def __init__(self, file: StoreFile, user: str = "") -> None:
        self._file, self._user = file, user
        self._workers = Workers(file.path)

    # Questions

    def take_over(self, databases: Collection[str]) -> Sequence[str]:
        """The ids of questions of these databases whose process has ended; from here on they are ours.

        Those on which work was begun twice are told as interrupted instead. A user's questions are left to
        that user's site, which asks in their name; who asked by an assistant isn't known, so that in a
        user's file such a question is told as interrupted, too.
        """
        taken: list[str] = []
        with self._file.writing():
            unfinished = self._file.rows(
                "SELECT id, worker, database, runs, asked_by FROM answer "
                f"WHERE {UNFINISHED_ROWS} AND worker <> ? ORDER BY number",
                WORKER,
            )
            dead = {w for w in {row["worker"] for row in unfinished} if not self._workers.lives(w)}
            for row in (row for row in unfinished if row["worker"] in dead):
                if row["runs"] >= MOST_RUNS or (self._user and row["asked_by"] in _NOBODY):
                    self._file.rows(
                        "UPDATE answer SET status = ?, says = ?, progress = '' WHERE id = ?",
                        Standing.INTERRUPTED,
                        _ENDED,
                        row["id"],
                    )
                elif row["database"] in databases and (not self._user or row["asked_by"] == self._user):
                    self._file.rows(
                        "UPDATE answer SET worker = ?, status = ?, progress = '' WHERE id = ?",
                        WORKER,
                        Standing.WAITING,
                        row["id"],
                    )
                    taken.append(row["id"])
        return taken

    def hand_over(self, id: str) -> bool:  # noqa: A002
        """Leave a question of ours to the other servers, as this one ends; False where there are none."""
        if not self._workers.others():
            return False
        with self._file.writing():
            self._file.rows(
                # The run that ends here was no fault of the question's.
                "UPDATE answer SET worker = '', status = ?, runs = max(runs - 1, 0) "
                f"WHERE id = ? AND worker = ? AND {UNFINISHED_ROWS}",
                Standing.WAITING,
                id,
                WORKER,
            )
        return True

    def stop(self, id: str) -> bool:  # noqa: A002
        """Ask whoever works on a question to stop; False where it is finished, or not there."""
        with self._file.writing():
            found = self._file.rows(
                f"UPDATE answer SET is_stopped = 1 WHERE id = ? AND {UNFINISHED_ROWS} RETURNING id", id
            )
        return bool(found)

    def to_stop(self, ids: Collection[str]) -> set[str]:
        """Those of our questions that somebody wants stopped, or has deleted."""
        marks = ", ".join("?" * len(ids))
        kept = self._file.rows(f"SELECT id FROM answer WHERE id IN ({marks}) AND NOT is_stopped", *ids)
        return set(ids) - {row["id"] for row in kept}

    def tell(self, id: str, progress: str) -> None:  # noqa: A002
        """Say how far a question of ours is."""
        with self._file.writing():
            self._file.rows(
                f"UPDATE answer SET progress = ? WHERE id = ? AND worker = ? AND {UNFINISHED_ROWS}",
                progress,
                id,
                WORKER,
            )

    def told(self, id: str) -> tuple[str, str] | None:  # noqa: A002
        """The status of a question that isn't finished, and what was told of it last, maybe ""."""
        found = self._file.rows(f"SELECT status, progress FROM answer WHERE id = ? AND {UNFINISHED_ROWS}", id)
        return (found[0]["status"], found[0]["progress"]) if found else None

    # Who is let in, and how often

    def begin_user_session(self, secret: str, user: str, token: str) -> None:
        """Let the browser of a user in that shows this secret; only its digest is kept, and the token's."""
        with self._file.writing():
            self._file.rows(
                "INSERT OR IGNORE INTO user_session (digest, user, begun_at, token) VALUES (?, ?, ?, ?)",
                *(digest(secret), user, stamp(), digest(token)),
            )

    def user_of_session(self, secret: str) -> tuple[str, str] | None:
        """Whose session has this secret, and the digest of the token that it was begun with.

        None where there is no such session, or it has ended by its age.
        """
        found = self._file.rows(
            "SELECT user, token FROM user_session WHERE digest = ? AND begun_at > ?",
            *(digest(secret), sessions_since()),
        )
        return (found[0]["user"], found[0]["token"]) if found else None

    def allows(self, name: str, most: int) -> bool:
        """Count one more question under a name; True if there are at most `most` of them a minute."""
        now, known = time.time(), digest(name)
        with self._file.writing():
            # Those of a clock that was set back would count for ever.
            self._file.rows("DELETE FROM begun WHERE at < ? OR at > ?", now - _MINUTE, now + _MINUTE)
            [(count,)] = self._file.rows("SELECT count(*) FROM begun WHERE name = ?", known)
            if count >= most:
                return False
            self._file.rows("INSERT INTO begun VALUES (?, ?)", known, now)
        return True


def digest(secret: str) -> str:
    """The hash under which a secret is kept."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
