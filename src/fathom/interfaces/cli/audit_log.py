"""`fathom audit-log`: who asked what of which database; held against its own hashes, exported, purged."""

import csv
import json as json_
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from fathom.answering.audit_log import AuditLog, LogEntry, Verified, audit_log_of, end_file
from fathom.answering.documents import csv_cell
from fathom.errors import ConfigError, InputError
from fathom.files import written_whole
from fathom.interfaces.cli import ERROR
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json

SHOWN = 20
"""Entries that `show` prints, the newest."""
MOST_TOLD = 20
"""Problems, or lines that can't be read, that are named."""
NO_LOG = (
    "No audit log is kept. Set audit_log in the settings to a file, or FATHOM_AUDIT_LOG; from then on every "
    "question and query is in it."
)


def audit_log(
    action: Literal["show", "verify", "export", "purge"] = "show",
    /,
    *,
    file: Path | None = None,
    database: str = "",
    user: str = "",
    since: str = "",
    before: str = "",
    last: int = SHOWN,
    holds: str = "",
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("/dev/stdout"),
    json: bool = False,
) -> int:
    """Show who asked what of which database; hold the log against its own hashes; export or purge it.

    An entry has the time, the user, the question, how it ended, the SQL, the tables and columns it reads,
    how many rows it gave and what it cost; never the rows. `show` prints the newest entries, `verify` says
    whether any line was changed or is missing and prints the hash that the log ends with, `export` writes
    entries as CSV or as JSON lines, `purge` takes away those from before a time and says so in their place.
    `verify` ends with exit code 1 where something doesn't fit.

    Parameters
    ----------
    file
        The log; by default the one that the settings name.
    database
        Only entries of this database, by its name or URL as the log has it.
    user
        Only entries of this user.
    since
        Only entries from this time on, such as 2026-01-31 or 2026-01-31T12:00 (UTC).
    before
        Only entries from before this time; for `purge` the time before which all go.
    last
        Show so many entries, the newest.
    holds
        For `verify`, a hash that it printed earlier: exit code 1 where no line of the log has it.
    out
        Where `export` writes: a file that ends in .csv or .jsonl; by default JSON lines to the output.
    json
        Print JSON instead of a table.
    """
    log = AuditLog(file) if file is not None else audit_log_of()
    if log is None:
        raise ConfigError(NO_LOG)
    if holds and action != "verify":
        raise InputError("--holds goes with `fathom audit-log verify`")
    if not log.path.is_file() and not (log.was_begun() or holds):
        if file is not None or log.path.exists():
            raise InputError("there is no such file", file=log.path)
        console.print(plain(f"Nothing was asked yet: {log.path} isn't there."))
        return 0
    if action == "verify":
        return _verify(log, holds.strip().lower(), json=json)
    if not log.path.is_file():
        raise InputError("was removed. Run `fathom audit-log verify`", file=log.path)
    if action == "purge":
        return _purge(log, before)
    torn: list[int] = []
    chosen = _chosen(log.entries(torn.append), database, user, since, before)
    if action == "export":
        _export(chosen, out)
    else:
        newest = list(islice(reversed(list(chosen)), last))[::-1]
        if json:
            print_json([entry.as_json() for entry in newest])
        else:
            _show(newest)
    _tell_unread(log, torn)
    return 0


def _tell_unread(log: AuditLog, lines: list[int]) -> None:
    if lines:
        which = ", ".join(map(str, lines[:MOST_TOLD])) + (", ..." if len(lines) > MOST_TOLD else "")
        told = f"{log.path}: line{'' if len(lines) == 1 else 's'} {which} can't be read, and left out."
        notices.print(plain(told), soft_wrap=True)


def _chosen(
    entries: Iterable[LogEntry], database: str, user: str, since: str, before: str
) -> Iterator[LogEntry]:
    first, end = _time(since, "since"), _time(before, "before")
    for entry in entries:
        when = datetime.fromisoformat(entry.time)
        if (
            (not database or entry.database == database)
            and (not user or entry.user == user)
            and (first is None or when >= first)
            and (end is None or when < end)
        ):
            yield entry


def _time(text: str, option: str) -> datetime | None:
    """A time in UTC. Raises `InputError`."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"--{option} must be a time such as 2026-01-31, not {text!r}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _show(entries: list[LogEntry]) -> None:
    if not entries:
        console.print("No entry fits.")
        return
    table = bare_table()
    for head in ("time (UTC)", "user", "database", "question or query", "ended", "rows"):
        table.add_column(head, overflow="fold")
    for entry in entries:
        rows = "" if entry.rows is None else f"{entry.rows:,}{'+' if entry.truncated else ''}"
        asked = entry.question or entry.sql
        cells = (entry.time[:19].replace("T", " "), entry.user, entry.database, asked, entry.status, rows)
        table.add_row(*map(plain, cells))
    console.print(table)


def _verify(log: AuditLog, holds: str, *, json: bool) -> int:
    found = log.verify(holds)
    lacks = bool(holds) and found.held is None
    if json:
        problems = [{"line": p.line, "problem": p.text} for p in found.problems]
        held = {"holds": not lacks, "held_by_line": found.held} if holds else {}
        print_json({"lines": found.lines, "last": found.last, "problems": problems, **held})
        return ERROR if problems or lacks else 0
    for problem in found.problems[:MOST_TOLD]:
        place = f"{log.path}, line {problem.line}" if problem.line else str(log.path)
        notices.print(plain(f"{place}: {problem.text}."), style="red", soft_wrap=True)
    if (more := len(found.problems) - MOST_TOLD) > 0:
        notices.print(f"{more:,} more problems.", style="red")
    if holds:
        style = "red" if lacks else None
        (notices if lacks else console).print(plain(_holding(found, holds)), style=style, soft_wrap=True)
    if not found.problems:
        many = f"{found.lines:,} line{'' if found.lines == 1 else 's'}"
        console.print(plain(f"The chain is whole: {many}, ending with {found.last}"), soft_wrap=True)
        if not found.end_noted:
            unseen = f"{end_file(log.path).name} isn't beside it, so lines cut off at the end wouldn't show."
            console.print(plain(unseen), soft_wrap=True)
        advice = "Keep that hash elsewhere, and check it later with `fathom audit-log verify --holds HASH`."
        console.print(plain(advice), style="dim", soft_wrap=True)
    return ERROR if found.problems or lacks else 0


def _holding(found: Verified, hash_: str) -> str:
    if found.held is not None:
        after = found.lines - max(found.held, 1)
        where = f"Line {found.held:,} has" if found.held else "The lines that were purged ended with"
        return f"{where} the hash {hash_}; {after:,} line{'' if after == 1 else 's'} came after it."
    purged = f" {found.purged:,} lines were purged; it may have been one of them." if found.purged else ""
    return f"No line has the hash {hash_}: the log was cut, or written anew.{purged}"


def _purge(log: AuditLog, before: str) -> int:
    end = _time(before, "before")
    if end is None:
        raise InputError("purge needs --before, the time from which on entries are kept")
    gone = log.purge(end)
    console.print(plain(f"{gone:,} {'entry' if gone == 1 else 'entries'} from before {before} purged."))
    return 0


def _export(entries: Iterable[LogEntry], out: Path) -> None:
    if out != Path("/dev/stdout") and out.suffix not in (".csv", ".jsonl"):
        raise InputError("--out must end in .csv or .jsonl", file=out)
    if out == Path("/dev/stdout"):
        for entry in entries:
            sys.stdout.write(f"{json_.dumps(entry.as_json())}\n")
        return
    with written_whole(out) as stream:
        if out.suffix == ".jsonl":
            stream.writelines(f"{json_.dumps(entry.as_json())}\n" for entry in entries)
        else:
            writer = csv.writer(stream)
            writer.writerow(LogEntry.__slots__)
            writer.writerows([csv_cell(_flat(v), safe=True) for v in e.as_json().values()] for e in entries)


def _flat(value: Any) -> Any:
    return json_.dumps(value) if isinstance(value, dict) else value
