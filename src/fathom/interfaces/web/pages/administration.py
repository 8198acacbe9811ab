"""Administration, for the owner: databases and their packs, files, users and grants."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from fathom.answering.audit_log import logging_as
from fathom.errors import ConfigError, FathomError, RightsError
from fathom.interfaces.web.access import RequestRefused
from fathom.interfaces.web.administration.file_change import FileChange, ProposedChange
from fathom.interfaces.web.administration.rights_changes import (
    GrantDraft,
    RightsDraft,
    UserDraft,
    first_rights,
    grant_change,
    grant_draft,
    grant_in_words,
    rights_change,
    user_change,
    user_draft,
)
from fathom.interfaces.web.administration.settings_changes import DatabaseDraft, database_change, draft_of
from fathom.interfaces.web.following import FollowedFile, Following
from fathom.interfaces.web.routes import OfSite, proposed, shown, site_of
from fathom.rights import Rights
from fathom.text import without_passwords


def _owner(request: Request) -> Following:
    """The files that the owner changes. Raises `RequestRefused` for others."""
    following: Following | None = request.app.state.following
    if following is None or not site_of(request).rules.administration:
        raise RequestRefused(
            HTTPStatus.FORBIDDEN,
            "Administration is switched off here. Start the server with --admin: then whoever has its token "
            "changes databases, packs, users and grants.",
        )
    return following


router = APIRouter(tags=["administration"], dependencies=[Depends(_owner)])
OfOwner = Annotated[Following, Depends(_owner)]


@dataclass(frozen=True, slots=True)
class AdministeredDatabase:
    """A database as it is named, its password hidden; `in_settings` tells whether it is changed here."""

    name: str
    address: str
    packs: Sequence[str]
    in_settings: bool


@dataclass(frozen=True, slots=True)
class AdministeredUser:
    """A user of the file of rights."""

    name: str
    groups: Sequence[str]
    has_token: bool
    grants: Sequence[int]


@dataclass(frozen=True, slots=True)
class AdministeredGrant:
    """A grant in words."""

    number: int
    to: Sequence[str]
    parts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Administration:
    """All that the owner changes here. `problem` tells why a file isn't used as it is by now."""

    settings: str
    problem: str
    databases: Sequence[AdministeredDatabase]
    files: Sequence[str]
    rights: str
    users: Sequence[AdministeredUser]
    grants: Sequence[AdministeredGrant]


@shown(router, "/admin", "admin.html")
def administration(site: OfSite, following: OfOwner) -> Administration:
    """Show the databases, files, users and grants, and which file holds them."""
    settings, rights = site.settings, following.rights
    databases = [
        AdministeredDatabase(
            name,
            without_passwords(settings.databases.get(text, text)),
            [file.name for file in settings.packs.get(text, ())],
            text in settings.databases,
        )
        for name, text in site.served.items()
    ]
    uploads, file = site.uploads, following.rights_file
    problem = following.settings.problem or (file.problem if file else "")
    return Administration(
        settings=settings.file.name,
        problem=without_passwords(problem),
        databases=databases,
        files=[*uploads.databases()] if uploads else [],
        rights=file.file.name if file else "",
        users=_users(rights) if rights else [],
        grants=_grants(rights) if rights else [],
    )


def _users(rights: Rights) -> list[AdministeredUser]:
    with_token = set(rights.tokens.values())
    found = []
    for name in rights.users:
        groups = [group for group, members in rights.groups.items() if name in members]
        own = {"*", name, *groups}
        numbers = [number for number, grant in enumerate(rights.grants, 1) if own.intersection(grant.to)]
        found.append(AdministeredUser(name, groups, name in with_token, numbers))
    return found


def _grants(rights: Rights) -> list[AdministeredGrant]:
    return [
        AdministeredGrant(number, grant.to, [*grant_in_words(grant)])
        for number, grant in enumerate(rights.grants, 1)
    ]


@dataclass(frozen=True, slots=True)
class DatabaseChangePage:
    """The form of a database, and what it would change in the settings."""

    form: DatabaseDraft
    change: ProposedChange


@shown(router, "/admin/database", "admin_database.html")
def database_form(site: OfSite, name: str = "") -> DatabaseChangePage:
    """Show the form of a database of the settings, or of a new one."""
    form = draft_of(name, site.settings) if name else DatabaseDraft()
    return DatabaseChangePage(form, ProposedChange(site.settings.file.name))


@proposed(router, "/admin/database", "admin_database.html", "/admin")
def change_database(request: Request, draft: DatabaseDraft) -> DatabaseChangePage:
    """Propose a database of the settings and its packs; send `seen` back to write what was shown."""
    change = database_change(site_of(request).settings, draft)
    return DatabaseChangePage(draft, _settled(change, draft.seen, anyway=draft.anyway))


def _settled(change: FileChange, seen: str, *, anyway: bool = False) -> ProposedChange:
    """Show a change, or write it; what can't be written is told among the problems."""
    try:
        with logging_as("browser"):
            return change.settled(seen, anyway=anyway)
    except FathomError as error:
        change.wrong(error)
        return change.proposal()


def _rights(following: Following) -> FollowedFile[Rights]:
    """The file of rights that there is. Raises `ConfigError`."""
    if following.rights_file is None:
        raise ConfigError("There is no file of rights yet. Begin one at /admin.")
    return following.rights_file


class RightsBegun(BaseModel):
    """The first file of rights; `seen` is the mark of what was shown."""

    seen: str = Field(default="", max_length=40)


@dataclass(frozen=True, slots=True)
class BegunPage:
    """The start of a file of rights."""

    change: ProposedChange


@shown(router, "/admin/begin-rights", "admin_begin.html")
def begin_form(site: OfSite, following: OfOwner) -> BegunPage:
    """Show how a file of rights would begin."""
    return BegunPage(_first(following).proposal())


@proposed(router, "/admin/begin-rights", "admin_begin.html", "/admin")
def begin_rights(request: Request, draft: RightsBegun) -> BegunPage:
    """Begin a file of rights, which the settings name; send `seen` back to write what was shown."""
    return BegunPage(_settled(_first(request.app.state.following), draft.seen))


def _first(following: Following) -> FileChange:
    settings = following.settings.file
    change = first_rights(settings.with_name("rights.toml"), settings)
    if following.rights_file is not None:
        change.wrong(RightsError("There is a file of rights already."))
    return change


@dataclass(frozen=True, slots=True)
class UserChangePage:
    """The form of a user, and what it would change; `groups` are those there are."""

    form: UserDraft
    groups: Sequence[str]
    change: ProposedChange


@shown(router, "/admin/user", "admin_user.html")
def user_form(following: OfOwner, name: str = "") -> UserChangePage:
    """Show the form of a user, or of a new one, with a token drawn for them."""
    file = _rights(following)
    form = user_draft(file.content, name) if name else UserDraft(is_new=True, with_token=True)
    form = form.model_copy(update={"token": secrets.token_urlsafe(24)})
    return UserChangePage(form, [*file.content.groups], ProposedChange(file.file.name))


@proposed(router, "/admin/user", "admin_user.html", "/admin#users")
def change_user(request: Request, draft: UserDraft) -> UserChangePage:
    """Propose a user with their groups and token; send `seen` back to write what was shown."""
    file = _rights(request.app.state.following)
    change = user_change(file.file, file.content, draft)
    return UserChangePage(draft, [*file.content.groups], _settled(change, draft.seen))


@dataclass(frozen=True, slots=True)
class GrantChangePage:
    """The form of a grant, and what it would change; `known` are the users and groups there are."""

    form: GrantDraft
    known: Sequence[str]
    change: ProposedChange


@shown(router, "/admin/grant", "admin_grant.html")
def grant_form(following: OfOwner, number: int = 0) -> GrantChangePage:
    """Show the form of a grant, or of a new one."""
    file = _rights(following)
    form = grant_draft(file.content, number) if number else GrantDraft(sql=True, models=True)
    return GrantChangePage(form, _known(file.content), ProposedChange(file.file.name))


@proposed(router, "/admin/grant", "admin_grant.html", "/admin#grants")
def change_grant(request: Request, draft: GrantDraft) -> GrantChangePage:
    """Propose a grant; send `seen` back to write what was shown."""
    file = _rights(request.app.state.following)
    change = grant_change(file.file, draft, site_of(request))
    return GrantChangePage(draft, _known(file.content), _settled(change, draft.seen, anyway=draft.anyway))


def _known(rights: Rights) -> list[str]:
    return [*rights.users, *rights.groups, "*"]


@dataclass(frozen=True, slots=True)
class RightsChangePage:
    """The file of rights as a text, and what would change in it."""

    form: RightsDraft
    change: ProposedChange


@shown(router, "/admin/rights", "admin_rights.html")
def rights_form(following: OfOwner) -> RightsChangePage:
    """Show the file of rights as a text."""
    change = FileChange.of(_rights(following).file)
    return RightsChangePage(RightsDraft(text=change.before), ProposedChange(change.file.name))


@proposed(router, "/admin/rights", "admin_rights.html", "/admin")
def change_rights(request: Request, draft: RightsDraft) -> RightsChangePage:
    """Propose another text for the file of rights; send `seen` back to write what was shown."""
    change = rights_change(_rights(request.app.state.following).file, draft)
    return RightsChangePage(draft, _settled(change, draft.seen))
