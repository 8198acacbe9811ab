"""What a question wants something told of each of: "for each employee", "by city", "top 5 customers"."""

from dataclasses import dataclass

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.query import Column, TableRef
from fathom.offline.rows import RowNames

_PASSED = frozenset("the a an our each every all different of and".split())
_NAMED = 0.5


@dataclass(frozen=True, slots=True)
class By:
    """Rows of a `table`, or values of a column (None): what is shown of them, and what tells them apart.

    `fit` is how well the question's words name them; `many` says that these are in the plural.
    """

    table: TableRef | None
    shown: tuple[Column, ...]
    key: tuple[Column, ...]
    fit: float
    many: bool


def named_after(linking: Linking, names: RowNames, place: int, until: int | None = None) -> tuple[By, ...]:
    """What the words from a place on (`until` another) name, articles and numbers passed over.

    Tables where the last of the words names one as well as any column, else columns.
    """
    tokens = linking.tokens
    first = place
    while first < len(tokens) and (tokens[first].lower in _PASSED or tokens[first].kind == "number"):
        first += 1
    end = first
    while end < len(tokens) and end != until and _named(linking, end):
        end += 1
    if end == first:
        return ()
    head, many = end - 1, tokens[end - 1].lower.endswith("s")
    rows = linking.table_alignment[:, head]
    best = max(rows.max(initial=0), _NAMED)
    tables = [t for t, near in zip(linking.tables, rows, strict=True) if near >= best]
    if tables and best >= linking.alignment[:, head].max(initial=0):
        return tuple(_rows(names, TableRef(t), float(best), many=many) for t in tables)
    fits = {c: _fit(linking, c, first, end) for c in linking.columns if not names.is_reference(c)}
    held = linking.alignment[:, head]
    found = [c for c in fits if held[linking.index[c]] >= _NAMED]
    top = max((fits[c] for c in found), default=0.0)
    return tuple(
        By(None, (shown := c.in_query(),), (shown,), fits[c], many) for c in found if fits[c] >= top - 0.01
    )


def _rows(names: RowNames, table: TableRef, fit: float, *, many: bool) -> By:
    key = names.key_of(table)
    return By(table, names.of_table(table) or key, key, fit, many)


def _named(linking: Linking, place: int) -> bool:
    token = linking.tokens[place]
    if token.stop or token.kind != "word" or token.evidence:
        return False
    named = (linking.alignment, linking.table_alignment)
    return any(bool(a[:, place].max(initial=0) >= _NAMED) for a in named)


def _fit(linking: Linking, column: ColumnKey, first: int, end: int) -> float:
    """How far words name a column, by its own name and its table's."""
    own = linking.alignment[linking.index[column], first:end]
    table = 0.5 * linking.table_alignment[linking.tables.index(column.table), first:end]
    return float(sum(max(a, b) for a, b in zip(own, table, strict=True)))
