"""The names of a database that the guard may ask for."""

from collections.abc import Collection
from typing import Protocol

LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts longer names, so that two may become one."""


class Catalogue(Protocol):
    """The catalogue of a server, as far as names are concerned."""

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """The columns of a table or view in their order; None where there is no such table.

        An empty `schema` means the first of the search path that has the table.
        """

    def is_callable(self, name: str) -> bool:
        """True if there is a function or type of this name, in whichever schema."""

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        """Give those of the names under which the database has functions or operators of a user's own.

        Of `types` those count whose values run such functions: domains with checks, types with casts.
        A user's own are those that came neither with the server nor with an extension.
        """
