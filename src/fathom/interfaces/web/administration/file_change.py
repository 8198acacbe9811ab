"""One change of a file of the owner's: shown before it is written, logged, and written whole."""

import difflib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from fathom.answering.audit_log import logged_change
from fathom.errors import ConfigError, FathomError, InputError, InputErrors
from fathom.files import write_whole
from fathom.interfaces.web.administration.toml_text import TomlText
from fathom.text import without_passwords

_AROUND = 2
"""Lines around a change that are shown."""
_WAIT = 10.0


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A change of a file before it is written, as pages show it.

    `difference` are its lines, without passwords. `problems` keep it from being written, `doubts` unless it
    is wanted anyway; `notes` are worth knowing. `seen` is the mark of this very change: it is written for
    whoever sends it back, and only while it would come to the same. `written` tells that it was.
    """

    file: str
    difference: Sequence[str] = ()
    problems: Sequence[str] = ()
    doubts: Sequence[str] = ()
    notes: Sequence[str] = ()
    seen: str = ""
    written: bool = False


@dataclass
class FileChange:
    """A change that a form asks for, put together step by step; `what` says it for the log in a sentence."""

    file: Path
    what: str = ""
    before: str = ""
    after: str = ""
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    makes: dict[Path, str] = field(default_factory=dict)

    @classmethod
    def of(cls, file: Path) -> "FileChange":
        """No change yet of a file, which need not be there. Raises `InputError`."""
        file = file.resolve()  # what a link leads to is replaced, not the link
        try:
            before = file.read_text(encoding="utf-8") if file.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"can't be read: {error}", file=file.name) from error
        return cls(file, before=before, after=before)

    def edit(self, after: TomlText) -> None:
        """Take a text for the file, and note the comments that go with it."""
        self.after = after.text
        if lost := TomlText(self.before).comments_lost(after):
            self.notes.append(f"These comments go with it: {' · '.join(lost)}")

    def wrong(self, error: FathomError) -> None:
        """Note why it can't be written."""
        told = error.problems if isinstance(error, InputErrors) else [error]
        for one in told:
            text = one.problem if isinstance(one, InputError) else str(one)
            where = f"{one.field}: " if isinstance(one, InputError) and one.field else ""
            self.problems.append(without_passwords(f"{where}{text}"))

    @property
    def difference(self) -> list[str]:
        """The lines that change, with some around them, also of files that are made; no passwords."""
        old, new = (without_passwords(text).splitlines() for text in (self.before, self.after))
        lines = [
            "…" if line.startswith("@@") else line
            for line in list(difflib.unified_diff(old, new, lineterm="", n=_AROUND))[2:]
        ]
        for file, text in self.makes.items():
            lines += [f"+ {file.name} (new)", *(f"+   {line}" for line in text.splitlines())]
        return lines[1:] if lines[:1] == ["…"] else lines

    @property
    def seen(self) -> str:
        """A mark of this change and of what it starts from."""
        whole = repr((self.before, self.after, sorted((str(f), t) for f, t in self.makes.items())))
        return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:24]

    def proposal(self, *, written: bool = False) -> ProposedChange:
        """The change as pages show it."""
        notes = list(self.notes)
        if not self.problems and not written and not self.difference:
            hidden = self.before != self.after
            notes.append("Only a password changes, which isn't shown." if hidden else "Nothing would change.")
        return ProposedChange(
            self.file.name, self.difference, self.problems, self.doubts, notes, self.seen, written
        )

    def settled(self, seen: str, *, anyway: bool) -> ProposedChange:
        """Write the change where it is the one that was seen; else show it. Raises `ConfigError`."""
        if self.problems or seen != self.seen or (self.doubts and not anyway):
            return self.proposal()
        try:
            with FileLock(f"{self.file}.lock", timeout=_WAIT, mode=0o600):
                if (self.file.read_text(encoding="utf-8") if self.file.exists() else "") != self.before:
                    self.problems.append("The file has changed meanwhile. Look at the change once more.")
                    return self.proposal()
                logged_change(self.what, "\n".join(self.difference), self._write)
        except OSError as error:
            raise ConfigError(f"{self.file.name} can't be written: {error.strerror or error}") from error
        return self.proposal(written=True)

    def _write(self) -> None:
        for file, text in self.makes.items():
            write_whole(file, text, sync=True)
        if self.before == self.after:
            return
        mode = self.file.stat().st_mode & 0o777 if self.file.exists() else 0o600
        if self.before:
            write_whole(self.file.with_name(f"{self.file.name}~"), self.before, mode=mode)
        write_whole(self.file, self.after, mode=mode, sync=True)


def names_in(text: str) -> list[str]:
    """The names that a box holds, set off by commas or lines."""
    return list(dict.fromkeys(name for part in re.split(r"[,\n]", text) if (name := part.strip())))


def by_table(text: str) -> dict[str, str]:
    """Read the lines of a box about tables, each `table: what`. Raises `InputError`."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        table, colon, what = (part.strip() for part in line.partition(":"))
        if not (table and colon and what) or table in found:
            raise InputError(
                f"Line {number}: write one table a line, a colon and what is said of it, such as "
                "customers: phone, email"
            )
        found[table] = what
    return found


def as_lines(told: Mapping[str, str]) -> str:
    """Give the lines that `by_table` reads."""
    return "\n".join(f"{table}: {' '.join(what.split())}" for table, what in told.items())
