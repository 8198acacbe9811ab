"""Names of tables and columns, made of the names of files, sheets and headers."""

import re
from collections.abc import Iterable, Sequence

_LONGEST = 60
_PART = re.compile(r"[\W_]*\d+([\W_]+\d+)*$")


def plain_name(text: str, otherwise: str) -> str:
    """A text as a name without signs: `Order Items (2024)` is `Order_Items_2024`."""
    name = re.sub(r"\W+", "_", text).strip("_")[:_LONGEST].strip("_")
    if not name:
        return otherwise
    return f"_{name}" if name[0].isdigit() else name


def family(name: str) -> str:
    """The name without the numbers at its end, in which parts of one table differ: `sales_2024` is sales."""
    return _PART.sub("", name) or name


def unlike(names: Iterable[str]) -> list[str]:
    """The names, each once whatever its letters' case: a second one gets a number."""
    taken: set[str] = set()
    found = []
    for name in names:
        free, number = name, 2
        while free.casefold() in taken:
            free, number = f"{name}_{number}", number + 1
        taken.add(free.casefold())
        found.append(free)
    return found


def column_names(header: Sequence[str] | None, count: int) -> tuple[list[str], list[str]]:
    """Names of columns by a header, and the remarks on them; without a header they are numbered."""
    if header is None:
        return [f"column_{n}" for n in range(1, count + 1)], []
    cells = [" ".join(str(c).split())[:_LONGEST] for c in header]
    given = [cell or f"column_{n}" for n, cell in enumerate(cells, 1)]
    found = unlike(given)
    twice = [(old, new) for old, new in zip(given, found, strict=True) if old != new]
    return found, [
        f"the column {old!r} stands there more than once; this one is {new!r}" for old, new in twice
    ]
