"""The chain of the log: what is added, what a change to it shows, what a purge leaves."""

import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command import Done, Fathom
from tests.disks import FULL, fill, small_disk

from fathom.answering.audit_log import AuditLog, LogEntry, Problem, end_file
from fathom.answering.audit_log.log import _line
from fathom.answering.audit_log.log_end import BEGIN, LogEnd, read_end
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
    assert (found.lines, found.problems, found.end_noted) == (5, (), True)
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
    assert log.verify().problems == (Problem(3, "it was changed"),)
    content = json.loads(kept[2]) | {"rows": 99}
    log.path.write_bytes(b"".join([*kept[:2], json.dumps(content).encode() + b"\n", *kept[3:]]))
    assert log.verify().problems[0].line == 3


TAMPERINGS = yaml.safe_load(Path(__file__).with_name("tamperings.yaml").read_text())


def tamper(log: AuditLog, case: dict[str, Any]) -> None:
    """Change the file as a case of tamperings.yaml says."""
    kept = lines(log)
    if case.get("remove"):
        log.path.unlink()
        return
    if "purged" in case:
        content = {"purged": case["purged"], "until": "2026-01-03T00:00:00+00:00"}
        fake = _line(content, json.loads(kept[case["purged"] - 1])["hash"])
        kept = [fake, *kept[case["purged"] :]]
    if "keep" in case:
        kept = [kept[number - 1] if number else b"\n" for number in case["keep"]]
    if "edit" in case:
        number, old, new = case["edit"]
        assert old.encode() in kept[number - 1]
        kept[number - 1] = kept[number - 1].replace(old.encode(), new.encode())
    if "rehash" in case:
        for number in range(case["rehash"], len(kept) + 1):
            before = json.loads(kept[number - 2])["hash"]
            kept[number - 1] = _line(json.loads(kept[number - 1]), before)
    if "cut" in case:
        number, many = case["cut"]
        kept[number - 1] = kept[number - 1][:-many]
    log.path.write_bytes(b"".join(kept))


@pytest.mark.parametrize("case", TAMPERINGS, ids=[case["name"] for case in TAMPERINGS])
def test_tampering_shows_also_once_more_was_asked(
    log: AuditLog, case: dict[str, Any], fathom: Fathom
) -> None:
    tamper(log, case)
    told = fathom("audit-log", "verify", "--file", log.path)
    assert told.code == 1
    assert case["told"] in told.err
    log.append(entry(6))
    assert fathom("audit-log", "verify", "--file", log.path).code == 1
    with pytest.raises(InputError, match="the chain is broken"):
        log.purge(datetime(2026, 1, 3, tzinfo=UTC))


def test_a_hash_that_was_kept_is_looked_for(log: AuditLog, fathom: Fathom) -> None:
    def verify(hash_: str) -> Done:
        return fathom("audit-log", "verify", "--file", log.path, "--holds", hash_)

    second, last = (json.loads(lines(log)[n])["hash"] for n in (1, 4))
    assert "Line 2 has the hash" in verify(second).out
    assert "3 lines came after it" in verify(second).out
    assert verify(last.upper()).code == 0
    # All files are written anew, as by somebody who may write them: only the kept hash shows it.
    log.path.unlink()
    end_file(log.path).unlink()
    assert verify(last).code == 1
    log.append(entry(9))
    assert fathom("audit-log", "verify", "--file", log.path).code == 0
    assert verify(last).code == 1
    assert "No line has the hash" in verify(last).err
    assert verify("").code == 0
    assert (
        json.loads(fathom("audit-log", "verify", "--json", "--file", log.path, "--holds", last).out)["holds"]
        is False
    )


def test_a_hash_from_before_a_purge_is_looked_for(log: AuditLog) -> None:
    first, second, third = (json.loads(line)["hash"] for line in lines(log)[:3])
    log.purge(datetime(2026, 1, 3, tzinfo=UTC))
    assert [log.verify(hash_).held for hash_ in (first, second, third)] == [None, 0, 2]


def test_a_torn_line_stops_neither_showing_nor_writing(
    log: AuditLog, fathom: Fathom, caplog: pytest.LogCaptureFixture
) -> None:
    log.path.write_bytes(log.path.read_bytes() + b'{"time":"2026-01-06')
    shown = fathom("audit-log", "--file", log.path)
    assert shown.code == 0
    assert "Question 5?" in shown.out
    assert "line 6 can't be read" in shown.err
    assert log.verify().problems == (Problem(6, "it was never finished, as on a full disk, or was cut"),)
    log.append(entry(7))
    log.append(entry(8))
    assert [record.getMessage() for record in caplog.records] == [
        f"The last line of the audit log {log.path} was never finished. The log goes on behind it."
    ]
    (problem,) = log.verify().problems
    assert problem.line == 6
    assert [e.rows for e in log.entries(lambda _: None)] == [1, 2, 3, 4, 5, 7, 8]
    kept = lines(log)
    log.path.write_bytes(b"".join([*kept[:5], *kept[6:]]))
    assert log.verify().problems == ()


def test_a_kill_between_a_line_and_the_noted_end_is_no_tampering(log: AuditLog) -> None:
    noted = end_file(log.path).read_bytes()
    log.append(entry(6))
    end_file(log.path).write_bytes(noted)
    assert log.verify().problems == ()
    log.append(entry(7))
    assert log.verify().problems == ()
    assert read_end(log.path) == LogEnd(7, log.verify().last)


def test_a_log_of_an_older_version_gets_its_end_noted(log: AuditLog, fathom: Fathom) -> None:
    log.purge(datetime(2026, 1, 3, tzinfo=UTC))
    end_file(log.path).unlink()
    told = fathom("audit-log", "verify", "--file", log.path)
    assert told.code == 0
    assert "audit.jsonl.end isn't beside it" in told.out
    log.append(entry(6))
    assert read_end(log.path) == LogEnd(6, log.verify().last, purged=2, purging=2)
    assert log.verify().problems == ()
    assert log.path.stat().st_mode & 0o077 == end_file(log.path).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"\x00\xff", b"[]", b'{"lines": "5"}', b'{"lines": 5, "other": 1}'])
def test_a_broken_end_file_is_told_and_stops_no_writing(log: AuditLog, content: bytes) -> None:
    end_file(log.path).write_bytes(content)
    (problem,) = log.verify().problems
    assert "does not say how an audit log ends" in problem.text
    log.append(entry(6))
    assert log.verify().problems == ()


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        log = AuditLog(disk / "audit.jsonl")
        fill(disk)
        with pytest.raises(ConfigError, match=FULL):
            log.append(entry(1))
        assert not log.was_begun()
        assert log.verify().problems == ()
        (disk / "filler").unlink()
        log.append(entry(1))
        fill(disk)
        with pytest.raises(ConfigError, match=FULL):
            log.append(entry(2, sql="x" * 5_000))
        (disk / "filler").unlink()
        log.append(entry(30))
        assert [p.text for p in log.verify().problems if "never finished" not in p.text] == []


def test_a_purge_leaves_a_whole_chain_with_the_same_end(log: AuditLog) -> None:
    last = log.verify().last
    assert log.purge(datetime(2026, 1, 3, tzinfo=UTC)) == 2
    assert log.verify().last == last
    assert log.verify().problems == ()
    assert [e.rows for e in log.entries()] == [3, 4, 5]
    assert json.loads(lines(log)[0])["purged"] == 2
    log.append(entry(6))
    assert log.purge(datetime(2026, 1, 6, tzinfo=UTC)) == 3
    assert json.loads(lines(log)[0])["purged"] == 5
    assert log.purge(datetime(2026, 1, 2, tzinfo=UTC)) == 0
    assert log.purge(datetime(2027, 1, 1, tzinfo=UTC)) == 1
    log.append(entry(8))
    assert log.verify().problems == ()
    assert [e.rows for e in log.entries()] == [8]
    assert read_end(log.path) == LogEnd(7, log.verify().last, purged=6, purging=6)
    assert log.path.stat().st_mode & 0o077 == 0


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
    assert log.verify().problems == ()
    assert log.verify().lines == 45


def test_long_lines_are_followed(log: AuditLog) -> None:
    log.append(entry(6, sql="SELECT " + "1, " * 50_000))
    log.append(entry(7))
    assert log.verify().problems == ()


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="Nothing is answered without it"):
        AuditLog(tmp_path / "file" / "audit.jsonl").append(entry(1))


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="no line of an audit log"):
        list(AuditLog(other).entries())
    assert AuditLog(other).verify().problems[0].line == 1
