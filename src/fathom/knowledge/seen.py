"""The part of a knowledge pack that a user may know: nothing in it names a hidden thing."""

import json
from collections.abc import Iterable
from functools import lru_cache

from pydantic import BaseModel
from sqlglot import exp

from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.errors import QueryError
from fathom.knowledge.mismatches import check
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.parts import ColumnNote, TableNote
from fathom.records import Limits, SolvedExample

_QUICKLY = Limits(seconds=5, rows=1)


def seen_of(
    pack: KnowledgePack, examples: tuple[SolvedExample, ...], database: Database
) -> tuple[KnowledgePack, tuple[SolvedExample, ...]]:
    """The pack and the solved examples without what the user of the database may not see.

    Left out is what names a hidden table or column, in SQL or in words, and, of tables whose rows are
    filtered, what names a value that none of the rows seen has.
    """
    if database.granted is None:
        return pack, examples
    seen = _Seen(database, pack.dialect or database.dialect)
    kept = KnowledgePack(
        name=seen.text(pack.name),
        description=seen.text(pack.description),
        dialect=pack.dialect,
        tables={
            name: seen.table(name, note) for name, note in pack.tables.items() if name in database.schema
        },
        glossary=tuple(
            t
            for t in pack.glossary
            if seen.part(t, glossary=(t,)) and seen.values((t.condition, t.expression), also=(t.value,))
        ),
        conventions=tuple(
            c
            for c in pack.conventions
            if seen.part(c, conventions=(c,)) and seen.values((*c.adds.conditions, *c.adds.order_by))
        ),
        joins=tuple(j for j in pack.joins if seen.part(j, joins=(j,))),
        examples=tuple(e for e in pack.examples if seen.example(e)),
        sources=pack.sources,
    )
    return kept, tuple(e for e in examples if seen.example(e))


class _Seen:
    """Tells what the user of a database may know."""

    def __init__(self, database: Database, dialect: str) -> None:
        self._database, self._dialect = database, dialect
        self._holds = lru_cache(maxsize=None)(self._held)

    def text(self, text: str) -> str:
        """The text, or none of it."""
        return "" if self._database.hides(text) else text

    def part(self, part: BaseModel, **alone: Iterable[BaseModel]) -> bool:
        """True if a part says nothing of what is hidden; `alone` are the arguments of a pack of it."""
        said = json.dumps(part.model_dump(mode="json"), ensure_ascii=False)
        missing = check(KnowledgePack(dialect=self._dialect, **alone), self._database.schema)  # type: ignore[arg-type]
        return not missing and not self._database.hides(said)

    def table(self, name: str, note: TableNote) -> TableNote:
        """The note on a table, with those columns and words that are seen."""
        known = self._database.schema.table(name)
        there = {c.name.casefold(): c.name for c in known.columns}
        columns = {
            column: self._column(known.name, there[column.casefold()], of)
            for column, of in note.columns.items()
            if column.casefold() in there
        }
        return note.model_copy(
            update={
                "name": self.text(note.name),
                "description": self.text(note.description),
                "synonyms": tuple(filter(self.text, note.synonyms)),
                "columns": columns,
            }
        )

    def _column(self, table: str, column: str, note: ColumnNote) -> ColumnNote:
        filtered = table in self._database.filtered_tables
        values = {
            value: meaning
            for value, meaning in note.values.items()
            if not self._database.hides(f"{value} {' '.join(meaning.words)}")
            and (not filtered or self._holds(table, column, value))
        }
        return note.model_copy(
            update={
                "name": self.text(note.name),
                "description": self.text(note.description),
                "synonyms": tuple(filter(self.text, note.synonyms)),
                "values": values,
                "format": self.text(note.format),
                "note": self.text(note.note),
            }
        )

    def example(self, example: SolvedExample) -> bool:
        """True if a solved question reads nothing that is hidden, and says nothing of it."""
        said = f"{example.question} {example.evidence} {example.sql}"
        if self._database.hides(said):
            return False
        dialect = self._database.dialect if example.source == "taught" else self._dialect
        tree = parsed(example.sql, dialect)
        if tree is None:
            return False
        try:
            self._database.check(tree.sql(self._database.dialect))
        except (QueryError, ValueError):
            return False
        return self.values((example.sql,), dialect=dialect)

    def values(
        self, texts: Iterable[str | None], *, also: Iterable[str | None] = (), dialect: str = ""
    ) -> bool:
        """True if the values that SQL names, and some others, are in rows that are seen."""
        filtered = self._database.filtered_tables
        if not filtered:
            return True
        named = [value for value in also if value]
        for text in filter(None, texts):
            tree = parsed(text, dialect or self._dialect)
            if tree is None:
                return False
            tables = {t.name.casefold() for t in tree.find_all(exp.Table)}
            if not tables or any(t.rpartition(".")[2].casefold() in tables for t in filtered):
                named += [n.name for n in tree.find_all(exp.Literal) if n.is_string]
        return all(any(self._in_table(table, value) for table in filtered) for value in named)

    def _in_table(self, table: str, value: str) -> bool:
        texts = [c.name for c in self._database.schema.table(table).columns if c.kind in {"text", "other"}]
        return any(self._holds(table, column, value) for column in texts)

    def _held(self, table: str, column: str, value: str) -> bool:
        """True if a row that is seen has the value."""
        cast = exp.cast(exp.column(column, quoted=True), "text", dialect="postgres")
        name = parsed(f"SELECT 1 FROM {self._database.identifier(table)}", self._database.dialect)
        if not isinstance(name, exp.Select):
            return False
        query = name.where(cast.eq(exp.Literal.string(value))).limit(1)
        try:
            return bool(self._database.run(query.sql(self._database.dialect), _QUICKLY, trusted=True).rows)
        except (QueryError, ValueError):
            return False
