"""Files of rows that people put here, to ask them: by a form, or by dropping them on a page."""

import asyncio

from fastapi import APIRouter, UploadFile

from fathom.errors import InputError, UnknownName
from fathom.interfaces.web.routes import ActionDone, OfSite, done
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.uploads import Uploads

router = APIRouter(tags=["databases"])


@done(router, "/files")
async def put_file(site: OfSite, file: UploadFile) -> ActionDone:
    """Put a file of rows here, in place of an earlier one of its name, and ask it as a database.

    CSV, TSV, JSON, JSON lines, Parquet or a spreadsheet, up to 100 MB. It stays until it is removed.
    """
    uploads, called = _uploads(site), file.filename or ""
    name = await asyncio.to_thread(uploads.keep, called, file.file, site.database)
    return ActionDone(f"/ask/{name}", name)


@done(router, "/files/{name}/remove")
async def remove_file(site: OfSite, name: str) -> ActionDone:
    """Remove a file that was put here, with the rows that were read from it."""
    uploads = _uploads(site)
    if name not in uploads.databases():
        raise UnknownName("file", name, uploads.databases())
    await asyncio.to_thread(site.drop, name)
    await asyncio.to_thread(uploads.remove, name)
    return ActionDone("/db", name)


def _uploads(site: Site) -> Uploads:
    if (uploads := site.uploads) is None:
        raise InputError("no files are taken here (--no-files)")
    return uploads
