"""The knowledge packs of a database as files: shown, checked, and written only when they are sound."""

import difflib
import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from fathom.answering.audit_log import logged_change, logging_as
from fathom.errors import ConfigError, InputError, InputErrors
from fathom.files import write_whole
from fathom.interfaces.web.site import Site
from fathom.knowledge import Mismatch, check, packs_beforehand, read_pack
from fathom.knowledge.lessons import lesson_file
from fathom.records import Schema

PACK_LETTERS = 500_000
"""The longest pack that is edited in a page."""
_ENDINGS = frozenset((".yaml", ".yml", ".toml", ".json", ".csv"))
_writing = Lock()


@dataclass(frozen=True, slots=True)
class PackProblem:
    """A fault in a pack's text, or a name in it that the database doesn't have. `line` is from 1."""

    line: int | None
    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file with a pack. `number` names it in addresses; those that the settings name are `editable`."""

    number: int
    file: Path
    editable: bool

    @property
    def text(self) -> str:
        """The text of the file. Raises `InputError`."""
        try:
            return self.file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"can't be read as text: {error}", file=Path(self.file.name)) from error


def digest_of(text: str) -> str:
    """Give a digest of a text, so that two people who edit one file don't undo each other's work."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def pack_files(site: Site, name: str) -> list[PackFile]:
    """The packs of a database that were there beforehand, without what people taught."""
    database = site.database(name)
    address = database.known_as or database.url
    taught = lesson_file(address, site.settings).file
    named = set(site.settings.packs.get(address, ()))
    found: list[PackFile] = []
    for path in packs_beforehand(address, site.settings):
        inside = sorted(f for f in path.iterdir() if f.suffix in _ENDINGS) if path.is_dir() else [path]
        found += [PackFile(0, f, path in named and f.is_file()) for f in inside if f != taught]
    return [PackFile(number, one.file, one.editable) for number, one in enumerate(found, start=1)]


def pack_file(site: Site, name: str, number: int) -> PackFile:
    """One of them. Raises `InputError` where there is none of that number."""
    for one in pack_files(site, name):
        if one.number == number:
            return one
    raise InputError(f"there is no pack number {number}")


def problems_of(text: str, file: Path, schema: Schema) -> tuple[list[PackProblem], list[PackProblem]]:
    """Find the faults in a pack's text, and the names that the database doesn't have; writes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / file.name  # its ending tells how it is read
        write_whole(draft, text)
        try:
            pack = read_pack(draft)
        except InputErrors as errors:
            return [_told(one) for one in errors.problems], []
        except InputError as error:
            return [_told(error)], []
    return [], [_missing(one) for one in check(pack, schema)]


def _told(error: InputError) -> PackProblem:
    return PackProblem(error.line, error.field or "", error.problem)


def _missing(one: Mismatch) -> PackProblem:
    return PackProblem(None, one.where, one.problem)


def save_pack(pack: PackFile, text: str, opened_as: str) -> None:
    """Write a text that was found sound; what stood there before is kept beside it, with a ~ behind its name.

    Raises `InputError` where the file has changed since it was opened, and `ConfigError` where it can't be
    written.
    """
    with _writing:
        before = pack.text
        if digest_of(before) != opened_as:
            raise InputError("the file has changed since it was opened here; nothing was written")
        mode = pack.file.stat().st_mode & 0o777

        def write() -> None:
            write_whole(pack.file.with_name(f"{pack.file.name}~"), before, mode=mode)
            write_whole(pack.file, text, mode=mode, sync=True)

        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=0)
        try:
            with logging_as("browser"):
                logged_change(f"The pack {pack.file.name} was changed.", "\n".join([*lines][2:]), write)
        except OSError as error:
            raise ConfigError(f"{pack.file.name} can't be written: {error.strerror or error}") from error


def with_line_ends_of(text: str, before: str) -> str:
    """A text as a form sends it, with the line ends that the file had."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in before else plain


def all_sound(
    problems: Sequence[PackProblem], missing: Sequence[PackProblem], known: Sequence[PackProblem]
) -> bool:
    """True if a text may be kept: it is a pack, and names nothing new that the database doesn't have."""
    return not problems and not set(missing) - set(known)
