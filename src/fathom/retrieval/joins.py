"""Which tables join which, and what lies between tables that don't join directly."""

from collections import defaultdict, deque
from collections.abc import Collection, Sequence

from fathom.records import Schema

_FURTHEST = 3  # joins; tables further apart are seldom needed by one question


class JoinGraph:
    """The joins of a schema, declared and inferred; tables are counted as in `schema.tables`."""

    def __init__(self, schema: Schema) -> None:
        numbers = {t.name: n for n, t in enumerate(schema.tables)}
        self._joined: dict[int, dict[int, list[tuple[tuple[str, ...], tuple[str, ...]]]]] = defaultdict(dict)
        for key in schema.foreign_keys:
            one, other = numbers.get(key.table), numbers.get(key.target_table)
            if one is not None and other is not None and one != other:
                self._joined[one].setdefault(other, []).append((key.columns, key.target_columns))
                self._joined[other].setdefault(one, []).append((key.target_columns, key.columns))

    def neighbours(self, table: int) -> Collection[int]:
        """The tables that join one."""
        return self._joined.get(table, {}).keys()

    def between(self, tables: Sequence[int]) -> list[int]:
        """The fewest other tables found that join each of these to one before it, up to three joins away."""
        together = set(tables[:1])
        added: list[int] = []
        for table in tables[1:]:
            path = [] if together & set(self.neighbours(table)) else self._path(table, together)
            added += [t for t in path if t not in tables and t not in added]
            together |= {table, *path}
        return added

    def keys(self, tables: Sequence[int]) -> dict[int, list[str]]:
        """For each table its columns that join it to others of these."""
        among = set(tables)
        found: dict[int, dict[str, None]] = {}
        for table in tables:
            pairs = (
                p for other in self.neighbours(table) if other in among for p in self._joined[table][other]
            )
            found[table] = dict.fromkeys(column for own, _ in pairs for column in own)
        return {table: list(columns) for table, columns in found.items()}

    def _path(self, start: int, goals: Collection[int]) -> list[int]:
        """The tables between one and the nearest goal; none where no goal is near."""
        before: dict[int, int] = {start: start}
        queue = deque([(start, 0)])
        while queue:
            table, away = queue.popleft()
            if table in goals:
                path = []
                while (table := before[table]) != start:
                    path.append(table)
                return path
            if away < _FURTHEST:
                for other in sorted(self.neighbours(table)):
                    if other not in before:
                        before[other] = table
                        queue.append((other, away + 1))
        return []
