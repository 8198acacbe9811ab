"""From what a user names - a path, a URL, a name from the settings, a demo - to a connected database."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

from fathom.config import Settings, account_name, read_settings
from fathom.databases.child_server import embedded_engine
from fathom.databases.database import Database
from fathom.databases.servers import SERVERS, ServerKind
from fathom.errors import ConfigError, ConnectionFailed, did_you_mean
from fathom.files import private_folder
from fathom.rights import Rights, read_rights

_FILES = ("sqlite", "duckdb", "files")
_HEADER_BYTES = 16


def connect(
    url_or_path: str | Path,
    *,
    settings: Settings | None = None,
    strict: bool | None = None,
    index: bool = True,
    rights: Path | Rights | None = None,
    user: str = "",
) -> Database:
    """Open a database for reading.

    Takes the path of a SQLite or DuckDB file, of a file of rows (CSV, TSV, JSON, Parquet, Excel) or a folder
    of such, a SQLAlchemy URL, a name from the settings' `[databases]`, or
    `demo:NAME` for a sample database, which is made when first asked for. An account on a server that may do
    more than read is warned of (`AccountWarning`); `strict` refuses it, and left out the settings say.
    Without `index` the first question doesn't wait until the values are indexed: one that was kept is used,
    also where the data have changed since, and without one values are found only where a query names them.
    Under `rights`, a file or what was read from one, or left out the file that the settings name, it is the
    database as `user` may see it, or as the account that runs the program.
    Raises `ConnectionFailed`, its kind `AccountRefused`, `MissingExtra`, `UnknownName`, `ConfigError` where
    a sample can't be kept, `InputErrors` for rights that can't be read, and `RightsError` for a user without.
    """
    settings = settings or read_settings()
    if strict is not None:
        settings = replace(settings, strict=strict)
    text = str(url_or_path)
    if text.startswith("demo:"):
        database = _open_demo(text.removeprefix("demo:"), settings)
    elif isinstance(url_or_path, str) and text in settings.databases:
        database = _open(settings.databases[text], settings, base=settings.file.parent, name=text)
    else:
        database = _open(text, settings)
        text = ""
    database.known_as = text
    database.indexes_values = index
    return _as_seen(database, rights or settings.rights, user)


def _as_seen(database: Database, rights: Path | Rights | None, user: str) -> Database:
    """The database as the user may see it; it is closed where that is nothing."""
    if rights is None:
        if user:
            database.close()
            raise ConfigError(
                "A user is named, but no file of rights: name one with --rights, or in the settings."
            )
        return database
    try:
        known = rights if isinstance(rights, Rights) else read_rights(rights)
        granted = known.granted(user or account_name(), database.known_as, database.name)
        return database.restricted(granted)
    except BaseException:
        database.close()
        raise


def from_any_folder(database: str) -> str:
    """The database by what `connect` finds it with from any folder: a file that is here by its whole path.

    For workers, who stand in folders of their own. Names, servers and what isn't here stay as they are.
    """
    if database.startswith("demo:") or database in read_settings().databases:
        return database
    scheme, is_url, rest = database.partition("://")
    if is_url and scheme.partition("+")[0].casefold() not in _FILES:
        return database
    named = _path_in(rest) if is_url else database
    path = Path(named).expanduser()
    if not named or not path.exists():
        return database
    # Links are kept: what lies beside a file may matter, and elsewhere a link may lead elsewhere.
    return f"{scheme}:///{quote(str(path.absolute()))}" if is_url else str(path.absolute())


def _path_in(rest: str) -> str:
    """The path of a URL's file, from what follows `://`."""
    return unquote(rest.partition("?")[0]).removeprefix("/")


def _open(text: str, settings: Settings, *, base: Path = Path(), name: str | None = None) -> Database:
    scheme, is_url, rest = text.partition("://")
    system = scheme.partition("+")[0].casefold()
    if not is_url:
        return _open_file(base / Path(text).expanduser(), settings, name=name)
    if system in _FILES:
        path = _path_in(rest)
        if not path or path == ":memory:":
            raise ConnectionFailed(f"{text}: a database in memory is empty; name a file.")
        return _open_file(base / Path(path).expanduser(), settings, name=name, system=system)
    if system in SERVERS:
        return _open_server(SERVERS[system], text, settings, name=name)
    raise ConnectionFailed(
        f"Fathom doesn't know databases of the kind {scheme!r}."
        f"{did_you_mean(system, sorted({*_FILES, *SERVERS}))}"
    )


def _open_demo(name: str, settings: Settings) -> Database:
    from fathom import registry  # noqa: PLC0415, reading the installed entry points takes its time

    make: Callable[[Path], Path] = registry.load("demos", name)
    folder = settings.cache / "demos"
    try:
        private_folder(folder)
        file = make(folder)
    except OSError as error:
        raise ConfigError(
            f"The sample database can't be made in {folder}: {error}. "
            "Set FATHOM_CACHE to a folder that can be written to."
        ) from error
    return _open_file(file, settings, name=name)


def _open_server(kind: ServerKind, url: str, settings: Settings, *, name: str | None) -> Database:
    from fathom.databases.remote import hidden  # noqa: PLC0415, SQLAlchemy is slow to import

    engine = kind.at(url)
    database = Database(
        engine,
        name=name or engine.database_name or kind.title,
        url=hidden(engine.address),
        cache_folder=settings.cache,
    )
    try:
        engine.check_named()
        database.check_connection()
        database.check_account(strict=settings.strict)
    except BaseException:
        database.close()
        raise
    return database


def _open_file(
    path: Path, settings: Settings, *, name: str | None = None, system: str | None = None
) -> Database:
    if _is_of_rows(path, system):
        return _open_rows(path, settings, name=name)
    found = _system_of(path, settings)
    if system and found != system:
        raise ConnectionFailed(f"{path} is a {_TITLES[found]} file, not a {_TITLES[system]} one.")
    path = path.resolve()
    database = Database(
        embedded_engine(found, path),
        name=name or path.stem,
        url=f"{found}:///{path}",
        cache_folder=settings.cache,
    )
    database.check_connection()
    return database


def _is_of_rows(path: Path, system: str | None) -> bool:
    """True for a folder, or a file that is named like one of rows and isn't a database all the same."""
    from fathom.databases.row_files.sources import holds_rows  # noqa: PLC0415

    try:
        if system == "files" or (system is None and path.is_dir()):
            return True
        return system is None and holds_rows(path) and path.exists() and not _by_header(path)
    except (OSError, ValueError):  # said when it is opened
        return False


def _open_rows(path: Path, settings: Settings, *, name: str | None) -> Database:
    from fathom.databases.row_files.opening import RowFiles  # noqa: PLC0415

    path = path.resolve()
    database = Database(
        RowFiles(path, settings.cache),
        name=name or path.stem or "files",
        url=f"files:///{path}",
        cache_folder=settings.cache,
    )
    database.check_connection()
    return database


_TITLES = {"sqlite": "SQLite", "duckdb": "DuckDB"}


def _system_of(path: Path, settings: Settings) -> str:
    """Which engine's file it is, by its first bytes. Never makes a file."""
    try:
        found = _by_header(path)
    except IsADirectoryError:
        raise ConnectionFailed(f"{path} is a folder; name the database file in it.") from None
    except FileNotFoundError:
        # A bare word was meant as a name, such as a benchmark's for a database on a server.
        named = (
            ""
            if path.suffix or path.parent != Path()
            else f", and no {path} under [databases] in {settings.file}"
        )
        raise ConnectionFailed(f"There is no file {path}{named}.{_nearby(path, settings)}") from None
    except (OSError, ValueError) as error:
        raise ConnectionFailed(f"{path} can't be read: {error}.") from error
    if found:
        return found
    from fathom.databases.row_files.sources import KINDS  # noqa: PLC0415

    what = "is neither a SQLite nor a DuckDB file" if path.stat().st_size else "is empty"
    raise ConnectionFailed(
        f"{path} {what}. Files of rows are told by their ending: {', '.join(sorted(KINDS))}."
    )


def _by_header(path: Path) -> str:
    """Which engine's file it is, by its first bytes; "" for none. Raises `OSError`."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if header == b"SQLite format 3\0":
        return "sqlite"
    return "duckdb" if header[8:12] == b"DUCK" else ""


def _nearby(path: Path, settings: Settings) -> str:
    """A hint at what was meant: a configured name, or a database file beside the path."""
    from fathom.databases.row_files.sources import DATABASES, KINDS  # noqa: PLC0415

    files = []
    if path.parent.is_dir():
        files = [p.name for p in path.parent.iterdir() if p.suffix.casefold() in {*DATABASES, *KINDS}]
    known = [*settings.databases, *sorted(files)]
    return did_you_mean(path.name, known)
