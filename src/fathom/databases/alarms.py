"""One thread that minds the time of all queries: a thread for each takes longer than most queries do."""

import os
from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heappop, heappush
from threading import Condition, Thread
from time import monotonic

THREAD_NAME = "fathom-alarm"
_LOOKS = 1.0  # seconds between looks at whether any alarm is still set; without one the thread ends
_FEW = 64  # alarms that are held before those taken back are sorted out

Act = Callable[[], object]


class Alarm:
    """Something to be done at a time, unless it is taken back before."""

    __slots__ = ("act", "due")

    def __init__(self, due: float, act: Act) -> None:
        self.due = due
        self.act: Act | None = act

    def __lt__(self, other: "Alarm") -> bool:
        return self.due < other.due

    def cancel(self) -> None:
        """Take it back. What is being done already goes on."""
        self.act = None


class _Alarms:
    """The alarms of this process, and the thread that waits for them while there are any."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin without alarms, as in a forked process: it has neither this thread nor these queries."""
        self._changed = Condition()
        self._heap: list[Alarm] = []
        self._most = _FEW
        self._thread: Thread | None = None
        self._next_look = 0.0

    def set(self, seconds: float, act: Act) -> Alarm:
        alarm = Alarm(monotonic() + seconds, act)
        with self._changed:
            heappush(self._heap, alarm)
            if len(self._heap) > self._most:
                self._sort_out()
            if self._thread is None:
                thread = Thread(target=self._wait, name=THREAD_NAME, daemon=True)
                thread.start()  # it begins to work when the lock is free
                self._thread = thread
            elif alarm.due < self._next_look:
                self._next_look = alarm.due
                self._changed.notify()
        return alarm

    def _sort_out(self) -> None:
        self._heap = [alarm for alarm in self._heap if alarm.act is not None]
        heapify(self._heap)
        self._most = max(_FEW, 2 * len(self._heap))

    def _wait(self) -> None:
        with self._changed:
            while True:
                now = monotonic()
                while self._heap and self._heap[0].due <= now:
                    act = heappop(self._heap).act
                    if act is not None:
                        _do(act)
                self._sort_out()
                if not self._heap:
                    self._thread = None
                    return
                self._next_look = min(self._heap[0].due, now + _LOOKS)
                self._changed.wait(self._next_look - now)


def _do(act: Act) -> None:
    """Do it in a thread of its own: to ask a server may hang."""
    try:
        Thread(target=act, name=THREAD_NAME, daemon=True).start()
    except RuntimeError:  # no memory is left for a thread: a late alarm is better than none
        with suppress(Exception):  # the thread that minds all others' time must not end
            act()


def set_alarm(seconds: float, act: Act) -> Alarm:
    """Have something done after some seconds, in another thread."""
    return _alarms.set(seconds, act)


_alarms = _Alarms()
if hasattr(os, "register_at_fork"):  # not on every system
    os.register_at_fork(after_in_child=_alarms.begin)
