"""Which columns and tables a name in a piece of evidence may mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from fathom.knowledge import KnowledgePack
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.columns import schema_columns
from fathom.records import Schema


def folded(name: str) -> str:
    """A name with nothing but its letters and digits, in one case: "Publisher name" is publisher_name."""
    return "".join(c for c in name.casefold() if c.isalnum())


class ReadableNames:
    """The names of one database, as people may write them, and the readable ones of a pack."""

    def __init__(self, schema: Schema, pack: KnowledgePack) -> None:
        self.schema = schema
        self._tables = {folded(t.name): t.name for t in schema.tables}
        self._columns: dict[str, list[ColumnKey]] = defaultdict(list)
        self._readable: dict[str, list[ColumnKey]] = defaultdict(list)
        names: set[str] = set()
        for key, _ in schema_columns(schema):
            self._columns[folded(key.column)].append(key)
            names.add(key.column)
            note = pack.column(*key)
            if note is not None and note.name:
                self._readable[folded(note.name)].append(key)
                names.add(note.name)
        spaced = {n for n in names if " " in n.strip()}
        self.spaced = tuple(sorted(spaced, key=lambda n: (-len(n), n)))
        """Names of several words, which text must quote before it can be parsed; longest first."""

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables."""
        return tuple(self._tables.values())

    def table(self, name: str) -> str | None:
        """The table of this name; None without one."""
        return self._tables.get(folded(name))

    def columns(self, name: str, table: str = "") -> tuple[ColumnKey, ...]:
        """Every column that the name may mean, within the table if one is given and known."""
        owner = self.table(table) if table else None
        found = self._columns.get(folded(name)) or self._readable.get(folded(name)) or []
        return tuple(c for c in found if owner is None or c.table == owner)

    def choose(
        self, wanted: Iterable[tuple[str, str]], likely: Mapping[str, float]
    ) -> dict[tuple[str, str], ColumnKey] | None:
        """One column for each (table, name) wanted; None where a name is unknown.

        Columns of one fragment are sought in one table; `likely` weighs tables otherwise.
        """
        options = {key: self.columns(key[1], key[0]) for key in wanted}
        if not all(options.values()):
            return None
        covers: dict[str, int] = defaultdict(int)
        for columns in options.values():
            for table in {c.table for c in columns}:
                covers[table] += 1
        return {
            key: max(columns, key=lambda c: (covers[c.table] + likely.get(c.table, 0.0), self._is_key(c)))
            for key, columns in options.items()
        }

    def _is_key(self, column: ColumnKey) -> bool:
        return self.schema.table(column.table).primary_key == (column.column,)
