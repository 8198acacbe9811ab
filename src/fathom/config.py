"""Settings: read once from the environment and the user's file, then passed as arguments.

The file is `config.toml` in the platform's configuration folder (`fathom --version` shows where), or the
one that FATHOM_CONFIG names:

    data = "~/benchmarks"
    strict = true
    audit_log = "/var/log/fathom/audit.jsonl"
    rights = "rights.toml"
    model = "local"
    smtp = "smtp://mail.example.org"
    mail_from = "fathom@example.org"

    [databases]
    sales = "postgresql://reader@localhost/sales"

    [packs]
    sales = "sales.yaml"

    [destinations]
    anna = "mailto:anna@example.org"
    team = "https://hooks.example.org/fathom"
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.errors import ConfigError

_KNOWN = frozenset(
    (
        "audit_log",
        "data",
        "databases",
        "destinations",
        "mail_from",
        "model",
        "packs",
        "rights",
        "smtp",
        "strict",
    )
)
"""The sections of the settings file."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings.

    `databases` maps names to URLs or paths; `cache` is the folder of indexes; `data` is the folder of
    published benchmarks; `packs` maps names of databases to their knowledge packs; `store` is the file of
    answers; `strict` refuses accounts that may do more than read; `audit_log` is the file that keeps who
    asked what, None for no log; `rights` is the file of who may see what, None where everybody may see all;
    `model` is the language model to ask where none is named; `destinations` maps names to the addresses that
    answers may be sent to, `mailto:` or a webhook's, `smtp` is the server that takes mails from `mail_from`.
    """

    file: Path
    cache: Path
    databases: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    packs: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    store: Path = Path("fathom.sqlite")
    strict: bool = False
    audit_log: Path | None = None
    rights: Path | None = None
    model: str | None = None
    destinations: Mapping[str, str] = field(default_factory=dict)
    smtp: str | None = None
    mail_from: str | None = None

    @property
    def review(self) -> Path:
        """The file where people's work is kept, beside the answers."""
        return self.store.with_name("review.sqlite")


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings. Raises `ConfigError` when the file is there and can't be used."""
    import platformdirs  # noqa: PLC0415 - with tomllib a good part of the start-up time

    file = Path(
        environment.get("FATHOM_CONFIG") or platformdirs.user_config_path("fathom") / "config.toml"
    ).expanduser()
    cache = Path(environment.get("FATHOM_CACHE") or platformdirs.user_cache_path("fathom")).expanduser()
    store = Path(
        environment.get("FATHOM_STORE") or platformdirs.user_data_path("fathom") / "fathom.sqlite"
    ).expanduser()
    content = _content(file) if file.is_file() else {}
    databases = content.get("databases", {})
    if not isinstance(databases, dict) or not all(isinstance(v, str) for v in databases.values()):
        raise ConfigError(f'{file}: [databases] must map names to URLs, such as sales = "sales.db".')
    data = environment.get("FATHOM_DATA") or content.get("data")
    if not isinstance(data, str | None):
        raise ConfigError(f'{file}: data must be a folder, such as data = "~/benchmarks".')
    strict = _flag(environment.get("FATHOM_STRICT", ""), content.get("strict", False), file)
    if unknown := sorted(set(content) - _KNOWN):
        raise ConfigError(f"{file}: unknown section {unknown[0]!r}. There is: {', '.join(sorted(_KNOWN))}.")
    folder = Path(data).expanduser() if data else None
    log = environment.get("FATHOM_AUDIT_LOG") or content.get("audit_log")
    if not isinstance(log, str | None):
        raise ConfigError(f'{file}: audit_log must be a file, such as audit_log = "/var/log/fathom.jsonl".')
    rights = environment.get("FATHOM_RIGHTS") or content.get("rights")
    if not isinstance(rights, str | None):
        raise ConfigError(f'{file}: rights must be a file, such as rights = "rights.toml".')
    model = environment.get("FATHOM_MODEL") or content.get("model")
    if not isinstance(model, str | None):
        raise ConfigError(f'{file}: model must name a language model, such as model = "local".')
    return Settings(
        file=file,
        cache=cache,
        databases=databases,
        data=folder,
        packs=_packs(content.get("packs", {}), file),
        store=store,
        strict=strict,
        audit_log=file.parent / Path(log).expanduser() if log else None,
        rights=file.parent / Path(rights).expanduser() if rights else None,
        model=model,
        destinations=_destinations(content.get("destinations", {}), file),
        smtp=_smtp(environment.get("FATHOM_SMTP") or content.get("smtp"), file),
        mail_from=_mail_from(content.get("mail_from"), file),
    )


def account_name() -> str:
    """The account that runs the program."""
    from getpass import getuser  # noqa: PLC0415, only where it matters who asks

    try:
        return getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"


def _flag(said: str, kept: object, file: Path) -> bool:
    """FATHOM_STRICT, and where it isn't set what the file has."""
    if said:
        if said not in ("0", "1"):
            raise ConfigError(f"FATHOM_STRICT must be 0 or 1, not {said!r}.")
        return said == "1"
    if not isinstance(kept, bool):
        raise ConfigError(f"{file}: strict must be true or false.")
    return kept


def _destinations(section: object, file: Path) -> dict[str, str]:
    """Where answers may be sent, by name."""
    from urllib.parse import urlsplit  # noqa: PLC0415

    found = section if isinstance(section, dict) else {"": None}
    for address in found.values():
        parts = urlsplit(address) if isinstance(address, str) else None
        is_mail = parts is not None and parts.scheme == "mailto" and _is_mail_address(parts.path)
        if parts is None or not (is_mail or (parts.scheme in ("http", "https") and parts.hostname)):
            raise ConfigError(
                f"{file}: [destinations] must map names to addresses, such as "
                'anna = "mailto:anna@example.org" or team = "https://hooks.example.org/fathom".'
            )
    return {str(name): str(address) for name, address in found.items()}


def _is_mail_address(text: str) -> bool:
    name, _, domain = text.partition("@")
    return bool(name and domain) and not any(c.isspace() or c in ',;<>"@' for c in name + domain)


def _smtp(text: object, file: Path) -> str | None:
    """The address of a server for mails; the message never shows it, for it may hold a password."""
    from urllib.parse import urlsplit  # noqa: PLC0415

    if text is None:
        return None
    parts = urlsplit(text) if isinstance(text, str) else None
    if parts is None or parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ConfigError(f'{file}: smtp must be a server, such as smtp = "smtp://mail.example.org:587".')
    return str(text)


def _mail_from(text: object, file: Path) -> str | None:
    if text is not None and not (isinstance(text, str) and _is_mail_address(text)):
        raise ConfigError(f'{file}: mail_from must be an address, such as mail_from = "fathom@example.org".')
    return text if isinstance(text, str) else None


def _packs(section: object, file: Path) -> dict[str, tuple[Path, ...]]:
    """Pack files by database; their paths are relative to the settings file."""
    packs: dict[str, tuple[Path, ...]] = {}
    for name, named in section.items() if isinstance(section, dict) else [("", None)]:
        files = [named] if isinstance(named, str) else named
        if not isinstance(files, list) or not all(isinstance(one, str) for one in files):
            raise ConfigError(f'{file}: [packs] must map databases to files, such as sales = "sales.yaml".')
        packs[name] = tuple(file.parent / Path(one).expanduser() for one in files)
    return packs


def _content(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The settings in {file} can't be read: {error}") from error
