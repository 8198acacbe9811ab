"""`fathom rights`: check a file of who may see what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from fathom.config import read_settings
from fathom.databases import Database, connect
from fathom.errors import RightsError
from fathom.interfaces.cli import ERROR
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.rights import Granted, Rights, Seen, read_rights


def rights(file: Path, /, *, database: tuple[str, ...] = (), user: str = "", json: bool = False) -> int:
    """Check a file of who may see what; with a database, show what its users see of it.

    Ends with exit code 1 where a grant names what the database doesn't have, or filters by what it can't
    apply: until that is mended, the users of the grant see nothing of the database.

    Parameters
    ----------
    file
        The file of rights, as docs/rights.md tells.
    database
        Hold the grants against this one: a path, a URL, a name from the settings, or demo:shop; may be
        given several times.
    user
        Only this user.
    json
        Print a JSON list: by database and user the tables seen, with their columns and filters.
    """
    known = read_rights(file)
    users = (known.user(user),) if user else known.users
    found = [one for name in database for one in _sights(name, known, users)]
    if json:
        print_json([asdict(one) for one in found])
    else:
        told = f"{len(known.users)} users, {len(known.groups)} groups, {len(known.grants)} grants"
        notices.print(plain(f"{file} can be read: {told}."))
        for one in found:
            _show(one)
    return ERROR if any(one.problems for one in found) else 0


@dataclass(frozen=True, slots=True)
class _Sight:
    """One user's view of one database: by table its columns and its filter; or the problems."""

    database: str
    user: str
    tables: Mapping[str, Seen] = field(default_factory=dict)
    problems: Sequence[str] = ()


def _sights(name: str, known: Rights, users: Sequence[str]) -> Iterator[_Sight]:
    from fathom.databases.grant_problems import problems_of  # noqa: PLC0415, slow to import

    with connect(name, settings=replace(read_settings(), rights=None)) as whole:
        for user in users:
            try:
                granted = known.granted(user, whole.known_as, whole.name)
                problems = problems_of(whole, granted)
                yield _Sight(name, user, {} if problems else _seen(whole, granted), problems)
            except RightsError:
                yield _Sight(name, user)


def _seen(whole: Database, granted: Granted) -> Mapping[str, Seen]:
    restricted = whole.restricted(granted)
    filters = {t.name: granted.seen(t.name, [c.name for c in t.columns]) for t in restricted.schema.tables}
    return {name: seen for name, seen in filters.items() if seen is not None}


def _show(one: _Sight) -> None:
    console.print(plain(f"{one.user} in {one.database}:"))
    for problem in one.problems:
        console.print(plain(f"  wrong: {problem}"), soft_wrap=True)
    for name, seen in one.tables.items():
        rows = f", where {seen.rows}" if seen.rows else ""
        console.print(plain(f"  {name}: {', '.join(seen.columns)}{rows}"), soft_wrap=True)
    if not one.tables and not one.problems:
        console.print("  nothing")
