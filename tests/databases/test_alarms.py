"""Alarms of queries: done in time, taken back, and without a thread for each."""

import gc
import os
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.databases.alarms import THREAD_NAME, Alarm, set_alarm
from fathom.records import Limits


def alarm_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == THREAD_NAME]


def test_alarms_are_done_when_their_time_comes() -> None:
    done: list[tuple[str, float]] = []
    all_done, began = threading.Event(), time.monotonic()

    def act(name: str) -> None:
        done.append((name, time.monotonic() - began))
        if len(done) == 3:
            all_done.set()

    set_alarm(0.6, lambda: act("late"))
    set_alarm(0.0, lambda: act("at once"))  # earlier than what the thread waits for already
    set_alarm(0.3, lambda: act("soon"))
    assert all_done.wait(30)
    assert [name for name, _ in done] == ["at once", "soon", "late"]
    assert all(at >= due for (_, at), due in zip(done, (0.0, 0.3, 0.6), strict=True))


def test_one_that_hangs_keeps_no_other_waiting() -> None:
    let_go, done = threading.Event(), threading.Event()
    set_alarm(0.0, lambda: let_go.wait(30))
    set_alarm(0.1, done.set)
    assert done.wait(20)
    let_go.set()


def test_what_is_taken_back_is_not_done() -> None:
    done, later = threading.Event(), threading.Event()
    set_alarm(0.2, done.set).cancel()
    set_alarm(0.4, later.set)
    assert later.wait(30)
    assert not done.is_set()


def test_thousands_take_one_thread_and_little_memory() -> None:
    started = len(alarm_threads())
    held = [set_alarm(60, lambda: None) for _ in range(10)]
    for _ in range(5_000):
        set_alarm(60, lambda: None).cancel()
    assert len(alarm_threads()) <= max(started, 1)
    assert count_of_alarms() < 200
    for alarm in held:
        alarm.cancel()


def count_of_alarms() -> int:
    gc.collect()
    return sum(isinstance(o, Alarm) for o in gc.get_objects())


def test_the_thread_ends_when_nothing_is_left() -> None:
    set_alarm(60, lambda: None).cancel()
    for thread in alarm_threads():
        thread.join(10)
    assert not alarm_threads()
    done = threading.Event()
    set_alarm(0.0, done.set)
    assert done.wait(30)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
def test_a_forked_process_has_alarms_of_its_own() -> None:
    alarm = set_alarm(60, lambda: None)
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        done = threading.Event()
        set_alarm(0.1, done.set)
        os.write(write, b"done" if done.wait(10) else b"lost")
        os._exit(0)
    alarm.cancel()
    os.close(write)
    try:
        assert os.read(read, 4) == b"done"
    finally:
        os.close(read)
        os.waitpid(pid, 0)


def test_queries_share_the_thread_that_minds_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER)")
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    with connect(tmp_path / "t.sqlite") as database:
        database.run("SELECT 1")
        monkeypatch.setattr(threading.Thread, "start", counted)
        for number in range(50):
            assert database.run(f"SELECT {number}", Limits(seconds=30)).rows == ((number,),)
    assert len(started) < 10  # one, and another where the machine made them pause for a second


def test_what_fails_without_threads_ends_no_other_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    done, failed = threading.Event(), threading.Event()

    def fails() -> None:
        failed.set()
        raise sqlite3.ProgrammingError

    class NoMore(threading.Thread):
        def start(self) -> None:
            if self._target is fails:  # type: ignore[attr-defined]
                raise RuntimeError
            super().start()

    monkeypatch.setattr("fathom.databases.alarms.Thread", NoMore)
    set_alarm(0.0, fails)
    assert failed.wait(30)
    set_alarm(0.1, done.set)
    assert done.wait(30)
