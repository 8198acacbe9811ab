"""Files of rows that people put here, to ask them: by a form, or by dropping them on a page."""

import asyncio
from collections.abc import Callable
from functools import partial

from fastapi import APIRouter, UploadFile

from fathom.answering.audit_log import logged_change, logging_as
from fathom.errors import InputError, UnknownName
from fathom.interfaces.web.routes import ActionDone, OfSite, done
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.uploads import Uploads, file_name

router = APIRouter(tags=["databases"])


@done(router, "/files")
async def put_file(site: OfSite, file: UploadFile) -> ActionDone:
    """Put a file of rows here, in place of an earlier one of its name, and ask it as a database.

    CSV, TSV, JSON, JSON lines, Parquet or a spreadsheet, up to 100 MB. It stays until it is removed.
    """
    uploads, called, made = _uploads(site), file.filename or "", list[str]()

    def keep() -> None:
        made.append(uploads.keep(called, file.file, site.database))

    await asyncio.to_thread(_logged, f"The file {file_name(called)} was put here.", keep)
    name = made[0]
    return ActionDone(f"/ask/{name}", name)


@done(router, "/files/{name}/remove")
async def remove_file(site: OfSite, name: str) -> ActionDone:
    """Remove a file that was put here, with the rows that were read from it."""
    uploads = _uploads(site)
    if name not in uploads.databases():
        raise UnknownName("file", name, uploads.databases())
    await asyncio.to_thread(site.drop, name)
    await asyncio.to_thread(_logged, f"The file {name} was removed.", partial(uploads.remove, name))
    return ActionDone("/db", name)


def _logged(what: str, work: Callable[[], None]) -> None:
    with logging_as("browser"):
        logged_change(what, "", work)


def _uploads(site: Site) -> Uploads:
    if (uploads := site.uploads) is None:
        raise InputError("no files are taken here (--no-files)")
    return uploads
