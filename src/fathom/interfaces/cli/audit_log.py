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

from fathom.answering.audit_log import AuditLog, LogEntry, audit_log_of
from fathom.answering.documents import csv_cell
from fathom.errors import ConfigError, InputError
from fathom.files import written_whole
from fathom.interfaces.cli import ERROR
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json

SHOWN = 20
"""Entries that `show` prints, the newest."""
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
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("/dev/stdout"),
    json: bool = False,
) -> int:
    """Show who asked what of which database; hold the log against its own hashes; export or purge it.

    An entry has the time, the user, the question, how it ended, the SQL, the tables and columns it reads,
    how many rows it gave and what it cost; never the rows. `show` prints the newest entries, `verify` says
    whether any line was changed or is missing and prints the hash that the log ends with, `export` writes
    entries as CSV or as JSON lines, `purge` takes away those from before a time and says so in their place.

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
    out
        Where `export` writes: a file that ends in .csv or .jsonl; by default JSON lines to the output.
    json
        Print JSON instead of a table.
    """
    log = AuditLog(file) if file is not None else audit_log_of()
    if log is None:
        raise ConfigError(NO_LOG)
    if not log.path.is_file():
        if file is not None:
            raise InputError("there is no such file", file=file)
        console.print(plain(f"Nothing was asked yet: {log.path} isn't there."))
        return 0
    if action == "verify":
        return _verify(log, json=json)
    if action == "purge":
        return _purge(log, before)
    chosen = _chosen(log.entries(), database, user, since, before)
    if action == "export":
        return _export(chosen, out)
    newest = list(islice(reversed(list(chosen)), last))[::-1]
    if json:
        print_json([entry.as_json() for entry in newest])
    else:
        _show(newest)
    return 0


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


def _verify(log: AuditLog, *, json: bool) -> int:
    found = log.verify()
    if json:
        print_json({"lines": found.lines, "last": found.last, "line": found.line, "problem": found.problem})
    elif found.problem:
        notices.print(plain(f"{log.path}, line {found.line}: {found.problem}."), style="red", soft_wrap=True)
    else:
        many = f"{found.lines:,} line{'' if found.lines == 1 else 's'}"
        console.print(plain(f"The log is whole: {many}, ending with {found.last}"), soft_wrap=True)
        console.print("Keep that hash elsewhere: with it, lines cut off at the end show too.", style="dim")
    return ERROR if found.problem else 0


def _purge(log: AuditLog, before: str) -> int:
    end = _time(before, "before")
    if end is None:
        raise InputError("purge needs --before, the time from which on entries are kept")
    gone = log.purge(end)
    console.print(plain(f"{gone:,} {'entry' if gone == 1 else 'entries'} from before {before} purged."))
    return 0


def _export(entries: Iterable[LogEntry], out: Path) -> int:
    if out != Path("/dev/stdout") and out.suffix not in (".csv", ".jsonl"):
        raise InputError("--out must end in .csv or .jsonl", file=out)
    if out == Path("/dev/stdout"):
        for entry in entries:
            sys.stdout.write(f"{json_.dumps(entry.as_json())}\n")
        return 0
    with written_whole(out) as stream:
        if out.suffix == ".jsonl":
            stream.writelines(f"{json_.dumps(entry.as_json())}\n" for entry in entries)
        else:
            writer = csv.writer(stream)
            writer.writerow(LogEntry.__slots__)
            writer.writerows([csv_cell(_flat(v), safe=True) for v in e.as_json().values()] for e in entries)
    return 0


def _flat(value: Any) -> Any:
    return json_.dumps(value) if isinstance(value, dict) else value
