"""The chain of the log: what is added, what a change to it shows, what a purge leaves."""

import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fathom.answering.audit_log import AuditLog, LogEntry
from fathom.answering.audit_log.log import BEGIN
from fathom.errors import ConfigError, InputError


def entry(number: int, **other: object) -> LogEntry:
    time = f"2026-01-{number:02}T10:00:00.000+00:00"
    return LogEntry(time, "ada", "python", "shop", question=f"Question {number}?", rows=number, **other)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    made = AuditLog(tmp_path / "logs" / "audit.jsonl")
    for number in range(1, 6):
        made.append(entry(number))
    return made


def lines(log: AuditLog) -> list[bytes]:
    return log.path.read_bytes().splitlines(keepends=True)


def test_entries_come_back_in_order(log: AuditLog) -> None:
    assert list(log.entries()) == [entry(n) for n in range(1, 6)]
    found = log.verify()
    assert (found.lines, found.problem) == (5, "")
    assert found.last == json.loads(lines(log)[-1])["hash"]
    assert log.path.stat().st_mode & 0o077 == 0
    assert log.path.parent.stat().st_mode & 0o077 == 0
    assert AuditLog(log.path.with_name("none.jsonl")).verify().last == BEGIN


def test_lines_of_older_versions_are_read(log: AuditLog) -> None:
    later = ("rights", "client", "model", "answer_id", "bytes_read")
    content = {k: v for k, v in entry(1).as_json().items() if k not in later}
    assert LogEntry.read(content) == entry(1)
    with pytest.raises(InputError, match="cost_usd"):
        LogEntry.read({k: v for k, v in content.items() if k != "cost_usd"})


def test_a_changed_line_shows(log: AuditLog) -> None:
    kept = lines(log)
    log.path.write_bytes(b"".join(kept).replace(b"Question 3?", b"Question X?"))
    assert (log.verify().line, log.verify().problem) == (3, "it was changed")
    content = json.loads(kept[2]) | {"rows": 99}
    log.path.write_bytes(b"".join([*kept[:2], json.dumps(content).encode() + b"\n", *kept[3:]]))
    assert log.verify().line == 3


@pytest.mark.parametrize("gone", [0, 1, 3])
def test_a_missing_line_shows(log: AuditLog, gone: int) -> None:
    kept = lines(log)
    log.path.write_bytes(b"".join([*kept[:gone], *kept[gone + 1 :]]))
    found = log.verify()
    assert found.line == gone + 1
    assert "missing" in found.problem


def test_lines_in_another_order_show(log: AuditLog) -> None:
    first, second, *rest = lines(log)
    log.path.write_bytes(b"".join([second, first, *rest]))
    assert log.verify().line == 1


def test_what_was_cut_off_at_the_end_shows_by_the_last_hash(log: AuditLog) -> None:
    before = log.verify().last
    log.path.write_bytes(b"".join(lines(log)[:-1]))
    assert log.verify().problem == ""
    assert log.verify().last != before


def test_a_torn_line_harms_no_other_and_is_told(log: AuditLog) -> None:
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b'{"time":"2026-01-06')
    log.append(entry(7))
    assert log.verify().line == 6
    kept = lines(log)
    log.path.write_bytes(b"".join([*kept[:5], *kept[6:]]))
    assert log.verify().problem == ""
    assert [e.rows for e in log.entries()] == [1, 2, 3, 4, 5, 7]


def test_a_purge_leaves_a_whole_chain_with_the_same_end(log: AuditLog) -> None:
    last = log.verify().last
    assert log.purge(datetime(2026, 1, 3, tzinfo=UTC)) == 2
    assert log.verify().last == last
    assert log.verify().problem == ""
    assert [e.rows for e in log.entries()] == [3, 4, 5]
    assert json.loads(lines(log)[0])["purged"] == 2
    log.append(entry(6))
    assert log.purge(datetime(2026, 1, 6, tzinfo=UTC)) == 3
    assert json.loads(lines(log)[0])["purged"] == 5
    assert log.purge(datetime(2026, 1, 2, tzinfo=UTC)) == 0
    assert log.purge(datetime(2027, 1, 1, tzinfo=UTC)) == 1
    log.append(entry(8))
    assert log.verify().problem == ""
    assert [e.rows for e in log.entries()] == [8]
    log.path.write_bytes(log.path.read_bytes().replace(b'"purged":6', b'"purged":5'))
    assert log.verify().line == 1


def test_a_broken_chain_is_not_purged(log: AuditLog) -> None:
    log.path.write_bytes(log.path.read_bytes().replace(b"ada", b"eve", 1))
    with pytest.raises(InputError, match="the chain is broken"):
        log.purge(datetime(2027, 1, 1, tzinfo=UTC))
    assert len(lines(log)) == 5


def test_threads_and_logs_opened_twice_add_to_one_chain(log: AuditLog) -> None:
    def add(first: int) -> None:
        own = AuditLog(log.path)
        for number in range(10):
            own.append(entry(first + number % 9))

    threads = [threading.Thread(target=add, args=(n,)) for n in (6, 7, 8, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.verify().problem == ""
    assert log.verify().lines == 45


def test_long_lines_are_followed(log: AuditLog) -> None:
    log.append(entry(6, sql="SELECT " + "1, " * 50_000))
    log.append(entry(7))
    assert log.verify().problem == ""


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="Nothing is answered without it"):
        AuditLog(tmp_path / "file" / "audit.jsonl").append(entry(1))


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="no line of an audit log"):
        list(AuditLog(other).entries())
    assert AuditLog(other).verify().line == 1
