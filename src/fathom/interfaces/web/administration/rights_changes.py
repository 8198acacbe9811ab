"""Users, groups and grants in the file of rights: added, changed, taken out."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from fathom.config import account_name
from fathom.databases.grant_problems import problems_of
from fathom.errors import FathomError, InputError, RightsError
from fathom.files import write_whole
from fathom.interfaces.web.administration.file_change import FileChange, as_lines, by_table, names_in
from fathom.interfaces.web.administration.toml_text import TomlText
from fathom.interfaces.web.site import Site, stem
from fathom.rights import Grant, Rights, read_rights

MOST_SIGHTS = 8
"""Users and databases whose sight is told of a change."""
SHORTEST_TOKEN = 24
_LONG = 20_000


class UserDraft(BaseModel):
    """A user as a form has it. `name` is that of one there is, or with `is_new` that of a new one.

    `token` is given to the user where `with_token` is set; only its digest is written.
    """

    name: str = Field(default="", max_length=80)
    is_new: bool = False
    groups: str = Field(default="", max_length=_LONG)
    with_token: bool = False
    token: str = Field(default="", max_length=200)
    remove: bool = False
    seen: str = Field(default="", max_length=40)


class GrantDraft(BaseModel):
    """A grant as a form has it; `number` counts from 1 in the file, 0 is a new one.

    Lists are names set off by commas. `hidden`, `shown_only` and `rows` have a line a table: its columns, or
    the condition of its rows.
    """

    number: int = Field(default=0, ge=0, le=10_000)
    to: str = Field(default="", max_length=_LONG)
    databases: str = Field(default="", max_length=_LONG)
    tables: str = Field(default="*", max_length=_LONG)
    deny_tables: str = Field(default="", max_length=_LONG)
    hidden: str = Field(default="", max_length=_LONG)
    shown_only: str = Field(default="", max_length=_LONG)
    rows: str = Field(default="", max_length=_LONG)
    sql: bool = False
    models: bool = False
    role: str = Field(default="", max_length=200)
    seconds: str = Field(default="", max_length=20)
    limit: str = Field(default="", max_length=20)
    bytes: str = Field(default="", max_length=20)
    remove: bool = False
    anyway: bool = False
    seen: str = Field(default="", max_length=40)


class RightsDraft(BaseModel):
    """The file of rights as a text."""

    text: str = Field(max_length=500_000)
    seen: str = Field(default="", max_length=40)


def user_draft(rights: Rights, name: str) -> UserDraft:
    """The form of a user. Raises `RightsError` for one that isn't there."""
    groups = [group for group, members in rights.groups.items() if rights.user(name) in members]
    return UserDraft(name=name, groups=", ".join(groups))


def grant_draft(rights: Rights, number: int) -> GrantDraft:
    """The form of a grant. Raises `InputError` for one that isn't there."""
    if not 0 < number <= len(rights.grants):
        raise InputError(f"there is no grant number {number}")
    grant = rights.grants[number - 1]
    limits = grant.limits
    rules = grant.columns.items()
    return GrantDraft(
        number=number,
        to=", ".join(grant.to),
        databases=", ".join(grant.databases),
        tables=", ".join(grant.tables),
        deny_tables=", ".join(grant.deny_tables),
        hidden=as_lines({t: ", ".join(rule.deny) for t, rule in rules if rule.deny}),
        shown_only=as_lines({t: ", ".join(rule.allow) for t, rule in rules if rule.allow is not None}),
        rows=as_lines(grant.rows),
        sql=grant.sql,
        models=grant.models,
        role=grant.role,
        seconds=_shown(limits.seconds),
        limit=_shown(limits.rows),
        bytes=_shown(limits.bytes),
    )


def _shown(amount: float | None) -> str:
    return "" if amount is None else str(amount)


def first_rights(file: Path, settings_file: Path) -> FileChange:
    """The change of the settings by which there are rights from now on, in a file that is made.

    The account that runs the server sees all, so that its own commands go on.
    """
    change = FileChange.of(settings_file)
    change.what = f"A file of rights was begun: {file.name}."
    try:
        change.edit(TomlText(change.before).with_value(("rights",), file.name))
        me, all_ = account_name(), ["*"]
        begun = TomlText("").with_section(("users", me), {}, of_list=False)
        grant = {"to": [me], "databases": all_, "tables": all_}
        change.makes[file] = begun.with_section(("grants",), grant, of_list=True).text
        if file.exists():
            raise InputError(f"{file.name} is there already. Name it in the settings by hand: rights.")
        change.notes.append(
            f"From then on commands on this machine ask as the user of their account; {me} sees all."
        )
    except FathomError as error:
        change.wrong(error)
    return change


def user_change(file: Path, rights: Rights, draft: UserDraft) -> FileChange:
    """The change of the file of rights that a form for a user asks for. Raises `InputError`."""
    change = FileChange.of(file)
    text, name = TomlText(change.before), draft.name.strip()
    try:
        if draft.is_new and (not name or name == "*" or not name.isprintable()):
            raise InputError("Name: say who it is, such as anna; a proxy says it in the same words.")
        if draft.is_new == (name in rights.users):
            there = "already. Open it above" if draft.is_new else "any more. Begin anew"
            raise InputError(f"Name: there {'is' if draft.is_new else 'is no'} user {name!r} {there}.")
        if draft.remove:
            change.what, groups = f"The user {name} was taken out.", []
            text = text.without_section(("users", name)) if text.get("users", name) is not None else text
            for number, grant in enumerate(rights.grants):
                if name in grant.to:
                    left = [one for one in grant.to if one != name]
                    text = text.with_value(("grants", number, "to"), left)
                    if not left:
                        change.notes.append(f"Grant {number + 1} then gives nobody anything.")
        else:
            change.what, groups = (
                f"The user {name} was {'added' if draft.is_new else 'changed'}.",
                names_in(draft.groups),
            )
            text = _with_user(text, name, draft)
        change.edit(_in_groups(text, name, groups, rights))
        _validated(change)
    except FathomError as error:
        change.wrong(error)
    return change


def _with_user(text: TomlText, name: str, draft: UserDraft) -> TomlText:
    if not draft.with_token:
        return text.with_section(("users", name), {}, of_list=False) if draft.is_new else text
    token = draft.token.strip()
    if len(token) < SHORTEST_TOKEN:
        raise InputError(f"Token: it needs {SHORTEST_TOKEN} letters or more, drawn by chance.")
    digest = f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"
    if draft.is_new:
        return text.with_section(("users", name), {"token": digest}, of_list=False)
    return text.with_value(("users", name, "token"), digest)


def _in_groups(text: TomlText, name: str, groups: Sequence[str], rights: Rights) -> TomlText:
    """The text where a user is in these groups and no others; a new one is made."""
    for group in dict.fromkeys((*rights.groups, *groups)):
        members = list(rights.groups.get(group, ()))
        others = [member for member in members if member != name]
        wanted = others if group not in groups else members if name in members else [*others, name]
        if wanted != members:
            text = text.with_value(("groups", group), wanted)
    return text


def grant_change(file: Path, draft: GrantDraft, site: Site) -> FileChange:
    """The change of the file of rights that a form for a grant asks for. Raises `InputError`.

    Databases of the site that are open are held against it.
    """
    change = FileChange.of(file)
    text = TomlText(change.before)
    try:
        at = draft.number - 1
        if draft.number and text.get("grants", at) is None:
            raise InputError(f"There is no grant number {draft.number} any more. Begin anew.")
        if draft.remove:
            change.what = f"The grant {draft.number} was taken out."
            change.edit(text.without_section(("grants",), at))
            change.notes.append("What it denied isn't denied by it any more: see what other grants give.")
        elif draft.number:
            change.what = f"The grant {draft.number} was changed."
            change.edit(_with_grant(text, at, _content(draft)))
        else:
            change.what = f"A grant to {draft.to.strip()} was added."
            content = {k: v for k, v in _content(draft).items() if not _is_left_out(k, v)}
            change.edit(text.with_section(("grants",), content, of_list=True))
        rights = _validated(change)
        _tell_sights(change, rights, site, draft)
    except FathomError as error:
        change.wrong(error)
    return change


def rights_change(file: Path, draft: RightsDraft) -> FileChange:
    """The change of the file of rights to a text. Raises `InputError` where there is no file."""
    change = FileChange.of(file)
    plain = draft.text.replace("\r\n", "\n")
    change.what = "The file of rights was written anew."
    change.after = plain.replace("\n", "\r\n") if "\r\n" in change.before else plain
    try:
        _validated(change)
    except FathomError as error:
        change.wrong(error)
    return change


def _content(draft: GrantDraft) -> dict[str, Any]:
    """The grant as the file has it. Raises `InputError` for what can't be read."""
    for box, told in (("To", draft.to), ("Databases", draft.databases), ("Tables", draft.tables)):
        if not names_in(told):
            raise InputError(f"{box}: give one name or more, set off by commas; * is all.")
    columns: dict[str, dict[str, list[str]]] = {}
    for key, told in (("allow", draft.shown_only), ("deny", draft.hidden)):
        for table, names in by_table(told).items():
            columns.setdefault(table, {})[key] = names_in(names)
    limits = {"seconds": draft.seconds, "rows": draft.limit, "bytes": draft.bytes}
    return {
        "to": names_in(draft.to),
        "databases": names_in(draft.databases),
        "tables": names_in(draft.tables),
        "deny_tables": names_in(draft.deny_tables),
        "sql": draft.sql,
        "models": draft.models,
        "role": draft.role.strip(),
        "columns": columns,
        "rows": by_table(draft.rows),
        "limits": {key: _amount(key, text) for key, text in limits.items() if text.strip()},
    }


def _is_left_out(key: str, value: Any) -> bool:
    """True for what needn't stand in a grant, since it says what holds without it."""
    return value is True if key in ("sql", "models") else not value and key not in ("to", "databases")


def _amount(key: str, text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        number = -1
    if number <= 0:
        raise InputError(f"Limits: {key} must be a number above 0, such as 10, or stay empty.")
    return int(number) if number == int(number) else number


def _with_grant(text: TomlText, at: int, content: Mapping[str, Any]) -> TomlText:
    """The text with a grant's keys as they are wanted; what is said already keeps its line."""
    for key, value in content.items():
        place = ("grants", at, key)
        known = text.get(*place)
        if isinstance(value, Mapping):
            for name in [n for n in known or {} if n not in value]:
                text = text.without((*place, name))
            for name, inner in value.items():
                text = _with_rule(text, (*place, name), inner)
        elif _is_left_out(key, value):
            text = text.without(place)
        else:
            text = text.with_value(place, value)
    return text


def _with_rule(text: TomlText, place: tuple[str | int, ...], rule: Any) -> TomlText:
    known = text.get(*place)
    if isinstance(rule, Mapping):
        for key in [k for k in known or {} if k not in rule]:
            text = text.without((*place, key))
        for key, names in rule.items():
            text = text.with_value((*place, key), names)
        return text
    same = isinstance(known, str) and isinstance(rule, str) and known.split() == rule.split()
    return text if same else text.with_value(place, rule)


def _validated(change: FileChange) -> Rights:
    """The rights that the new text gives. Raises `InputErrors`."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / change.file.name
        write_whole(draft, change.after)
        return read_rights(draft)


def _tell_sights(change: FileChange, rights: Rights, site: Site, draft: GrantDraft) -> None:
    """Note what the grant's users would see of each open database, and what in it doesn't fit them."""
    to = names_in(draft.to)
    users = [
        u for u in rights.users if "*" in to or u in to or any(u in rights.groups.get(g, ()) for g in to)
    ]
    told, closed = 0, []
    for name, address in site.served.items():
        granted = [g for u in users if (g := _granted(rights, u, address)) is not None]
        if granted and not site.is_open(name):
            closed.append(name)
            continue
        for one in granted:
            whole = site.database(name)
            problems = problems_of(whole, one)
            change.doubts += [p for p in problems if p not in change.doubts]
            if not problems and (told := told + 1) <= MOST_SIGHTS:
                tables = whole.restricted(one).schema.tables
                seen = "; ".join(f"{t.name} ({', '.join(c.name for c in t.columns)})" for t in tables[:6])
                more = f"; and {len(tables) - 6} more tables" if len(tables) > 6 else ""
                change.notes.append(f"{one.user} would see of {name}: {seen or 'nothing'}{more}")
    if closed:
        change.notes.append(f"Not held against databases that aren't open yet: {', '.join(closed)}.")


def _granted(rights: Rights, user: str, address: str) -> Any:
    try:
        return rights.granted(user, address, stem(address))
    except RightsError:
        return None


def grant_in_words(grant: Grant) -> Iterator[str]:
    """A grant as parts of a sentence, for a list."""
    yield f"of {', '.join(grant.databases)}"
    yield "all tables" if grant.tables == ("*",) else f"tables {', '.join(grant.tables)}"
    if grant.deny_tables:
        yield f"not {', '.join(grant.deny_tables)}"
    for table, rule in grant.columns.items():
        if rule.allow is not None:
            yield f"of {table} only {', '.join(rule.allow)}"
        if rule.deny:
            yield f"of {table} without {', '.join(rule.deny)}"
    for table, rows in grant.rows.items():
        yield f"rows of {table} where {' '.join(rows.split())}"
    if not grant.sql:
        yield "no SQL by hand"
    if not grant.models:
        yield "no language model"
    if grant.role:
        yield f"as the role {grant.role}"
