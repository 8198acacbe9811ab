"""The meanings of codes, where a small table of the database lists them without a key that says so.

A column whose few values all stand in one column of such a table, beside a text for each, holds its codes.
Where a table lists the codes of several columns, another column of it tells them apart.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from fathom.methods import Context
from fathom.nl2sql.samples import first_rows
from fathom.records import ColumnProfile, Selection, TableProfile

MOST_CODES, MOST_LISTED = 20, 200
"""The values of a column of codes, and the rows of a table that lists codes: all of them are compared."""
MOST_COLUMNS = 4
LONGEST_CODE = 12

Meanings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _CodeList:
    """The codes that one table lists, with their meanings.

    `of` is the column that they are the codes of, if a column of the list says so.
    """

    table: str
    meanings: Meanings
    of: str = ""


async def code_meanings(context: Context) -> Mapping[tuple[str, str], Meanings]:
    """Give the meaning of each value of each column of codes, by table and column.

    Columns with a key are left out: the table that they refer to is joined.
    """
    schema = context.database.schema
    profiles = context.database.profile()
    keyed = {(k.table, c) for k in schema.foreign_keys for c in k.columns}
    lists = [one async for one in _code_lists(context, profiles)]
    found = {}
    for table in schema.tables:
        seen = profiles[table.name].columns if table.name in profiles else {}
        for column, profile in seen.items():
            codes = _codes(profile)
            if codes and (table.name, column) not in keyed:
                fitting = [one for one in lists if one.table != table.name and codes <= one.meanings.keys()]
                named = [one for one in fitting if one.of == column.casefold()]
                chosen = named or [one for one in fitting if not one.of]
                if len(chosen) == 1:
                    found[table.name, column] = {c: chosen[0].meanings[c] for c in sorted(codes)}
    return found


def _codes(profile: ColumnProfile) -> frozenset[str]:
    """All values of a column, where they are few, short and known; else none."""
    values = [str(value) for value, _ in profile.common if value is not None]
    known = profile.exact and profile.distinct == len(values) and 1 < len(values) <= MOST_CODES
    return frozenset(values) if known and max(map(len, values)) <= LONGEST_CODE else frozenset()


async def _code_lists(context: Context, profiles: Mapping[str, TableProfile]) -> AsyncIterator[_CodeList]:
    """Give each way to read a small table as a list of codes with their meanings."""
    small = {
        t.name: tuple(c.name for c in t.columns)
        for t in context.database.schema.tables
        if 1 < len(t.columns) <= MOST_COLUMNS
        and t.name in profiles
        and 1 < (profiles[t.name].row_count or 0) <= MOST_LISTED
    }
    if not small:
        return
    read = await first_rows(context, Selection(small), rows=MOST_LISTED)
    for table, columns in small.items():
        cells = {c: [str(v) for v in read.get((table, c), ()) if v is not None] for c in columns}
        count = len(cells[columns[0]])
        whole = [c for c in columns if count and len(cells[c]) == count]
        for code, text in permutations(whole, 2):
            if _length(cells[text]) > _length(cells[code]) <= LONGEST_CODE:
                if len(set(cells[code])) == count:
                    yield _CodeList(table, dict(zip(cells[code], cells[text], strict=True)))
                for domain in set(whole) - {code, text}:
                    for one in _by_domain(table, cells[domain], cells[code], cells[text]):
                        yield one


def _by_domain(
    table: str, domains: Sequence[str], codes: Sequence[str], texts: Sequence[str]
) -> Iterator[_CodeList]:
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for domain, code, text in zip(domains, codes, texts, strict=True):
        if code in parts[domain]:
            return
        parts[domain][code] = text
    if len(parts) < len(codes):
        for domain, meanings in parts.items():
            yield _CodeList(table, meanings, domain.casefold())


def _length(values: Sequence[str]) -> float:
    return sum(map(len, values)) / len(values)
