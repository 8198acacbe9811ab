"""`fathom mcp`: databases for assistants, over standard input and output."""

from dataclasses import replace
from pathlib import Path

from fathom.errors import InputError, MissingExtra
from fathom.interfaces.cli.options import Strict


def mcp(
    *databases: str,
    files: Path | None = None,
    demo: bool = False,
    all: bool = False,
    teach: bool = False,
    strict: Strict = False,
) -> None:
    """Serve databases to assistants over the Model Context Protocol, on standard input and output.

    Without a database it serves those of the settings. A process that stays is faster: fathom serve has the
    same at /mcp.

    Parameters
    ----------
    databases
        Paths, URLs or names from the settings.
    files
        A folder: each file of rows in it may be asked by its path from there, and nothing outside.
    demo
        Serve the sample database.
    all
        Serve the databases of the settings beside those that are named.
    teach
        Let assistants teach solved questions; each needs a person's agreement.
    """
    from fathom.config import read_settings  # noqa: PLC0415

    try:
        from fathom.interfaces.mcp.server import make_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtra("serving assistants", "mcp", "mcp") from error
    from fathom.answering.store import Store  # noqa: PLC0415
    from fathom.interfaces.web.site import DEMO, Rules, Site, addresses  # noqa: PLC0415

    settings = read_settings()
    settings = replace(settings, strict=strict or settings.strict)
    named = (*databases, *((DEMO,) if demo else ()))
    found = addresses(named, settings, whole=all or not named)
    if files is not None and not files.is_dir():
        raise InputError(f"--files {files} is no folder")
    if not found and files is None:
        raise InputError(
            "there is nothing to serve: name a database, put one into the settings, or add --demo"
        )
    rules = Rules(token="", hosts=frozenset(), origins=frozenset(), uploads=False, folder=files)
    site = Site(settings, rules, Store(settings.store), found)
    try:
        make_server(site, teaching=teach).run("stdio")
    finally:
        site.close()
