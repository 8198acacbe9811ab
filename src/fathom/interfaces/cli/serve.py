"""`fathom serve`: the web app on this machine."""

import logging
import os
import secrets
import socket
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import ConfigError, MissingExtra
from fathom.interfaces.cli.display import notices, plain
from fathom.interfaces.cli.options import Strict

if TYPE_CHECKING:
    from fathom.interfaces.web.site import Rules
    from fathom.interfaces.web.users import Entrance

PORT = 8765
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    *databases: str,
    demo: bool = False,
    port: int = PORT,
    host: str = "127.0.0.1",
    public_url: str = "",
    token: str = "",
    model: str | None = None,
    runs: Path = Path("runs"),
    no_sql: bool = False,
    no_files: bool = False,
    strict: Strict = False,
    teach: bool = False,
    json_log: bool = False,
    rights: Path | None = None,
    auth_header: str = "",
    proxy: tuple[str, ...] = (),
    embed_in: tuple[str, ...] = (),
    admin: bool | None = None,
) -> None:
    """Ask in a browser, on this machine: prints the address to open, and serves until you press Ctrl-C.

    AI assistants connect to the same address at /mcp (Model Context Protocol), with the token as a bearer.

    Parameters
    ----------
    databases
        Paths, URLs, names from the settings, or demo:shop. The databases in the settings are always included.
    demo
        Serve the sample database, and made-up records in place of NCBI, UniProt and Ensembl.
    port
        The port to listen on; 0 takes any free one.
    host
        The address to listen on. If others can reach it, also give --public-url and --token.
    public_url
        The address that people open if there is a proxy, such as https://fathom.example.org. You can also
        set FATHOM_PUBLIC_URL.
    token
        The login token; by default each start makes a new one. You can also set FATHOM_TOKEN.
    model
        The language model to use, PROVIDER:NAME or http://HOST:PORT/v1#NAME (fathom models).
    runs
        The folder of the runs to show.
    no_sql
        Don't let people write SQL queries.
    no_files
        Don't let people upload files.
    teach
        Let assistants at /mcp teach solved questions; a person has to agree to each.
    json_log
        Log to standard error, one JSON object per line, including every request. The printed address then
        leaves out a token that you set.
    rights
        The rights file (docs/rights.md); the default is the one in the settings, if any. Its users log in
        with their own tokens; the server's token gives access to everything.
    auth_header
        The header in which a proxy names the user, such as X-Forwarded-User.
    proxy
        The address that the proxy connects from, such as 127.0.0.1; you can repeat this option. The header
        is rejected from any other address.
    embed_in
        A site whose pages may embed shared answers, such as https://intranet.example.org; you can repeat
        this option.
    admin
        Let the holder of the server's token change databases, packs, users and grants in the browser. This is
        the default if the server is for this machine only, or if --rights gives others their own tokens.
    """
    try:
        from fathom.config import read_settings  # noqa: PLC0415
        from fathom.interfaces.web.json_log import log_as_json  # noqa: PLC0415
        from fathom.interfaces.web.server import run_server  # noqa: PLC0415, slow to import
    except ModuleNotFoundError as error:
        raise MissingExtra("the web app", error.name or "fastapi", "web") from error
    own = token or os.environ.get("FATHOM_TOKEN", "")
    public_url = public_url or os.environ.get("FATHOM_PUBLIC_URL", "")
    if host not in LOOPBACK and not (own and public_url):
        raise ConfigError(
            f"Listening on {host} lets others in: give a --token of yours, and the --public-url they open."
        )
    entrance, frames = _entrance(rights, auth_header, proxy), _origins(embed_in)
    named = (*databases, "demo:biomed") if demo else databases
    listening = _listening(host, port)
    rules = _rules(
        listening, own or secrets.token_urlsafe(24), public_url, runs=runs, sql=not no_sql, is_demo=demo
    )
    is_owners = not public_url or bool(rights or read_settings().rights)  # else others have the token too
    rules = replace(
        rules,
        teaching=teach,
        uploads=not no_files,
        embed_in=frames,
        administration=is_owners if admin is None else admin,
    )
    if json_log:
        log_as_json()
    else:
        logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.WARNING)
    shown = public_url or f"http://{_at(host)}:{listening.getsockname()[1]}"
    # Logs are kept and read by many: a token that its owner knows already stays out of them.
    address = f"{shown.rstrip('/')}/" + ("" if own and json_log else f"?t={rules.token}")
    with closing(listening):
        run_server(
            named,
            rules,
            listening,
            model=model,
            strict=strict,
            entrance=entrance,
            ready=partial(_tell, address),
        )


def _tell(address: str) -> None:
    print(address, flush=True)
    notices.print(plain("Open this address in a browser; Ctrl-C ends."), style="dim")


def _entrance(file: Path | None, header: str, proxies: tuple[str, ...]) -> "Entrance":
    """How users with rights come in. Raises `ConfigError`."""
    from fathom.config import read_settings  # noqa: PLC0415
    from fathom.interfaces.web.users import Entrance  # noqa: PLC0415

    if bool(header) != bool(proxies) or (header and (file or read_settings().rights) is None):
        raise ConfigError(
            "A proxy that says who the user is needs all three: --auth-header, such as X-Forwarded-User, the "
            "--proxy that it connects from, and the --rights of the users."
        )
    return Entrance(file, header, frozenset(proxies))


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections from here on. Raises `ConfigError` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise ConfigError(f"Can't listen on {host}:{port}: {error}. Choose another --port.") from error
    listening.listen(128)
    return listening


def _rules(
    listening: socket.socket, token: str, public_url: str, *, runs: Path, sql: bool, is_demo: bool
) -> "Rules":
    from urllib.parse import urlsplit  # noqa: PLC0415

    from fathom.interfaces.web.site import Rules  # noqa: PLC0415

    port = listening.getsockname()[1]
    origins = {f"http://{_at(name)}:{port}" for name in LOOPBACK}
    if public_url:
        parts = urlsplit(public_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ConfigError(f"--public-url {public_url!r} is no address such as https://fathom.example.org")
        origins.add(f"{parts.scheme}://{parts.netloc}")
    secure = public_url.startswith("https:")
    return Rules(
        token,
        hosts=frozenset(urlsplit(o).netloc for o in origins),
        origins=frozenset(origins),
        runs=runs,
        sql=sql,
        is_demo=is_demo,
        # Cookies don't tell ports apart; servers behind one address share theirs.
        cookie=f"{'__Host-' if secure else ''}fathom-{_port_of(public_url) or port}",
        secure=secure,
    )


def _origins(named: tuple[str, ...]) -> tuple[str, ...]:
    """Origins as a policy names them. Raises `ConfigError` for what is none."""
    from urllib.parse import urlsplit  # noqa: PLC0415

    for text in named:
        parts = urlsplit(text)
        plain = bool(parts.netloc) and text.isascii() and not any(c in " ;,'\"*" for c in text)
        if parts.scheme not in ("http", "https") or text != f"{parts.scheme}://{parts.netloc}" or not plain:
            raise ConfigError(f"--embed-in {text!r} is no origin such as https://intranet.example.org")
    return named


def _port_of(url: str) -> int | None:
    from urllib.parse import urlsplit  # noqa: PLC0415

    parts = urlsplit(url)
    return parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _at(host: str) -> str:
    return f"[{host}]" if ":" in host else host
