"""Databases and their packs in the settings: named, moved, renamed, and named no more."""

import os
import re
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, Field

from fathom.config import Settings, read_settings
from fathom.databases import connect
from fathom.errors import FathomError, InputError
from fathom.files import write_whole
from fathom.interfaces.web.administration.file_change import FileChange, names_in
from fathom.interfaces.web.administration.toml_text import TomlText
from fathom.knowledge import read_pack
from fathom.text import without_passwords, without_secrets

EMPTY_PACKS = {".yaml": "tables: {}\n", ".yml": "tables: {}\n", ".toml": "", ".json": "{}\n"}
"""The text of a pack that says nothing yet, by the ending of its file."""


class DatabaseDraft(BaseModel):
    """A database as a form has it. `was` is its name so far, "" for a new one; `packs` are files, one a line.

    `remove` takes it out of the settings. What comes back as `seen` is written; without it the change is only
    shown. `anyway` writes although the database can't be opened.
    """

    was: str = Field(default="", max_length=80)
    name: str = Field(default="", max_length=80)
    address: str = Field(default="", max_length=2_000)
    packs: str = Field(default="", max_length=10_000)
    remove: bool = False
    anyway: bool = False
    seen: str = Field(default="", max_length=40)


def draft_of(name: str, settings: Settings) -> DatabaseDraft:
    """The form of a database of the settings, its password hidden. Raises `InputError` for others."""
    if name not in settings.databases:
        raise InputError(f"the settings have no database {name!r}")
    home = settings.file.parent
    packs = [str(p.relative_to(home) if p.is_relative_to(home) else p) for p in settings.packs.get(name, ())]
    address = without_passwords(settings.databases[name])
    return DatabaseDraft(was=name, name=name, address=address, packs="\n".join(packs))


def database_change(settings: Settings, draft: DatabaseDraft) -> FileChange:
    """The change of the settings that a form asks for. Raises `InputError` where they can't be read."""
    change = FileChange.of(settings.file)
    text = TomlText(change.before)
    try:
        if draft.was and text.get("databases", draft.was) is None:
            raise InputError(f"The settings have no database {draft.was!r} any more. Begin anew.")
        if draft.remove:
            _remove(change, text, draft)
        else:
            _put(change, text, draft, settings)
            _validate(change)
    except FathomError as error:
        change.wrong(error)
    return change


def _remove(change: FileChange, text: TomlText, draft: DatabaseDraft) -> None:
    change.what = f"The database {draft.was} was taken out of the settings."
    change.edit(text.without(("databases", draft.was)).without(("packs", draft.was)))
    change.notes.append("The database itself and its packs stay where they are; so do answers.")


def _put(change: FileChange, text: TomlText, draft: DatabaseDraft, settings: Settings) -> None:
    name = draft.name.strip()
    if not re.fullmatch(r"[\w][\w.-]*", name):
        raise InputError("Name: use letters, digits, dots, dashes and underscores, such as sales.")
    if name != draft.was and text.get("databases", name) is not None:
        raise InputError(f"Name: there is a database {name!r} already. Choose another name.")
    known = str(text.get("databases", draft.was) or "") if draft.was else ""
    address = _address(draft.address.strip(), known)
    packs = names_in(draft.packs)
    change.what = f"The database {name} was {'changed' if draft.was else 'added'}."
    if draft.was and name != draft.was:
        change.what = f"The database {draft.was} was changed, and is now called {name}."
        change.notes.append(f"Grants and saved questions that name {draft.was} don't follow the new name.")
        text = text.without(("databases", draft.was)).without(("packs", draft.was))
    text = text.with_value(("databases", name), address)
    _check_packs(change, name, packs, settings)
    if packs:
        named = text.get("packs", name)
        same = packs in (named, [named])
        text = text if same else text.with_value(("packs", name), packs if len(packs) > 1 else packs[0])
    else:
        text = text.without(("packs", name))
    change.edit(text)
    if address != known:
        _try(change, name, address, settings)


def _address(given: str, known: str) -> str:
    """The address that is meant: a password that was hidden is the one that stood there."""
    if not given:
        raise InputError("Address: give a path or a URL, such as postgresql://reader@localhost/sales.")
    if given == without_passwords(known):
        return known
    if "***" in given:
        raise InputError("Address: it has changed, so write its password again in place of ***.")
    return given


def _check_packs(change: FileChange, name: str, packs: list[str], settings: Settings) -> None:
    """Packs that are new lie beside the settings, so that no page writes elsewhere."""
    known, home = settings.packs.get(name, ()), settings.file.parent
    for one in packs:
        file = home / Path(one).expanduser()
        if file in known:
            continue
        if file.suffix.casefold() not in EMPTY_PACKS or not file.resolve().is_relative_to(home.resolve()):
            raise InputError(
                f"Packs: {one} isn't taken. A pack that is named here lies beside the settings or in a "
                f"folder there, and ends in {', '.join(EMPTY_PACKS)}."
            )
        if file.is_file():
            read_pack(file)
        else:
            change.makes[file] = EMPTY_PACKS[file.suffix.casefold()]
            change.notes.append(f"{file.name} isn't there: it is made, and edited on the page Knowledge.")


def _try(change: FileChange, name: str, address: str, settings: Settings) -> None:
    """Open the database once, and tell what is found."""
    tried = replace(settings, databases={**settings.databases, name: address}, rights=None)
    try:
        with closing(connect(name, settings=tried, index=False)) as database:
            tables = len(database.schema.tables)
            change.notes.append(
                f"It opens: {database.schema.dialect}, {tables:,} table{'' if tables == 1 else 's'}."
            )
    except FathomError as error:
        change.doubts.append(f"It can't be opened now. {without_secrets(str(error))}")


def _validate(change: FileChange) -> None:
    """Read the new text as settings. Raises `ConfigError`."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / change.file.name
        write_whole(draft, change.after)
        try:
            read_settings({**os.environ, "FATHOM_CONFIG": str(draft)})
        except FathomError as error:
            raise InputError(str(error).replace(f"{draft}: ", "")) from error
