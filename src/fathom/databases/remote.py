"""The parts that every engine behind a URL shares: its address, and texts without the secrets in it."""

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from fathom.databases.engine import Engine, message_of
from fathom.errors import ConnectionFailed
from fathom.text.secrets import HIDDEN, SECRET_FIELDS

_SHORTEST_SECRET = 4  # shorter ones stand in innocent words too


class Remote(Engine):
    """A database named by a URL. The password appears in no text that this class gives."""

    def __init__(self, url: str) -> None:
        self.address = parse_url(url)

    @property
    def database_name(self) -> str:
        """The database's name, unless its user gives it another; "" where the URL has none."""
        return self.address.database or ""

    def check_named(self) -> None:
        """Raise `DatabaseNotNamed` where the URL has to name a database and doesn't."""

    def account(self) -> str:
        return self.address.username or ""

    def message(self, error: Exception) -> str:
        """Give a driver's error as text on one line, without the password and other secrets of the URL."""
        text = " ".join(self.words(error).split())
        for secret in _secrets(self.address):
            text = text.replace(secret, HIDDEN)
        return text

    def words(self, error: Exception) -> str:
        """The words of a driver's error, secrets and all: for `message` alone."""
        return message_of(error)

    def state(self) -> str:
        return ""


def parse_url(url: str) -> URL:
    """The URL's parts. Raises `ConnectionFailed`, without the text, which may hold a password."""
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise ConnectionFailed(
            "The database's URL can't be read; it looks like postgresql://user:password@host:5432/name."
        ) from None


def hidden(url: URL) -> str:
    """The URL for people: no password, wherever it stands, and no driver."""
    secrets = {k: HIDDEN for k in url.query if _is_secret(k)}
    shown = url.update_query_dict(secrets).set(drivername=url.get_backend_name())
    return shown.render_as_string(hide_password=True).replace("%2A%2A%2A", HIDDEN)


def _is_secret(field: str) -> bool:
    return any(s in field.casefold() for s in SECRET_FIELDS)


def _secrets(url: URL) -> list[str]:
    """The password, and what stands in fields that are named like one; the longest first."""
    found = [str(url.password or "")]
    for name, value in url.query.items():
        if _is_secret(name):
            found += [value] if isinstance(value, str) else value
    return sorted((s for s in found if len(s) >= _SHORTEST_SECRET), key=len, reverse=True)
