"""The filters of a board: what two or more of its saved questions ask for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fathom.answering.parameters import NAME_LETTERS, SavedParameter
from fathom.answering.store import Saved


@dataclass
class BoardFilter:
    """One value that a board asks for, under the name that its first saved question has for it.

    `members` are the parameters that it is given to, each with its saved question.
    """

    name: str
    members: list[tuple[Saved, SavedParameter]] = field(default_factory=list)

    def given_in(self, values: Mapping[str, str]) -> str | None:
        """The value for it, by its name in any case; None where none is given."""
        return next((v for name, v in values.items() if name.casefold() == self.name.casefold()), None)

    def likeness(self, saved: Saved, parameter: SavedParameter) -> int:
        """Tell how surely a member asks for the same: 2 by its name as well, 1 by its column, 0 not at all.

        A saved question is given one value by a filter: one of its own members keeps another out.
        """
        if any(of.slug == saved.slug for of, _ in self.members):
            return 0
        return max(_likeness(of, one, saved, parameter) for of, one in self.members)


def common_filters(saved: Sequence[Saved]) -> list[BoardFilter]:
    """Find the values that two or more saved questions ask for.

    They ask for the same where they compare one column in one way, whatever they call it; or where they call
    it the same, and the columns are called alike.
    """
    found: list[BoardFilter] = []
    for one in saved:
        for parameter in one.parameters:
            nearest = max(found, key=lambda f: f.likeness(one, parameter), default=None)
            if nearest is None or not nearest.likeness(one, parameter):
                found.append(nearest := BoardFilter(parameter.name))
            nearest.members.append((one, parameter))
    shared = [f for f in found if len(f.members) > 1]
    names = [f.name.casefold() for f in shared]
    for alike in (f for f in shared if names.count(f.name.casefold()) > 1):
        alike.name = f"{alike.name} ({alike.members[0][1].column})"[:NAME_LETTERS]
    return shared


def own_values(saved: Saved, filters: Iterable[BoardFilter], given: Mapping[str, str]) -> dict[str, str]:
    """All values of a saved question where the board's filters give one of them; else none."""
    told = {
        parameter.name: value
        for one in filters
        for of, parameter in one.members
        if of.slug == saved.slug and (value := one.given_in(given)) is not None
    }
    return {p.name: told.get(p.name, p.value) for p in saved.parameters} if told else {}


def _likeness(of: Saved, one: SavedParameter, saved: Saved, other: SavedParameter) -> int:
    if _kind(one) != _kind(other) or (one.said and other.said and one.said != other.said):
        return 0
    named, columns = (
        one.name.casefold() == other.name.casefold(),
        {one.column.casefold(), other.column.casefold()},
    )
    is_one_column = (
        len(columns) == 1
        and bool(one.table and one.said and other.said)
        and (of.entry.database, one.table.casefold()) == (saved.entry.database, other.table.casefold())
    )
    return 2 if named and len(columns - {""}) < 2 else int(is_one_column)


def _kind(parameter: SavedParameter) -> str:
    """The kind of a value; a choice is a text."""
    return "text" if parameter.kind == "choice" else parameter.kind
