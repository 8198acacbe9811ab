"""Who may see what of which database: users, groups and grants, as one file holds them.

What a user may not see is hidden before a question is linked, checked in every query, and its rows are
filtered by writing the query anew; `Database.restricted` does that by a `Granted`.
"""

from typing import Protocol, TypeVar

from fathom.rights.grants import ColumnRule, Grant, Granted, Rights, Seen
from fathom.rights.rights_file import read_rights

__all__ = ["ColumnRule", "Grant", "Granted", "Rights", "Seen", "read_rights", "restrict"]

_Seen_co = TypeVar("_Seen_co", covariant=True)


class _Restrictable(Protocol[_Seen_co]):
    def restricted(self, granted: Granted, /) -> _Seen_co: ...


def restrict(database: _Restrictable[_Seen_co], granted: Granted) -> _Seen_co:
    """The database as the grants show it; it shares the connections of the whole one.

    Raises `RightsError` where they give nothing of it, or name tables or columns that it doesn't have.
    """
    return database.restricted(granted)
