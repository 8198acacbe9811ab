"""A database's knowledge packs, shown, checked against the database, and edited."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.errors import FathomError, InputError
from fathom.interfaces.web.html import page
from fathom.interfaces.web.pack_files import (
    PACK_LETTERS,
    PackFile,
    PackProblem,
    all_sound,
    digest_of,
    pack_file,
    pack_files,
    problems_of,
    save_pack,
    with_line_ends_of,
)
from fathom.interfaces.web.routes import FAULTS, OfSite, shown
from fathom.interfaces.web.site import Site
from fathom.knowledge import KnowledgePack
from fathom.text import without_secrets

router = APIRouter(tags=["knowledge"])
Number = Annotated[int, Path(ge=1, le=10_000)]


@dataclass(frozen=True, slots=True)
class PackLine:
    """A pack's file by its name, with what of it the database doesn't have."""

    number: int
    name: str
    editable: bool
    problems: Sequence[PackProblem]
    missing: Sequence[PackProblem]


@dataclass(frozen=True, slots=True)
class KnowledgePage:
    """All that is known about a database, of its packs and of what people taught, merged as it is used.

    `conflicts` tell where one file says otherwise than another, and which of them counts.
    """

    database: str
    packs: Sequence[PackLine]
    known: dict[str, Any]
    conflicts: Sequence[str]
    is_empty: bool


@shown(router, "/db/{database}/knowledge", "knowledge.html")
def knowledge_page(site: OfSite, database: str) -> KnowledgePage:
    """Show a database's knowledge packs, and their names that the database doesn't have."""
    pack = site.asking(database).context.knowledge
    return KnowledgePage(
        database=database,
        packs=[_line(site, database, one) for one in pack_files(site, database)],
        known=pack.model_dump(mode="json"),
        conflicts=[without_secrets(str(c)) for c in pack.conflicts],
        is_empty=_is_empty(pack),
    )


def _is_empty(pack: KnowledgePack) -> bool:
    return not (pack.tables or pack.glossary or pack.conventions or pack.joins or pack.examples)


def _line(site: Site, database: str, one: PackFile) -> PackLine:
    problems, missing = problems_of(one.text, one.file, site.database(database).schema)
    return PackLine(one.number, one.file.name, one.editable, problems, missing)


@dataclass(frozen=True, slots=True)
class PackPage:
    """One pack as text. `opened_as` tells which text was opened; `problems` keep it from being saved.

    `missing` is what the text names and the database doesn't have. `saved` says that the text was written.
    """

    database: str
    number: int
    name: str
    text: str
    opened_as: str
    editable: bool
    problems: Sequence[PackProblem]
    missing: Sequence[PackProblem]
    saved: bool = False


@shown(router, "/db/{database}/knowledge/{number}", "pack.html")
def pack_page(site: OfSite, database: str, number: Number, saved: bool = False) -> PackPage:
    """A pack as it stands in its file; `saved` is only told back."""
    one = pack_file(site, database, number)
    return _page(site, database, one, one.text, digest_of(one.text), saved=saved)


def _page(
    site: Site, database: str, one: PackFile, text: str, opened_as: str, *, saved: bool = False
) -> PackPage:
    problems, missing = problems_of(text, one.file, site.database(database).schema)
    return PackPage(
        database, one.number, one.file.name, text, opened_as, one.editable, problems, missing, saved
    )


class PackDraft(BaseModel):
    """A text for a pack's file. `save` writes it if it is sound; else it is only checked.

    `opened_as` is that of the page; `anyway` saves although it names what the database doesn't have.
    """

    text: str = Field(max_length=PACK_LETTERS)
    opened_as: str = Field(max_length=40)
    save: bool = False
    anyway: bool = False


def _edited(site: Site, database: str, number: int, draft: PackDraft) -> PackPage:
    one = pack_file(site, database, number)
    if not one.editable:
        raise InputError(f"{one.file.name} comes with Fathom and can't be edited here")
    before = one.text
    text = with_line_ends_of(draft.text, before)
    checked = _page(site, database, one, text, draft.opened_as)
    known = problems_of(before, one.file, site.database(database).schema)[1]
    if not draft.save or not (
        all_sound(checked.problems, checked.missing, known) or (draft.anyway and not checked.problems)
    ):
        return checked
    save_pack(one, text, draft.opened_as)
    site.forget(database)
    return _page(site, database, one, text, digest_of(text), saved=True)


@router.post(
    "/api/db/{database}/knowledge/{number}", response_model=PackPage, responses=FAULTS, name="edit pack"
)
def edit_pack(site: OfSite, database: str, number: Number, body: PackDraft) -> Any:
    """Check a text for a pack's file, and save it where `save` is set and the text is sound."""
    return _edited(site, database, number, body)


@router.post("/db/{database}/knowledge/{number}", include_in_schema=False)
async def edit_pack_form(
    site: OfSite, request: Request, database: str, number: Number, body: Annotated[PackDraft, Form()]
) -> Response:
    """The same by a form: a text that can't be saved is shown again, with what is wrong; none is lost."""
    try:
        done = await run_in_threadpool(_edited, site, database, number, body)
    except FathomError as error:
        one = await run_in_threadpool(pack_file, site, database, number)
        told = PackProblem(None, "", without_secrets(str(error)))
        done = PackPage(database, number, one.file.name, body.text, body.opened_as, one.editable, [told], [])
    if done.saved:
        return RedirectResponse(f"/db/{database}/knowledge/{number}?saved=1", HTTPStatus.SEE_OTHER)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if done.problems else HTTPStatus.OK
    return page("pack.html", status=status, content=done, site=site, path=request.url.path)
