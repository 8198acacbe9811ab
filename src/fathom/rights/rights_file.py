"""Reading a file of rights: TOML, every problem at once, each with the key it stands under."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fathom.errors import ConfigError, InputError, InputErrors, did_you_mean
from fathom.records import Limits
from fathom.rights.grants import EVERYONE, ColumnRule, Grant, Rights

_TOP = ("users", "groups", "grants")
_USER = ("token",)
_GRANT = ("to", "databases", "tables", "deny_tables", "columns", "rows", "limits", "sql", "models", "role")
_COLUMNS = ("allow", "deny")
_LIMITS = ("seconds", "rows", "bytes")
_DIGEST = "sha256:"
_HEX_DIGITS = 64


def read_rights(file: Path) -> Rights:
    """The rights that a file holds. Raises `InputErrors` with every problem found, by key."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputErrors([InputError(f"can't be read: {error}", file=file)]) from error
    reader = _GrantReader(file)
    rights = reader.rights(content)
    if reader.problems:
        raise InputErrors(reader.problems)
    return rights


class _GrantReader:
    """Takes a file apart; what is wrong is noted, and what stands in its place gives nothing."""

    def __init__(self, file: Path) -> None:
        self.problems: list[InputError] = []
        self._file = file

    def _wrong(self, key: str, problem: str) -> None:
        self.problems.append(InputError(problem, file=self._file, field=key))

    def rights(self, content: Mapping[str, Any]) -> Rights:
        """All of the file."""
        self._known(content, _TOP, "")
        users = self._table(content.get("users", {}), "users")
        tokens = {d: name for name, found in users.items() if (d := self._token(found, f"users.{name}"))}
        groups = {
            name: self._members(members, f"groups.{name}", users)
            for name, members in self._table(content.get("groups", {}), "groups").items()
        }
        for name in (n for n in groups if n in users):
            self._wrong(f"groups.{name}", "is the name of a user as well; give the group another")
        grants = content.get("grants", [])
        if not isinstance(grants, list) or not all(isinstance(g, dict) for g in grants):
            self._wrong("grants", "must be tables, each under [[grants]]")
            grants = []
        known = [EVERYONE, *users, *groups]
        made = tuple(self._grant(g, f"grants[{n}]", known) for n, g in enumerate(grants, 1))
        return Rights(tuple(users), groups, made, tokens)

    def _token(self, found: object, key: str) -> str:
        """The digest of a user's token; "" where there is none."""
        user = self._table(found, key)
        self._known(user, _USER, key)
        token = user.get("token", "")
        if not token:
            return ""
        digest = str(token).removeprefix(_DIGEST).lower()
        if not str(token).startswith(_DIGEST) or len(digest) != _HEX_DIGITS or not _is_hex(digest):
            self._wrong(
                f"{key}.token",
                f'must be "{_DIGEST}" and the {_HEX_DIGITS} hexadecimal digits of its SHA-256; '
                "the token itself is never written here",
            )
            return ""
        return digest

    def _members(self, found: object, key: str, users: Mapping[str, Any]) -> tuple[str, ...]:
        members = self._names(found, key)
        for name in members:
            if name not in users:
                self._wrong(key, f"there is no user {name!r}.{did_you_mean(name, list(users))}")
        return members

    def _grant(self, found: Mapping[str, Any], key: str, known: list[str]) -> Grant:
        self._known(found, _GRANT, key)
        for needed, example in (("to", "anna"), ("databases", "sales"), ("tables", "*")):
            if needed not in found:
                self._wrong(f"{key}.{needed}", f'is missing, such as {needed} = ["{example}"]')
        to = self._names(found.get("to", []), f"{key}.to")
        for name in to:
            if name not in known:
                near = did_you_mean(name, known[1:])
                self._wrong(f"{key}.to", f"there is no user or group {name!r}.{near}")
        return Grant(
            to,
            self._names(found.get("databases", []), f"{key}.databases"),
            self._names(found.get("tables", []), f"{key}.tables"),
            self._names(found.get("deny_tables", []), f"{key}.deny_tables"),
            {
                table: self._columns(rule, f"{key}.columns.{table}")
                for table, rule in self._table(found.get("columns", {}), f"{key}.columns").items()
            },
            {
                table: self._text(sql, f"{key}.rows.{table}")
                for table, sql in self._table(found.get("rows", {}), f"{key}.rows").items()
            },
            self._limits(found.get("limits", {}), f"{key}.limits"),
            self._flag(found.get("sql", True), f"{key}.sql"),
            self._flag(found.get("models", True), f"{key}.models"),
            self._role(found["role"], f"{key}.role") if "role" in found else "",
        )

    def _columns(self, found: object, key: str) -> ColumnRule:
        rule = self._table(found, key)
        self._known(rule, _COLUMNS, key)
        if not rule:
            self._wrong(key, 'needs allow or deny, such as deny = ["salary"]')
        allow = self._names(rule["allow"], f"{key}.allow") if "allow" in rule else None
        return ColumnRule(allow, self._names(rule.get("deny", []), f"{key}.deny"))

    def _limits(self, found: object, key: str) -> Limits:
        limits = self._table(found, key)
        self._known(limits, _LIMITS, key)
        kept: dict[str, Any] = dict.fromkeys(_LIMITS)
        for name, value in limits.items():
            if name in kept and (isinstance(value, bool) or not isinstance(value, int | float)):
                self._wrong(f"{key}.{name}", "must be a number")
            elif name in kept:
                kept[name] = value if name == "seconds" else int(value)
        try:
            return Limits(**kept)
        except ConfigError as error:
            self._wrong(key, str(error))
            return Limits()

    def _known(self, found: Mapping[str, Any], known: tuple[str, ...], key: str) -> None:
        for name in found:
            if name not in known:
                where = f"{key}.{name}" if key else name
                self._wrong(where, f"there is no such key.{did_you_mean(name, known)}")

    def _table(self, found: object, key: str) -> Mapping[str, Any]:
        return self._typed(found, dict, key, "must be a table") or {}

    def _text(self, found: object, key: str) -> str:
        text = self._typed(found, str, key, "must be a condition in SQL, such as \"country = 'FR'\"")
        if text is not None and not text.strip():
            self._wrong(key, "is empty; leave it out to give all rows")
        return text or ""

    def _role(self, found: object, key: str) -> str:
        name = self._typed(found, str, key, 'must be the name of a role of the database, such as "analyst"')
        if name is not None and not name.strip():
            self._wrong(key, "is empty; leave it out to ask as the account itself")
        if name is not None and name.strip().casefold() == "none":  # SET ROLE takes it for the account itself
            self._wrong(key, 'is no role: PostgreSQL reads "none" as the account itself; leave it out')
        return name or ""

    def _flag(self, found: object, key: str) -> bool:
        return self._typed(found, bool, key, "must be true or false") or False

    def _names(self, found: object, key: str) -> tuple[str, ...]:
        if not isinstance(found, list) or not all(isinstance(n, str) and n for n in found):
            self._wrong(key, 'must be a list of names, such as ["anna"]')
            return ()
        return tuple(found)

    def _typed(self, found: object, kind: Callable[..., Any], key: str, problem: str) -> Any:
        if isinstance(kind, type) and isinstance(found, kind):
            return found
        self._wrong(key, problem)
        return None


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdef" for c in text)
